"""Bullet with its own contact."""

from __future__ import annotations

import numpy as np
import pytest

from humanoid_bringup.bench.task import start_height
from humanoid_description import load_robot
from humanoid_gait.primitives import JointReference

pytest.importorskip("pybullet", reason="an optional peer: ./humanoid bench sim installs it")
from humanoid_bringup.bench import bullet


def test_a_robot_that_shall_stand_does() -> None:
    robot = load_robot("ar601m")
    posture = np.array([robot.parameters.stand.get(joint, 0.0) for joint in robot.joint_names])
    position = np.tile(posture, (1000, 1))
    outcome = bullet.simulate(robot, JointReference(1e-3, position, np.zeros_like(position), reachable=True))
    assert not outcome.fell
    assert outcome.steps == 1000
    np.testing.assert_allclose(outcome.base_in_world, [0, 0, start_height(robot, posture)], atol=0.01)
