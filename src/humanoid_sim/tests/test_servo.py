"""Servo laws."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from humanoid_description.parameters import Servo
from humanoid_sim.servo import REFERENCE, REFERENCE_SPEED, STATE_SIZE, servo_torque, servo_vector

PD = Servo("test", 3.0, 6.0, "pd", stiffness=20.0, damping=0.5)
RX = Servo("RX-28", 3.42, 7.7, "dynamixel_rx", compliance_margin=0.005, compliance_slope=0.16, punch=0.03)
MX = Servo("MX-28", 2.5, 5.7, "dynamixel_pid", gain_p=4.0, gain_i=1.0, gain_d=0.01)
angle = st.floats(-1, 1)
speed = st.floats(-5, 5)


def torque(
    servo: Servo, q: float, v: float, target: float, target_speed: float = 0.0, **options: Any
) -> tuple[float, ...]:
    return servo_torque(
        servo_vector(servo, **options)[None, :], np.zeros((1, STATE_SIZE)), 0, q, v, target, target_speed, 1e-3
    )


@given(angle, speed, angle, speed)
def test_pd_is_spring_and_damper_within_its_limit(q: float, v: float, target: float, target_speed: float) -> None:
    expected = np.clip(20 * (target - q) + 0.5 * (target_speed - v), -3, 3)
    assert torque(PD, q, v, target, target_speed)[0] == pytest.approx(expected)


@given(angle, angle)
def test_rx_grows_from_punch_to_full_over_its_slope(q: float, target: float) -> None:
    error = target - q
    beyond = abs(error) - 0.005
    share = 0.0 if beyond <= 0 else min(0.03 + 0.97 * beyond / 0.16, 1.0)
    assert torque(RX, q, 0.0, target)[0] == pytest.approx(math.copysign(3.42 * share, error), abs=1e-12)


def test_a_driven_motor_follows_its_torque_speed_line() -> None:
    assert torque(RX, 0.0, 0.0, 1.0)[0] == pytest.approx(3.42)
    assert torque(RX, 0.0, 7.7 / 2, 1.0)[0] == pytest.approx(3.42 / 2)
    assert torque(RX, 0.0, 7.7, 1.0)[0] == pytest.approx(0.0, abs=1e-12)
    assert torque(RX, 0.0, 0.0, 1.0, voltage_share=0.5)[0] == pytest.approx(3.42 / 2)
    assert torque(RX, 0.0, 7.7 / 2, 1.0, voltage_share=0.5)[0] == pytest.approx(0.0, abs=1e-12)


@given(angle, speed, angle)
def test_the_reported_slopes_are_those_of_the_torque(q: float, v: float, target: float) -> None:
    for servo in (PD, MX):
        value, stiffness, damping, friction = torque(servo, q, v, target, torque_share=math.inf)
        faster = torque(servo, q, v + 1e-6, target, torque_share=math.inf)[0]
        if servo is PD:
            further = torque(servo, q + 1e-6, v, target, torque_share=math.inf)[0]
            assert further - value == pytest.approx(-stiffness * 1e-6, rel=1e-3, abs=1e-9)
            assert faster - value == pytest.approx(-(damping + friction) * 1e-6, rel=1e-3, abs=1e-9)
        else:
            assert faster <= value


def test_pid_integrates_while_the_drive_is_not_full() -> None:
    state = np.zeros((1, STATE_SIZE))
    parameters = servo_vector(MX)[None, :]
    first, *_ = servo_torque(parameters, state, 0, 0.0, 0.0, 0.1, 0.0, 0.1)
    second, *_ = servo_torque(parameters, state, 0, 0.0, 0.0, 0.1, 0.0, 0.1)
    assert (first, second) == (pytest.approx(2.5 * 0.4), pytest.approx(2.5 * 0.41))
    for _ in range(100):
        servo_torque(parameters, state, 0, 0.0, 0.0, 5.0, 0.0, 0.1)
    assert state[0, 2] == pytest.approx(0.02)


def test_counts_friction_and_limit() -> None:
    counted = dataclasses.replace(PD, resolution=0.1)
    assert torque(counted, 0.04, 0.0, 0.1)[0] == pytest.approx(2.0)
    rubbing = dataclasses.replace(PD, coulomb_friction=0.2, viscous_friction=0.1)
    assert torque(rubbing, 0.0, 1.0, 0.0)[0] == pytest.approx(-0.5 - 0.2 - 0.1)
    assert torque(rubbing, 0.0, 0.0, 0.0)[0] == 0.0
    assert torque(PD, 0.0, 0.0, 1.0, torque_share=0.5)[0] == 1.5


def test_backlash_passes_torque_on_only_when_the_gap_is_closed() -> None:
    loose = servo_vector(dataclasses.replace(RX, backlash=0.01))[None, :]
    state = np.zeros((1, STATE_SIZE))
    passed = [servo_torque(loose, state, 0, 0.0, 0.0, 1.0, 0.0, 1e-4)[0] for _ in range(20)]
    crossing = math.ceil(0.005 / (7.7 * 1e-4))
    assert passed[: crossing - 1] == [0.0] * (crossing - 1)
    assert passed[crossing:] == pytest.approx([3.42] * (20 - crossing))


def step_response(servo: Servo, target: float, seconds: float, dt: float) -> NDArray[np.float64]:
    parameters, state = servo_vector(servo)[None, :], np.zeros((1, STATE_SIZE))
    track = []
    for _ in range(round(seconds / dt)):
        servo_torque(parameters, state, 0, 0.0, 0.0, target, 0.0, dt)
        track.append((state[0, REFERENCE], state[0, REFERENCE_SPEED]))
    return np.array(track)


def test_the_step_of_seed_001_figure_2() -> None:
    """0 to 50 degrees: 281 deg/s and 1400 deg/s^2 at most, both reached, and no overshoot."""
    limited = dataclasses.replace(PD, max_speed=math.radians(281), max_acceleration=math.radians(1400))
    dt = 1e-3
    track = np.degrees(step_response(limited, math.radians(50), 0.6, dt))
    acceleration = np.diff(track[:, 1]) / dt
    # 50 degrees leave just not enough room: full speed would take 281^2 / 1400 = 56.4 degrees.
    assert track[:, 1].max() == pytest.approx(math.sqrt(1400 * 50), rel=0.02)
    assert acceleration.max() == pytest.approx(1400, rel=1e-6)
    assert track[:, 0].max() <= 50 + 1e-9
    assert track[-1, 0] == pytest.approx(50, abs=0.01)
    far = np.degrees(step_response(limited, math.radians(120), 1.0, dt))
    assert far[:, 1].max() == pytest.approx(281, rel=1e-9)
