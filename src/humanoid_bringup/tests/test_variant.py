"""Robots with other servos and grounds."""

from __future__ import annotations

import dataclasses

from humanoid_bringup.reproduce.variant import with_ground, with_servos
from humanoid_description import load_robot

ROBOT = load_robot("fibo_km")


def test_only_the_servos_of_the_named_joints_change() -> None:
    changed = with_servos(
        ROBOT, ["head_yaw", "left_knee"], lambda servo: dataclasses.replace(servo, stall_torque=servo.stall_torque / 2)
    )
    for name in ROBOT.joint_names:
        old, new = (robot.parameters.servos[robot.parameters.joints[name].servo] for robot in (ROBOT, changed))
        share = 0.5 if name in ("head_yaw", "left_knee") else 1.0
        assert new == dataclasses.replace(old, stall_torque=share * old.stall_torque)
    assert changed.joint_names == ROBOT.joint_names


def test_the_ground_changes_by_factors() -> None:
    old = ROBOT.parameters.contact
    new = with_ground(ROBOT, tangential_damping=2, friction=0.5).parameters.contact
    assert new == dataclasses.replace(old, tangential_damping=2 * old.tangential_damping, friction=0.5 * old.friction)
