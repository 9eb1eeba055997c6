"""The list of simulators."""

from __future__ import annotations

from pathlib import Path

import pytest

from humanoid_bringup import bench
from humanoid_bringup.bench.engines import ENGINES


@pytest.mark.parametrize("name", ENGINES)
def test_an_engine_has_its_module(name: str) -> None:
    module = Path(bench.__file__).parent / f"{ENGINES[name].module}.py"
    assert f"def {ENGINES[name].function}(robot: Robot, reference: JointReference) -> Outcome:" in module.read_text()


def test_explicit_forces_of_our_contact_are_given_small_steps() -> None:
    steps = {engine.name: engine.dt for engine in ENGINES.values() if engine.contact == "ours"}
    assert steps.pop("humanoid") == 1e-3
    assert set(steps.values()) == {1e-4}
