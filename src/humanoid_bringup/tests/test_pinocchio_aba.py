"""Pinocchio beside our engine."""

from __future__ import annotations

import numpy as np
import pytest

from humanoid_bringup.bench import own_engine
from humanoid_description import load_robot
from humanoid_gait.primitives import PrimitiveParameters, forward_walk

pytest.importorskip("pinocchio", reason="an optional peer: ./humanoid bench sim installs it")
from humanoid_bringup.bench import pinocchio_aba


def test_with_our_laws_it_walks_as_our_engine_does() -> None:
    robot = load_robot("ar601m")
    reference = forward_walk(robot, PrimitiveParameters(0.1, 0.1, 0.85, 0.5, 0.3), 1, 1e-4)
    theirs, ours = pinocchio_aba.simulate(robot, reference), own_engine.explicit(robot, reference)
    assert not theirs.fell
    np.testing.assert_allclose(theirs.base_in_world, ours.base_in_world, atol=5e-4)
