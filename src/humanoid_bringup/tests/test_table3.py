"""Seed 003, Table 3."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path

import pytest

from humanoid_bringup.reproduce import table3
from humanoid_bringup.reproduce.variant import with_servos
from humanoid_description import load_robot


def test_the_motors_are_too_weak_and_five_times_as_strong_ones_are_enough(tmp_path: Path) -> None:
    reproduction = table3.reproduce(print, rows=[9])
    answer = reproduction.as_dict()
    assert reproduction.agreed
    assert set(answer["patterns"].values()) == {"F"}
    assert 1 < answer["needed_torque_share"][9] <= 5
    rows = {row["what"]: row for row in answer["rows"]}
    assert rows["ankle torque in row 1"]["beyond"] == ["right_ankle_pitch", "right_ankle_roll"]
    assert rows["knee acceleration in row 1"]["beyond"] == ["left_knee", "right_knee"]
    reproduction.save_figure(tmp_path / "table3.png")


def test_the_robot_has_the_limits_of_the_table() -> None:
    for kind, servo in load_robot("ar601m").parameters.servos.items():
        assert servo.max_acceleration is not None
        assert (servo.stall_torque, math.degrees(servo.max_acceleration)) == pytest.approx(table3.TABLE_3[kind])


def test_strong_motors_would_change_the_verdict() -> None:
    robot = load_robot("ar601m")
    strong = with_servos(
        robot, robot.joint_names, lambda servo: dataclasses.replace(servo, stall_torque=8 * servo.stall_torque)
    )
    reproduction = table3.reproduce(print, strong, rows=[1])
    assert not reproduction.agreed
    assert reproduction.as_dict()["patterns"]["torque limits"] == "S"
