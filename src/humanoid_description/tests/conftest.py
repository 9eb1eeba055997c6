"""What the tests of this package share."""

from __future__ import annotations

import os
import shutil
import subprocess
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


@pytest.fixture
def tool() -> Callable[..., str]:
    """Run a validator and give back what it printed; without it the test is skipped, but not on CI."""

    def run(*command: str) -> str:
        if shutil.which(command[0]) is None:
            if os.environ.get("CI"):
                pytest.fail(f"{command[0]} is not installed; .ci/run must install it")
            pytest.skip(f"{command[0]} is not installed (Debian: liburdfdom-tools, ignition-tools, libsdformat-dev)")
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        assert result.returncode == 0, result.stdout + result.stderr
        return result.stdout

    return run
