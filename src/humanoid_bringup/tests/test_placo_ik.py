"""placo with our robots."""

from __future__ import annotations

import pytest

from humanoid_bringup.bench.leg_targets import errors, targets_of
from humanoid_description import load_robot

pytest.importorskip("placo", reason="an optional peer: ./humanoid bench ik installs it", exc_type=ImportError)
from humanoid_bringup.bench import placo_ik


@pytest.mark.parametrize("name", ["ar601m", "fibo_km"])
def test_it_hits_the_targets_of_our_robots(name: str) -> None:
    targets = targets_of(load_robot(name), 20)
    assert max(errors(targets, placo_ik.solve(targets).angles)) < 1e-6
