"""What a walk asks of the servos."""

from __future__ import annotations

import pytest

from humanoid_description import load_robot
from humanoid_gait.feasibility import Demand, demands
from humanoid_gait.gait_parameters import load_gait


def asked(speed: float, payload: tuple[str, ...] = ()) -> dict[str, Demand]:
    robot = load_robot("fibo_km", payload)
    return {demand.joint: demand for demand in demands(robot, load_gait(robot), (speed, 0.0, 0.0), 3.0)}


def test_a_faster_walk_asks_for_more() -> None:
    slow, fast = asked(0.05), asked(0.4)
    for joint in ("left_knee", "right_hip_pitch"):
        assert fast[joint].speed > slow[joint].speed
        assert fast[joint].drive > slow[joint].drive
        assert fast[joint].drive >= fast[joint].speed / fast[joint].speed_limit
    assert slow["head_yaw"].speed == 0.0
    assert slow["head_yaw"].feasible


def test_it_says_which_joints_cannot_follow() -> None:
    fast = asked(0.4)
    assert not fast["left_knee"].feasible
    assert fast["left_shoulder_pitch"].feasible


def test_a_payload_is_carried_by_the_legs() -> None:
    plain, laden = asked(0.05), asked(0.05, ("torso:0.5:0,0,0.1",))
    assert laden["left_knee"].torque > 1.1 * plain["left_knee"].torque


def test_the_paper_concludes_that_ar601m_is_too_weak() -> None:
    robot = load_robot("ar601m")
    weak = {item.joint: item for item in demands(robot, load_gait(robot), (0.2, 0.0, 0.0), 3.0)}
    strong = {item.joint: item for item in demands(robot, load_gait(robot), (0.2, 0.0, 0.0), 3.0, torque_share=5)}
    assert not weak["left_knee"].feasible
    assert strong["left_knee"].torque == pytest.approx(weak["left_knee"].torque)
    assert strong["left_knee"].drive < weak["left_knee"].drive
