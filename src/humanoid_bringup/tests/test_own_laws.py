"""Our laws as other engines call them."""

from __future__ import annotations

import numpy as np
import pytest

from humanoid_bringup.bench.own_laws import OwnLaws
from humanoid_description import load_robot
from humanoid_sim.contact import contact_vector, foot_wrench

ROBOT = load_robot("ar601m")


def test_torque_is_the_pd_law_without_limit() -> None:
    random = np.random.default_rng(0)
    angle, speed, target, target_speed = random.normal(size=(4, 12))
    laws = OwnLaws(ROBOT, ROBOT.joint_names, np.zeros(12), 1e-4)
    expected = 5000 * (target - angle) + 100 * (target_speed - speed)
    np.testing.assert_allclose(laws.torque(angle, speed, target, target_speed), expected)


def test_joints_may_come_in_another_order() -> None:
    kid = load_robot("fibo_km")
    random = np.random.default_rng(0)
    angle, speed, target = 0.1 * random.normal(size=(3, kid.dof))
    ours = OwnLaws(kid, kid.joint_names, angle, 1e-4).torque(angle, speed, target, np.zeros(kid.dof))
    order = random.permutation(kid.dof)
    names = [kid.joint_names[index] for index in order]
    laws = OwnLaws(kid, names, angle[order], 1e-4)
    theirs = laws.torque(angle[order], speed[order], target[order], np.zeros(kid.dof))
    np.testing.assert_array_equal(theirs, ours[order])


@pytest.mark.parametrize("foot", [0, 1])
def test_the_wrench_is_that_of_the_contact_law_along_the_axes_of_the_foot(foot: int) -> None:
    random = np.random.default_rng(foot)
    points = np.array(list(ROBOT.parameters.feet.values())[foot].corners_in_foot)
    vector = contact_vector(ROBOT.parameters.contact, ROBOT.mass, len(points))
    laws = OwnLaws(ROBOT, ROBOT.joint_names, np.zeros(12), 1e-4)
    for _ in range(20):
        R, _ = np.linalg.qr(np.eye(3) + 0.02 * random.normal(size=(3, 3)))
        R *= np.sign(np.diag(R))
        place = np.array([0.3, -0.2, 0.1055])
        linear, angular = random.normal(size=(2, 3))
        expected = foot_wrench(np.tile(vector, (len(points), 1)), points, R, place, linear, angular)
        wrench = laws.wrench(foot, R, place, R.T @ linear, R.T @ angular)
        np.testing.assert_allclose(R @ wrench[:3], expected[:3], atol=1e-9)
        np.testing.assert_allclose(R @ wrench[3:], expected[3:], atol=1e-9)
