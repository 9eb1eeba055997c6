"""Leg inverse kinematics against MuJoCo's forward kinematics."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from humanoid_description import Robot, RobotError, load_robot
from humanoid_gait.leg_ik import leg_of, solve

ROBOTS = {name: load_robot(name) for name in ("ar601m", "fibo_km", "ar601m_planar")}


@settings(max_examples=50)
@given(
    st.sampled_from(["ar601m", "fibo_km"]),
    st.sampled_from(["left", "right"]),
    st.tuples(*[st.floats(-0.5, 0.5)] * 3),
    st.floats(0.1, 1.8),
    st.tuples(*[st.floats(-0.5, 0.5)] * 2),
)
def test_it_finds_the_angles_that_made_the_pose(
    name: str, side: str, hip: tuple[float, ...], knee: float, ankle: tuple[float, ...]
) -> None:
    robot: Robot = ROBOTS[name]
    leg = leg_of(robot, side)
    angles = np.array([*hip, knee, *ankle])
    pose = robot.poses(dict(zip(leg.joint_names, angles, strict=True)))[f"{side}_foot"]
    found, reachable = solve(leg, pose[:3, 3], pose[:3, :3])
    assert reachable
    np.testing.assert_allclose(found, angles, atol=1e-9)


def test_many_poses_at_once_are_the_same_as_one_by_one() -> None:
    leg = leg_of(ROBOTS["fibo_km"], "left")
    random = np.random.default_rng(0)
    places = leg.hip_in_base + np.array([0, 0, -0.2]) + random.normal(0, 0.02, (50, 3))
    attitudes = np.broadcast_to(np.eye(3), (50, 3, 3))
    together, _ = solve(leg, places, attitudes)
    apart = [solve(leg, place, np.eye(3))[0] for place in places]
    np.testing.assert_allclose(together, apart, atol=1e-14)


def test_a_place_out_of_reach_gives_the_leg_that_points_there() -> None:
    robot = ROBOTS["fibo_km"]
    leg = leg_of(robot, "left")
    angles, reachable = solve(leg, leg.hip_in_base + np.array([0.1, 0, -0.5]), np.eye(3))
    assert not reachable
    assert angles[3] == 0.0
    ankle = robot.poses(dict(zip(leg.joint_names, angles, strict=True)))["left_foot"][:3, 3] - leg.hip_in_base
    np.testing.assert_allclose(ankle / np.linalg.norm(ankle), np.array([0.1, 0, -0.5]) / np.hypot(0.1, 0.5), atol=1e-9)


def test_a_planar_leg_has_three_angles() -> None:
    leg = leg_of(ROBOTS["ar601m_planar"], "right")
    angles, reachable = solve(leg, leg.hip_in_base + np.array([0.05, 0, -0.5]), np.eye(3))
    assert reachable
    assert angles.shape == (3,)
    assert angles.sum() == pytest.approx(0)


def test_a_leg_without_closed_form_is_refused() -> None:
    with pytest.raises(RobotError, match="closed form"):
        leg_of(load_robot("nao"), "left")
