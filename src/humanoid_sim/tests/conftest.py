"""What the tests of this package share."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture
def gazebo(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The stand-in of Gazebo, whose modules can be imported as those of Harmonic."""
    spec = importlib.util.spec_from_file_location("gz_stand_in", Path(__file__).parent / "gz_stand_in.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "gz_stand_in", module)
    spec.loader.exec_module(module)
    module.install(lambda name, content: monkeypatch.setitem(sys.modules, name, content))
    return module


@pytest.fixture
def tool() -> Callable[..., str]:
    """Run a validator and give back what it printed; without it the test is skipped, but not on CI."""

    def run(*command: str) -> str:
        if shutil.which(command[0]) is None:
            if os.environ.get("CI"):
                pytest.fail(f"{command[0]} is not installed; .ci/run must install it")
            pytest.skip(f"{command[0]} is not installed (Debian: ignition-tools, libsdformat-dev)")
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        assert result.returncode == 0, result.stdout + result.stderr
        return result.stdout

    return run
