"""The list of simulators."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from humanoid_bringup import bench
from humanoid_bringup.bench.engines import ENGINES


@pytest.mark.parametrize("name", ENGINES)
def test_an_engine_has_its_module(name: str) -> None:
    module = Path(bench.__file__).parent / f"{ENGINES[name].module}.py"
    assert f"def {ENGINES[name].function}(robot: Robot, reference: JointReference) -> Outcome:" in module.read_text()


@pytest.mark.parametrize("name", [engine.name for engine in ENGINES.values() if not engine.peer])
def test_what_is_no_peer_is_always_there(name: str) -> None:
    assert callable(ENGINES[name].load())


def test_a_package_that_is_not_there_is_an_import_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "dartpy", None)
    monkeypatch.delitem(sys.modules, "humanoid_bringup.bench.dart", raising=False)
    with pytest.raises(ImportError, match="dartpy"):
        ENGINES["dart"].load()
