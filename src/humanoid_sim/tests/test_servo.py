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
from humanoid_sim.servo import (
    MAX_ACCELERATION,
    MAX_SPEED,
    REFERENCE,
    REFERENCE_SPEED,
    STATE_SIZE,
    STICTION_SPEED,
    follow_reference,
    servo_torque,
    servo_vector,
)

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


@dataclasses.dataclass
class PlainServo:
    """All laws in plain Python, written from what servo.py says of them: what the compiled ones must agree with."""

    servo: Servo
    voltage_share: float
    torque_share: float
    reference: float = 0.0
    reference_speed: float = 0.0
    integral: float = 0.0
    gap: float = 0.0

    def torque(self, q: float, v: float, target: float, target_speed: float, dt: float) -> float:
        servo = self.servo
        stall, no_load = servo.stall_torque * self.voltage_share, servo.no_load_speed * self.voltage_share
        self._follow(target, target_speed, dt)
        counted = round(q / servo.resolution) * servo.resolution if servo.resolution else q
        error = self.reference - counted
        if servo.law == "pd":
            given = servo.stiffness * error + servo.damping * (self.reference_speed - v)
            drive = math.copysign(1.0, given)
        else:
            drive = self._rx(error) if servo.law == "dynamixel_rx" else self._pid(error, v, dt)
            given = drive * stall - v * stall / no_load
        if servo.backlash:
            half = servo.backlash / 2
            self.gap = float(np.clip(self.gap + (drive * no_load - v) * dt, -half, half))
            if self.gap * math.copysign(1.0, given) < half:
                given = 0.0
        limit = self.torque_share * stall
        rubbing = servo.viscous_friction * v + servo.coulomb_friction * float(np.clip(v / STICTION_SPEED, -1, 1))
        return float(np.clip(given, -limit, limit)) - rubbing

    def _follow(self, target: float, target_speed: float, dt: float) -> None:
        fastest, strongest = self.servo.max_speed, self.servo.max_acceleration
        if fastest is None:
            self.reference, self.reference_speed = target, target_speed
            return
        way, speed = target - self.reference, fastest
        if strongest is None:
            speed = min(fastest, abs(way) / dt)
        else:  # v dt + v^2 / (2 a) = way: what is left after this step is just enough to brake
            speed = min(fastest, math.sqrt((strongest * dt) ** 2 + 2 * strongest * abs(way)) - strongest * dt)
        change = math.copysign(speed, way) - self.reference_speed
        if strongest is not None:
            change = float(np.clip(change, -strongest * dt, strongest * dt))
        self.reference_speed += change
        self.reference += self.reference_speed * dt

    def _rx(self, error: float) -> float:
        beyond = abs(error) - self.servo.compliance_margin
        share = self.servo.punch + (1 - self.servo.punch) * beyond / self.servo.compliance_slope
        return math.copysign(min(share, 1.0), error) if beyond > 0 else 0.0

    def _pid(self, error: float, v: float, dt: float) -> float:
        share = self.servo.gain_p * error + self.integral - self.servo.gain_d * v
        if -1 < share < 1:
            self.integral += self.servo.gain_i * error * dt
        return float(np.clip(share, -1, 1))


@st.composite
def servos(draw: st.DrawFn) -> Servo:
    """Servos of every law, with and without everything that a servo may have."""

    def some(low: float, high: float) -> float:
        return draw(st.one_of(st.just(0.0), st.floats(low, high)))

    return dataclasses.replace(
        draw(st.sampled_from([PD, dataclasses.replace(PD, damping=0.0), RX, MX])),
        resolution=some(1e-3, 0.1) or None,
        max_speed=some(0.5, 10) or None,
        max_acceleration=some(1, 200) or None,
        coulomb_friction=some(0.01, 0.5),
        viscous_friction=some(0.01, 0.5),
        backlash=some(1e-3, 0.05),
    )


@given(
    servos(),
    st.floats(0.3, 1.2),
    st.floats(0.1, 2),
    st.sampled_from([1e-4, 1e-3, 1e-2]),
    st.lists(st.tuples(angle, speed, angle, speed), min_size=1, max_size=20),
)
def test_compiled_and_plain_agree(
    servo: Servo, voltage: float, limit: float, dt: float, track: list[tuple[float, float, float, float]]
) -> None:
    plain = PlainServo(servo, voltage, limit)
    parameters, state = servo_vector(servo, voltage, limit)[None, :], np.zeros((1, STATE_SIZE))
    for q, v, target, target_speed in track:
        ours, *_ = servo_torque(parameters, state, 0, q, v, target, target_speed, dt)
        assert ours == pytest.approx(plain.torque(q, v, target, target_speed, dt), rel=1e-12, abs=1e-12)
    kept = [plain.reference, plain.reference_speed, plain.integral, plain.gap]
    np.testing.assert_allclose(state[0], kept, rtol=1e-12, atol=1e-12)


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


@given(angle, st.floats(0.5, 10), st.floats(5, 200), st.sampled_from([1e-4, 1e-3, 5e-3]))
def test_each_limit_of_the_reference_holds_alone_and_it_settles(
    target: float, fastest: float, strongest: float, dt: float
) -> None:
    for speed_limit, acceleration_limit in ((fastest, math.inf), (math.inf, strongest), (fastest, strongest)):
        parameters, state = servo_vector(PD)[None, :].copy(), np.zeros((1, STATE_SIZE))
        parameters[0, [MAX_SPEED, MAX_ACCELERATION]] = speed_limit, acceleration_limit
        way = abs(target)
        needed = 2 * math.sqrt(way / acceleration_limit) + way / speed_limit + 20 * dt
        track = np.array([follow_reference(parameters, state, 0, target, 0.0, dt) for _ in range(int(needed / dt))])
        assert np.abs(track[:, 1]).max() <= speed_limit * (1 + 1e-9)
        assert np.abs(np.diff(track[:, 1], prepend=0.0)).max() <= acceleration_limit * dt * (1 + 1e-9)
        assert np.abs(track[:, 0]).max() <= way + 1e-9  # it does not shoot over
        assert track[-1] == pytest.approx([target, 0.0], abs=1e-6)
