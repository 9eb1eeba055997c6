"""Poses, centre of mass and height."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from humanoid_description import Robot, RobotError, robot_names
from humanoid_description.kinematics import vertical_extent
from humanoid_description.urdf import Shape, pose


def random_posture(robot: Robot, random: np.random.Generator) -> dict[str, float]:
    return {joint: random.uniform(limits.lower, limits.upper) for joint, limits in robot.parameters.joints.items()}


def poses_by_hand(robot: Robot, posture: dict[str, float]) -> dict[str, NDArray[np.float64]]:
    """Poses by chaining the URDF's joints, independent of MuJoCo's tree."""
    poses = {robot.base_model.root: np.eye(4)}
    while len(poses) < len(robot.inertials):
        for urdf in robot.base_model.joints.values():
            if urdf.parent in poses and urdf.child not in poses:
                turn = np.eye(4)
                if urdf.kind == "revolute":
                    axis = np.array(urdf.axis) / np.linalg.norm(urdf.axis)
                    cross = np.cross(np.eye(3), axis)
                    q = posture.get(urdf.name, 0.0)
                    turn[:3, :3] = np.eye(3) + np.sin(q) * cross + (1 - np.cos(q)) * cross @ cross
                poses[urdf.child] = poses[urdf.parent] @ pose(*urdf.origin) @ turn
    return poses


@settings(max_examples=20)
@given(seed=st.integers(0, 2**32), name=st.sampled_from(robot_names()))
def test_poses_and_com_follow_from_the_urdf(robots: dict[str, Robot], seed: int, name: str) -> None:
    robot = robots[name]
    posture = random_posture(robot, np.random.default_rng(seed))
    expected = poses_by_hand(robot, posture)
    poses = robot.poses(posture)
    for link, T_base_link in poses.items():
        np.testing.assert_allclose(T_base_link, expected[link], atol=1e-9)
    moments = [
        robot.inertials[link].mass * (T_base_link @ [*robot.inertials[link].com_in_link, 1])[:3]
        for link, T_base_link in poses.items()
    ]
    np.testing.assert_allclose(robot.com_in_base(posture), np.sum(moments, axis=0) / robot.mass, atol=1e-12)


def test_an_unknown_joint_and_a_nan_are_refused(robots: dict[str, Robot]) -> None:
    with pytest.raises(RobotError, match="Did you mean 'left_knee'"):
        robots["nao"].com_in_base({"left_kne": 0.1})
    with pytest.raises(RobotError, match="finite number"):
        robots["nao"].com_in_base({"left_knee": float("nan")})


@given(st.tuples(*[st.floats(-1, 1)] * 4).filter(lambda q: np.linalg.norm(q) > 0.1))
def test_reach_of_primitives_agrees_with_their_corners(quaternion: tuple[float, ...]) -> None:
    rotation = np.zeros(9)
    mujoco.mju_quat2Mat(rotation, np.array(quaternion) / np.linalg.norm(quaternion))
    turned = np.eye(4)
    turned[:3, :3] = rotation.reshape(3, 3)
    turns = np.linspace(0, 2 * np.pi, 721)
    rim = np.array([[0.2 * np.cos(t), 0.2 * np.sin(t), z] for t in turns for z in (-0.3, 0.3)])
    box = np.array([[x, y, z] for x in (-0.1, 0.1) for y in (-0.2, 0.2) for z in (-0.3, 0.3)])
    cases = {("box", (0.2, 0.4, 0.6)): box, ("cylinder", (0.2, 0.6)): rim, ("sphere", (0.2,)): np.array([[0, 0, 0.2]])}
    for (kind, size), points in cases.items():
        highest = (points @ turned[:3, :3].T)[:, 2].max() if kind != "sphere" else 0.2
        low, high = vertical_extent({"a": turned}, {"a": (Shape(kind, size, np.eye(4)),)})
        assert high == pytest.approx(highest, abs=1e-4)
        assert low == pytest.approx(-high)
