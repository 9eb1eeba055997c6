"""What the tests of this package share."""

from __future__ import annotations

import importlib.util
import sys
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
