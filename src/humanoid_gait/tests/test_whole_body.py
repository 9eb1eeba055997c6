"""Centre of mass, feet and torques of a posture."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from humanoid_description import load_robot
from humanoid_gait.whole_body import WholeBody


@pytest.mark.parametrize("name", ["fibo_km", "nao", "ar601m"])
def test_it_agrees_with_the_description(name: str) -> None:
    robot, random = load_robot(name), np.random.default_rng(1)
    body = WholeBody(robot)
    angles = random.uniform(-0.4, 0.4, robot.dof)
    posture = dict(zip(robot.joint_names, angles, strict=True))
    body.move(angles)
    assert body.com == pytest.approx(robot.com_in_base(posture), abs=1e-12)
    T_base_foot = robot.poses(posture)[robot.parameters.feet["left"].link]
    place, attitude = body.foot("left")
    assert place == pytest.approx(T_base_foot[:3, 3])
    assert attitude == pytest.approx(T_base_foot[:3, :3])


def test_torques_of_a_hanging_robot_are_the_slope_of_its_potential() -> None:
    robot = load_robot("fibo_km")
    body, random, h = WholeBody(robot), np.random.default_rng(2), 1e-6
    angles, up = random.uniform(-0.4, 0.4, robot.dof), np.array([0.1, -0.2, 0.97])
    up /= np.linalg.norm(up)
    body.move(angles)
    torque = body.holding_torque({}, up)
    for joint in range(robot.dof):
        heights = []
        for sign in (1, -1):
            moved = angles.copy()
            moved[joint] += sign * h
            body.move(moved)
            heights.append(body.com @ up)
        assert torque[joint] == pytest.approx(robot.mass * 9.81 * (heights[0] - heights[1]) / (2 * h), abs=1e-6)


def test_on_one_foot_the_ankle_holds_what_is_above_it() -> None:
    robot = load_robot("ar601m")
    body = WholeBody(robot)
    angles = np.array([robot.parameters.stand.get(name, 0.0) for name in robot.joint_names])
    body.move(angles)
    ankle, _ = body.foot("left")
    below = np.array([body.com[0], body.com[1], ankle[2] - 0.1])
    weight = robot.mass * 9.81
    torque = body.holding_torque({"left": (weight, below)}, np.array([0.0, 0.0, 1.0]))
    # Moments about the ankle: the ground's force and the weight of the foot itself.
    foot = robot.inertials[robot.parameters.feet["left"].link]
    lever = below[0] - ankle[0]
    expected = weight * lever - foot.mass * 9.81 * foot.com_in_link[0]
    assert torque[robot.joint_names.index("left_ankle_pitch")] == pytest.approx(expected, abs=1e-9)


def test_the_robots_own_model_keeps_its_gravity() -> None:
    robot = load_robot("nao")
    body = WholeBody(robot)
    body.move(np.zeros(robot.dof))
    body.holding_torque({}, np.array([1.0, 0.0, 0.0]))
    assert robot.kinematics.model.opt.gravity[2] == pytest.approx(-9.81)
    assert isinstance(robot.kinematics.model, mujoco.MjModel)
