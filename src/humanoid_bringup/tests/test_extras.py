"""Packages on demand: installed by the real pip, once, and with an error that helps."""

from __future__ import annotations

import sys
import sysconfig
from pathlib import Path

import pytest

from humanoid_bringup.extras import CHECKOUT, require
from humanoid_description.errors import RobotError


@pytest.fixture
def venv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A prefix of its own, so that the marks of extras do not stay."""
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "venv"))
    (tmp_path / "venv").mkdir()
    return tmp_path / "venv"


def test_it_is_installed_once_and_can_be_imported_at_once(
    tmp_path: Path, venv: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    packages, elsewhere = tmp_path / "site", tmp_path / "elsewhere"
    for folder in (packages, elsewhere):
        folder.mkdir()
    (packages / "late.pth").write_text(f"{elsewhere}\n")
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(packages))
    lines = (CHECKOUT / "requirements.txt").read_text().splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("tqdm=="))
    end = next(i for i in range(start + 1, len(lines)) if not lines[i].startswith(" "))
    (tmp_path / "requirements-bar.txt").write_text("\n".join(lines[start:end]) + "\n")
    require("bar", tmp_path)
    assert "requirements-bar.txt, once" in capsys.readouterr().err
    assert str(elsewhere) in sys.path
    require("bar", tmp_path)
    assert capsys.readouterr().err == ""


def test_a_failure_says_what_to_do_and_leaves_no_mark(tmp_path: Path, venv: Path) -> None:
    (tmp_path / "requirements-odd.txt").write_text("./no_such_package-1.0-py3-none-any.whl\n")
    with pytest.raises(RobotError, match=r"(?s)requirements-odd.txt.*run the same command again"):
        require("odd", tmp_path)
    assert list(venv.iterdir()) == []


def test_an_unknown_extra_is_named() -> None:
    with pytest.raises(RobotError, match=r"requirements-nonsense.txt"):
        require("nonsense")


def test_outside_of_a_virtual_environment_nothing_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "prefix", sys.base_prefix)
    with pytest.raises(RobotError, match=r"./humanoid"):
        require("bench")


def test_extras_agree_with_what_is_always_installed() -> None:
    def pins(file: Path) -> set[str]:
        return {line.split(" \\")[0] for line in file.read_text().splitlines() if "==" in line and line[0].isalpha()}

    always = pins(CHECKOUT / "requirements.txt")
    names = {pin.split("==")[0] for pin in always}
    for file in CHECKOUT.glob("requirements-*.txt"):
        shared = {pin for pin in pins(file) if pin.split("==")[0] in names}
        assert {pin.split(" ;")[0] for pin in shared} <= {pin.split(" ;")[0] for pin in always}, file.name
