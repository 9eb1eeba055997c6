"""Feet against the torso's tilt."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from humanoid_description import load_robot
from humanoid_gait.dcm import natural_frequency
from humanoid_gait.flat_landing import LETTING_GO, USUAL, FlatLanding
from humanoid_gait.gait_parameters import load_gait
from humanoid_gait.leg_placer import LegPlacer
from humanoid_gait.pattern import OTHER, SIDES, WALKING, Planned, WalkPattern

DT = 0.01
ROBOT = load_robot("fibo_km")
GAIT = load_gait(ROBOT)
PLACER = LegPlacer(ROBOT, GAIT.hip_height, GAIT.torso_pitch)
TORSO = PLACER.R_level_torso


def mid_swing(turn: float = 0.0) -> Planned:
    """A walking robot with one foot in the air."""
    pattern = WalkPattern(GAIT, natural_frequency(PLACER.com_height(GAIT.stance)), np.array([0.012, 0.009]))
    pattern.wanted = np.array([0.2, 0.0, turn])
    planned = pattern.tick(DT)
    for _ in range(170):
        planned = pattern.tick(DT)
    while planned.phase != WALKING or not 0.4 < planned.remaining / GAIT.step_time < 0.6:
        planned = pattern.tick(DT)
    return planned


def tilted(roll: float, pitch: float) -> np.ndarray:
    return np.asarray(Rotation.from_rotvec([roll, pitch, 0.0]).as_matrix()) @ TORSO


@pytest.mark.parametrize(
    ("roll", "pitch", "catching"), [(0.0, 0.3, False), (0.2, 0.0, False), (-0.2, 0.25, False), (0.1, -0.3, True)]
)
def test_in_a_robot_that_tilts_by_so_much_the_foot_is_where_it_was_planned(
    roll: float, pitch: float, catching: bool
) -> None:
    planned = mid_swing(turn=0.5)
    R_plan_tilted = FlatLanding(TORSO).update(planned, tilted(roll, pitch), DT, catching)
    swing = OTHER[planned.support]
    zmp_in_foot = np.array([GAIT.zmp_forward, -GAIT.zmp_inward])
    for _ in range(20):
        placed = PLACER.place(planned, zmp_in_foot, R_plan_tilted)
    assert placed.reachable
    foot = ROBOT.parameters.feet[swing]
    T_base_foot = ROBOT.poses(dict(zip(ROBOT.joint_names, placed.position.tolist(), strict=True)))[foot.link]
    pivot = np.array([*planned.feet[planned.support][:2], 0.0])
    ankle = placed.base + placed.R_plan_base @ T_base_foot[:3, 3]
    x, y, yaw = planned.feet[swing]
    assert pivot + R_plan_tilted[swing] @ (ankle - pivot) == pytest.approx(
        [x, y, foot.depth + planned.heights[swing]], abs=1e-6
    )
    R_plan_foot = R_plan_tilted[swing] @ placed.R_plan_base @ T_base_foot[:3, :3]
    assert R_plan_foot == pytest.approx(Rotation.from_euler("z", yaw).as_matrix(), abs=1e-6)
    turned = Rotation.from_matrix(R_plan_tilted[swing]).magnitude()
    assert turned == pytest.approx(np.hypot(roll, pitch) - USUAL, abs=1e-9)


@pytest.mark.parametrize(("roll", "pitch"), [(0.0, 0.0), (0.05, 0.05), (0.0, -0.4)])
def test_what_is_usual_or_backward_turns_nothing(roll: float, pitch: float) -> None:
    tilts = FlatLanding(TORSO).update(mid_swing(), tilted(roll, pitch), DT, catching=False)
    for side in SIDES:
        assert tilts[side] == pytest.approx(np.eye(3), abs=1e-12)


def test_a_foot_that_carries_goes_back_to_its_planned_attitude() -> None:
    landing, planned = FlatLanding(TORSO), mid_swing()
    swing = OTHER[planned.support]
    before = Rotation.from_matrix(landing.update(planned, tilted(0.0, 0.3), DT, catching=False)[swing]).magnitude()
    landed = Planned(**{**vars(planned), "load": {planned.support: 0.0, swing: 1.0}})
    for _ in range(round(LETTING_GO / DT)):
        after = landing.update(landed, TORSO, DT, catching=False)
    assert Rotation.from_matrix(after[swing]).magnitude() == pytest.approx(before / np.e, rel=1e-6)
