"""Where compiled code is kept."""

from __future__ import annotations

import re
from pathlib import Path

import numba
import pytest

from humanoid_sim import compiling


def test_the_folder_changes_with_every_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in compiling.SOURCES:
        (tmp_path / name).write_bytes((compiling.PACKAGE / name).read_bytes())
    monkeypatch.setattr(compiling, "PACKAGE", tmp_path)
    seen = {compiling.cache_folder()}
    for name in compiling.SOURCES:
        (tmp_path / name).write_text((tmp_path / name).read_text() + "\n# changed\n")
        seen.add(compiling.cache_folder())
    assert len(seen) == 1 + len(compiling.SOURCES)


def test_every_file_with_compiled_code_counts() -> None:
    used = {
        path.name for path in compiling.PACKAGE.glob("*.py") if re.search(r"^@compiled", path.read_text(), re.MULTILINE)
    }
    assert used
    assert used <= set(compiling.SOURCES)


def test_numba_is_told() -> None:
    assert str(compiling.cache_folder()) == numba.config.CACHE_DIR


def test_compiling_is_announced_only_when_it_happens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(compiling, "cache_folder", lambda: tmp_path)
    compiling.announce()
    assert "compiling the simulator, once" in capsys.readouterr().err
    (tmp_path / "engine.advance-1.nbi").write_text("")
    compiling.announce()
    assert capsys.readouterr().err == ""
