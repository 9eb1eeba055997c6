"""DART beside our engine."""

from __future__ import annotations

import numpy as np
import pytest

from humanoid_bringup.bench import own_engine
from humanoid_bringup.bench.task import start_height
from humanoid_description import load_robot
from humanoid_gait.primitives import JointReference, PrimitiveParameters, forward_walk

pytest.importorskip("dartpy", reason="an optional peer: ./humanoid bench sim installs it")
from humanoid_bringup.bench import dart


def test_with_our_laws_it_walks_as_our_engine_does() -> None:
    robot = load_robot("ar601m")
    reference = forward_walk(robot, PrimitiveParameters(0.1, 0.1, 0.85, 0.5, 0.3), 1, 1e-4)
    theirs, ours = dart.own_laws(robot, reference), own_engine.explicit(robot, reference)
    assert not theirs.fell
    np.testing.assert_allclose(theirs.base_in_world, ours.base_in_world, atol=5e-4)


def test_a_robot_that_shall_stand_does() -> None:
    robot = load_robot("ar601m")
    posture = np.array([robot.parameters.stand.get(joint, 0.0) for joint in robot.joint_names])
    position = np.tile(posture, (1000, 1))
    outcome = dart.native(robot, JointReference(1e-3, position, np.zeros_like(position), reachable=True))
    assert not outcome.fell
    assert outcome.steps == 1000
    np.testing.assert_allclose(outcome.base_in_world, [0, 0, start_height(robot, posture)], atol=0.01)
