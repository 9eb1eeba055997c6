"""Electrical energy of joint motions."""

from __future__ import annotations

import numpy as np
import pytest

from humanoid_description import load_robot
from humanoid_gait.energy import Motion, energy, motor_torque

ROBOT = load_robot("fibo_km")
ARM = ROBOT.joint_names.index("left_shoulder_pitch")


def swing(joint: int, angle: float, seconds: float, samples: int = 801) -> Motion:
    """One joint from zero to an angle and back, the others at zero."""
    time = np.linspace(0, seconds, samples)
    values = [np.zeros((samples, ROBOT.dof)) for _ in range(3)]
    w = 2 * np.pi / seconds
    values[0][:, joint] = 0.5 * angle * (1 - np.cos(w * time))
    values[1][:, joint] = 0.5 * angle * w * np.sin(w * time)
    values[2][:, joint] = 0.5 * angle * w**2 * np.cos(w * time)
    return Motion(time, *values)


def test_at_rest_the_torque_is_that_of_gravity() -> None:
    raised = Motion(np.zeros(1), np.zeros((1, ROBOT.dof)), np.zeros((1, ROBOT.dof)), np.zeros((1, ROBOT.dof)))
    raised.position[0, ARM] = -np.pi / 2
    arm = ["left_shoulder", "left_upper_arm", "left_forearm"]
    poses = ROBOT.poses({"left_shoulder_pitch": -np.pi / 2})
    forward = {link: (poses[link] @ [*ROBOT.inertials[link].com_in_link, 1])[0] for link in arm}  # of the shoulder
    moment = sum(ROBOT.inertials[link].mass * 9.81 * forward[link] for link in arm)
    assert motor_torque(ROBOT, raised)[0, ARM] == pytest.approx(-moment, rel=1e-9)


def test_work_over_a_closed_swing_is_what_friction_takes() -> None:
    motion = swing(ARM, -1.2, 1.0)
    torque = motor_torque(ROBOT, motion)
    total = np.trapezoid(torque * motion.velocity, motion.time, axis=0)
    assert total[ARM] == pytest.approx(0.05 * 2 * 1.2, rel=1e-3)  # Coulomb friction times the way
    others = np.delete(total, ARM)
    np.testing.assert_allclose(others, 0, atol=1e-9)  # they only hold


def test_a_payload_needs_more() -> None:
    motion = swing(ARM, -1.2, 1.0)
    loaded = ROBOT.with_payloads(["left_forearm:0.2:0,0,-0.03"])
    plain, heavy = (
        energy(robot, motion.time, motor_torque(robot, motion), motion.velocity) for robot in (ROBOT, loaded)
    )
    assert heavy.electrical[ARM] > 1.5 * plain.electrical[ARM]


def test_power_follows_the_motor_s_line() -> None:
    rx28 = ROBOT.parameters.servos["rx28"]
    time, shape = np.linspace(0, 2, 11), (11, ROBOT.dof)
    torque, speed = np.zeros(shape), np.zeros(shape)
    torque[:, 0] = rx28.stall_torque  # stalled: all power is heat, as much as full voltage gives
    torque[:, 1], speed[:, 1] = -1.0, 2.0  # braking hard enough to heat
    torque[:, 2], speed[:, 2] = -0.1, 4.0  # braking that would give back
    found = energy(ROBOT, time, torque, speed)
    assert found.heat[0] == pytest.approx(2 * rx28.stall_torque * rx28.no_load_speed)
    assert found.work[0] == 0
    slope = rx28.no_load_speed / rx28.stall_torque
    assert found.electrical[1] == pytest.approx(2 * (slope - 2.0))
    assert found.electrical[2] == 0
    assert found.total == pytest.approx(found.electrical.sum())
