"""This suite's inverse kinematics as the benchmark calls it."""

from __future__ import annotations

import numpy as np
import pytest

from humanoid_bringup.bench import own_ik
from humanoid_bringup.bench.leg_targets import errors, targets_of
from humanoid_description import load_robot


@pytest.mark.parametrize("name", ["ar601m", "fibo_km"])
def test_all_at_once_and_one_by_one_hit_the_same_targets(name: str) -> None:
    targets = targets_of(load_robot(name), 50)
    together, apart = own_ik.all_at_once(targets), own_ik.one_by_one(targets)
    assert max(errors(targets, together.angles)) < 1e-12
    np.testing.assert_allclose(apart.angles, together.angles, atol=1e-12)
    assert (len(together.cpu_times), len(apart.cpu_times)) == (1, 50)
