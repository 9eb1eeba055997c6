"""What servos lack, made up for."""

from __future__ import annotations

import numpy as np
import pytest

from humanoid_description import load_robot
from humanoid_gait.servo_lead import ServoLead


def test_a_servos_stiffness_and_lag_are_those_of_its_law() -> None:
    robot = load_robot("fibo_km")
    lead, rx28 = ServoLead(robot), robot.parameters.servos["rx28"]
    hip = robot.joint_names.index("left_hip_pitch")
    # Full drive, the stall torque, comes over the slope; the punch is there before.
    assert lead.stiffness[hip] == pytest.approx(rx28.stall_torque * (1 - rx28.punch) / rx28.compliance_slope)
    # A motor that turns freely at its no-load speed must be driven fully.
    drive = lead.stiffness[hip] * lead.lag[hip] * rx28.no_load_speed
    assert drive == pytest.approx(rx28.stall_torque)


def test_the_command_leads_load_and_motion() -> None:
    lead = ServoLead(load_robot("fibo_km"))
    zero, one = np.zeros(20), np.ones(20)
    assert lead.command(zero, zero, one, 1.0, 0.0) == pytest.approx(1 / lead.stiffness)
    assert lead.command(zero, one, zero, 0.0, 0.5) == pytest.approx(0.5 * lead.lag)


def test_a_servo_that_is_told_its_speed_does_not_lag() -> None:
    assert not ServoLead(load_robot("ar601m")).lag.any()
