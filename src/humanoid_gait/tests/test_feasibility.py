"""What a walk asks of the servos."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from humanoid_description import RobotError, load_robot
from humanoid_description.inertial import GRAVITY
from humanoid_gait.feasibility import Demand, demands, holding_torque, planned_walk
from humanoid_gait.gait_parameters import load_gait
from humanoid_gait.leg_placer import LegPlacer
from humanoid_gait.primitives import JointReference
from humanoid_gait.walker import Walker


def asked(speed: float, payload: tuple[str, ...] = ()) -> dict[str, Demand]:
    robot = load_robot("fibo_km", payload)
    plan = planned_walk(robot, load_gait(robot), (speed, 0.0, 0.0), 3.0)
    return {demand.joint: demand for demand in demands(robot, *plan)}


def test_a_faster_walk_asks_for_more() -> None:
    slow, fast = asked(0.05), asked(0.4)
    for joint in ("left_knee", "right_hip_pitch"):
        assert fast[joint].speed > slow[joint].speed
        assert fast[joint].drive > slow[joint].drive
        assert fast[joint].torque > slow[joint].torque  # the swing costs
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
    plan = planned_walk(robot, load_gait(robot), (0.2, 0.0, 0.0), 3.0)
    weak = {item.joint: item for item in demands(robot, *plan)}
    strong = {item.joint: item for item in demands(robot, *plan, torque_share=5)}
    assert not weak["left_knee"].feasible
    assert strong["left_knee"].torque == pytest.approx(weak["left_knee"].torque)
    assert strong["left_knee"].drive < weak["left_knee"].drive


def test_a_turning_nao_leaves_the_range_of_its_hips() -> None:
    robot = load_robot("nao")
    gait = dataclasses.replace(load_gait(robot), max_turn=0.6)
    plan = planned_walk(robot, gait, (0.0, 0.0, 0.6), 1.5)
    found = {item.joint: item for item in demands(robot, *plan)}
    assert found["left_hip_yaw_pitch"].beyond_range > 0.1
    assert not found["left_hip_yaw_pitch"].feasible
    assert found["left_knee"].beyond_range == 0.0


def test_a_plan_beyond_reach_or_shorter_than_a_step_is_refused() -> None:
    robot = load_robot("fibo_km")
    gait = load_gait(robot)
    with pytest.raises(RobotError, match=r"gait.yaml: hip_height 2 m"):
        planned_walk(robot, dataclasses.replace(gait, hip_height=2.0), (0.1, 0.0, 0.0), 2.0)
    high = next(height for height in np.arange(gait.hip_height, 1.0, 0.002) if not _stands(height + 0.002))
    with pytest.raises(RobotError, match=r"beyond its leg's reach. Lower hip_height in gait.yaml"):
        planned_walk(robot, dataclasses.replace(gait, hip_height=float(high)), (gait.max_forward, 0.0, 0.0), 3.0)
    with pytest.raises(RobotError, match=r"--seconds is 0\.02"):
        planned_walk(robot, gait, (0.1, 0.0, 0.0), 0.02)


def _stands(hip_height: float) -> bool:
    robot = load_robot("fibo_km")
    try:
        Walker(robot, dataclasses.replace(load_gait(robot), hip_height=float(hip_height)))
    except RobotError:
        return False
    return True


def test_a_posture_is_held_by_the_foot_below() -> None:
    robot = load_robot("fibo_km")
    gait = load_gait(robot)
    both = LegPlacer(robot, gait.hip_height, 0.0).standing(gait.stance)
    left_knee, right_knee = (robot.joint_names.index(f"{side}_knee") for side in ("left", "right"))
    lifted = both.copy()
    lifted[right_knee] += 0.3 * np.sign(both[right_knee])
    held = holding_torque(robot, np.array([both, lifted]))
    assert held[0, left_knee] == pytest.approx(held[0, right_knee], rel=0.02)
    assert abs(held[1, left_knee]) > 1.8 * abs(held[0, left_knee])  # now all of the weight
    assert abs(held[1, right_knee]) < 0.3 * abs(held[0, right_knee])
    roll = robot.joint_names.index("left_ankle_roll")
    inner = robot.parameters.feet["left"].right
    assert abs(held[1, roll]) == pytest.approx(robot.mass * GRAVITY * inner, rel=0.05)  # pressed at its inner edge


def test_moving_costs_torque_and_the_servos_own_limit_of_speed_counts() -> None:
    robot = load_robot("fibo_km")
    servo = next(iter(robot.parameters.servos))
    slow = dataclasses.replace(robot.parameters.servos[servo], max_speed=1.0)
    parameters = dataclasses.replace(robot.parameters, servos={**robot.parameters.servos, servo: slow})
    limited = dataclasses.replace(robot, parameters=parameters)
    time = np.arange(0.0, 1.0, 0.01)
    swing = np.zeros((len(time), robot.dof))
    column = robot.joint_names.index("left_shoulder_pitch")
    assert robot.parameters.joints["left_shoulder_pitch"].servo == servo
    swing[:, column] = 0.5 * np.sin(4 * time)
    reference = JointReference(0.01, swing, np.gradient(swing, 0.01, axis=0), True)
    still = JointReference(0.01, swing, np.zeros_like(swing), True)
    free, bound, rest = (
        demands(one, way, np.zeros_like(swing))[column]
        for one, way in ((robot, reference), (limited, reference), (robot, still))
    )
    assert free.torque > rest.torque == 0.0
    assert free.feasible
    assert bound.speed_limit == 1.0
    assert not bound.feasible
