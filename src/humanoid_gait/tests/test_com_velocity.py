"""Speed of the centre of mass: prompt, and true in the end."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from humanoid_gait.com_velocity import ComVelocity

DT = 0.01
SPEED = st.floats(-2.0, 2.0)


@given(SPEED, SPEED)
def test_what_both_agree_on_is_followed_without_delay(acceleration: float, start: float) -> None:
    velocity, speed = ComVelocity(), start
    velocity.value = np.full(2, start)
    for _ in range(20):
        speed += DT * acceleration
        told = velocity.update(np.full(2, speed), np.full(2, acceleration), DT, landed=False)
        assert told == pytest.approx(np.full(2, speed), abs=1e-12)


@given(SPEED, SPEED)
def test_an_accelerometer_that_errs_does_not_carry_the_speed_away(speed: float, offset: float) -> None:
    velocity = ComVelocity()
    for _ in range(200):
        told = velocity.update(np.full(2, speed), np.full(2, offset), DT, landed=False)
    assert np.abs(told - speed).max() <= 0.06 * abs(offset) + 1e-9


def test_a_push_shows_in_the_same_tick_and_a_landing_is_left_to_the_legs() -> None:
    told = [ComVelocity().update(np.zeros(2), np.array([10.0, 0.0]), DT, landed) for landed in (False, True)]
    assert told[0][0] == pytest.approx(0.085)
    assert told[1][0] == pytest.approx(0.05)
