"""What the tests of this package share."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from humanoid_description import Robot, load_robot, robot_names


@pytest.fixture(scope="session")
def robots() -> dict[str, Robot]:
    """The robots that come with the suite, by name."""
    return {name: load_robot(name) for name in robot_names()}


@pytest.fixture
def own_robot(tmp_path: Path, robots: dict[str, Robot]) -> Path:
    """A user's copy of FIBO-KM, elsewhere on disk."""
    return Path(shutil.copytree(robots["fibo_km"].folder, tmp_path / "my_robot"))


@pytest.fixture
def edit() -> Callable[[Path, str, str], None]:
    """Replace a text that occurs in a file, once."""

    def replace(file: Path, old: str, new: str) -> None:
        text = file.read_text()
        assert old in text, f"{old!r} is not in {file}"
        file.write_text(text.replace(old, new, 1))

    return replace
