"""Leg inverse kinematics against MuJoCo's forward kinematics."""

from __future__ import annotations

import shutil
from pathlib import Path

import mujoco
import numpy as np
import pytest

from humanoid_description import Robot, RobotError, load_robot, robot_names
from humanoid_gait.leg_ik import Array, Leg, exceeded, leg_of, solve, solve_within

ROBOTS = {name: load_robot(name) for name in robot_names()}
SIDES = ("left", "right")


def feet(robot: Robot, angles: dict[str, Array]) -> dict[str, tuple[Array, Array]]:
    """Where MuJoCo sees the ankles and the feet's attitudes, for angles of both legs."""
    model = robot.kinematics.model
    data = mujoco.MjData(model)
    legs = {side: leg_of(robot, side) for side in SIDES}
    address = [model.joint(name).qposadr[0] for side in SIDES for name in legs[side].joint_names]
    bodies = [model.body(robot.parameters.feet[side].link).id for side in SIDES]
    table = np.concatenate([angles[side] for side in SIDES], axis=1)
    places, attitudes = np.empty((len(table), 2, 3)), np.empty((len(table), 2, 3, 3))
    for sample, row in enumerate(table):
        data.qpos[address] = row
        mujoco.mj_kinematics(model, data)
        places[sample] = data.xpos[bodies]
        attitudes[sample] = data.xmat[bodies].reshape(2, 3, 3)
    return {side: (places[:, index], attitudes[:, index]) for index, side in enumerate(SIDES)}


@pytest.mark.parametrize("name", robot_names())
def test_the_angles_found_give_the_pose_asked_for(name: str) -> None:
    robot, random = ROBOTS[name], np.random.default_rng(0)
    legs = {side: leg_of(robot, side) for side in SIDES}
    made = {side: random.uniform(leg.lower, leg.upper, (50_000, leg.lower.size)) for side, leg in legs.items()}
    asked = feet(robot, made)
    found = {}
    for side, leg in legs.items():
        found[side], reachable = solve(leg, *asked[side])
        assert reachable.all()
        # FIBO-KM's knee can bend 5 degrees backward; the solution then is the forward bend, a different set of angles.
        forward = leg.signs[-3 if leg.lower.size == 6 else 1] * made[side][:, -3 if leg.lower.size == 6 else 1] > 1e-3
        np.testing.assert_allclose(found[side][forward], made[side][forward], atol=1e-9)
        assert not exceeded(leg, found[side][forward]).any()
    for side, (place, attitude) in feet(robot, found).items():
        np.testing.assert_allclose(place, asked[side][0], atol=1e-9)
        np.testing.assert_allclose(attitude, asked[side][1], atol=1e-9)


@pytest.mark.parametrize("name", ["nao", "fibo_km"])
def test_many_poses_at_once_are_the_same_as_one_by_one(name: str) -> None:
    leg = leg_of(ROBOTS[name], "left")
    random = np.random.default_rng(0)
    places = leg.hip_in_base + np.array([0, 0, -0.18]) + random.normal(0, 0.02, (5, 10, 3))
    together, reachable = solve(leg, places, np.eye(3))
    assert together.shape == (5, 10, 6)
    assert reachable.shape == (5, 10)
    apart = [[solve(leg, place, np.eye(3))[0] for place in row] for row in places]
    np.testing.assert_allclose(together, apart, atol=1e-14)


@pytest.mark.parametrize("name", robot_names())
@pytest.mark.parametrize("distance", [1.5, 0.0])
def test_a_place_out_of_reach_gives_the_nearest(name: str, distance: float) -> None:
    robot = ROBOTS[name]
    leg = leg_of(robot, "left")
    sideways = 0.0 if leg.lower.size == 3 else 0.05
    toward = np.array([0.1, sideways, -0.5]) / np.linalg.norm([0.1, sideways, -0.5])
    shortest = abs(leg.thigh - leg.shank)
    asked = leg.hip_in_base + toward * (distance * (leg.thigh + leg.shank) + 0.5 * shortest)
    angles, reachable = solve(leg, asked, np.eye(3))
    assert reachable == (shortest < 1e-9 and distance == 0.0)
    pose = robot.poses(dict(zip(leg.joint_names, angles, strict=True)))["left_foot"]
    nearest = leg.hip_in_base + toward * (leg.thigh + leg.shank if distance else shortest)
    np.testing.assert_allclose(pose[:3, 3], nearest, atol=1e-8)
    np.testing.assert_allclose(pose[:3, :3], np.eye(3), atol=1e-9)


def test_a_planar_leg_says_what_is_beside_its_plane() -> None:
    leg = leg_of(ROBOTS["ar601m_planar"], "right")
    down = np.array([0.05, 0, -0.5])
    for beside, turned, within in ((0.0, 0.0, True), (0.01, 0.0, False), (0.0, 0.1, False)):
        c, s = np.cos(turned), np.sin(turned)
        attitude = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])
        angles, reachable = solve(leg, leg.hip_in_base + down + np.array([0, beside, 0]), attitude)
        assert reachable == within
        assert angles.shape == (3,)
        assert angles.sum() == pytest.approx(0, abs=0.1)


def test_exceeded_names_the_angles_out_of_range() -> None:
    leg = leg_of(ROBOTS["nao"], "right")
    angles = np.stack([leg.lower, leg.upper, leg.upper + 0.01, 0.5 * (leg.lower + leg.upper)])
    angles[3, 4] = leg.lower[4] - 0.01
    expected = np.array([[False] * 6, [False] * 6, [True] * 6, [False, False, False, False, True, False]])
    np.testing.assert_array_equal(exceeded(leg, angles), expected)


def test_solve_within_refuses_what_solve_marks() -> None:
    leg: Leg = leg_of(ROBOTS["fibo_km"], "left")
    below = leg.hip_in_base + np.array([0, 0, -0.2])
    np.testing.assert_array_equal(solve_within(leg, below, np.eye(3)), solve(leg, below, np.eye(3))[0])
    with pytest.raises(RobotError, match=r"1 of 1 poses are out of reach, which ends 0\.249 m from the hip"):
        solve_within(leg, leg.hip_in_base + np.array([0, 0, -0.3]), np.eye(3))
    with pytest.raises(RobotError, match="left_hip_pitch, left_ankle_pitch would leave the range"):
        solve_within(leg, leg.hip_in_base + np.array([-0.2, 0, -0.03]), np.eye(3))


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('hip_pitch" axis="0 1 0"', 'hip_pitch" axis="0 1 0" xyz="0.02 0 0"', "axis of left_hip_yaw beside the others"),
        ('joint="${side}_knee" axis="0 1 0"', 'joint="${side}_knee" axis="1 0 0"', "turns left_knee about"),
    ],
)
def test_a_leg_without_closed_form_is_refused(tmp_path: Path, old: str, new: str, problem: str) -> None:
    folder = shutil.copytree(ROBOTS["fibo_km"].folder, tmp_path / "odd")
    xacro = folder / "robot.urdf.xacro"
    assert old in xacro.read_text()
    xacro.write_text(xacro.read_text().replace(old, new))
    with pytest.raises(RobotError, match=problem):
        leg_of(load_robot(folder), "left")
