"""Two intervals of constant acceleration (seed 001)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from humanoid_description.two_interval import TwoIntervals, least_energy_switch, plan, switch_speed

ANGLES, SPEEDS, TIMES = st.floats(-2, 2), st.floats(-4, 4), st.floats(0.05, 3)
EXAMPLE = {"angle_1": 0.0, "speed_1": 20.0, "angle_2": 27.0, "speed_2": 30.0}  # Figure 5, deg and deg/s


def with_switch(way: TwoIntervals, switch: float) -> TwoIntervals:
    """The way of the same joint with another switch."""
    ends = way.angle_1, way.speed_1, way.angle_2, way.speed_2
    speed_m = switch_speed(*ends, 0.0, way.duration, switch)
    return TwoIntervals(*ends[:2], np.array(switch), np.asarray(speed_m), *ends[2:], way.duration)


def test_the_example_of_figure_5_switches_at_3_6_s_with_the_final_speed() -> None:
    switch = least_energy_switch(**EXAMPLE, t_1=3.0, t_2=4.0)
    assert switch == pytest.approx(3.6)
    assert switch_speed(**EXAMPLE, t_1=3.0, t_2=4.0, t_m=switch) == pytest.approx(30.0)
    # Line L2 of Figure 4: above L1 by h of eq 4 at every time, with its slope.
    for t_m in (3.0, 3.3, 4.0):
        line_1 = 20.0 + 10.0 * (t_m - 3.0)
        assert switch_speed(**EXAMPLE, t_1=3.0, t_2=4.0, t_m=t_m) - line_1 == pytest.approx(2 * 27 - 30 - 20)


@settings(max_examples=100)
@given(ANGLES, SPEEDS, ANGLES, SPEEDS, TIMES, st.floats(4, 12), st.floats(5, 100))
def test_it_joins_the_ends_within_the_limits(
    angle_1: float, speed_1: float, angle_2: float, speed_2: float, duration: float, fastest: float, strongest: float
) -> None:
    way = plan(angle_1, speed_1, angle_2, speed_2, duration, fastest, strongest)
    assert duration <= way.duration < 100
    assert way.at(0.0) == (pytest.approx(angle_1), pytest.approx(speed_1))
    assert way.at(float(way.duration)) == (pytest.approx(angle_2), pytest.approx(speed_2, abs=1e-9))
    assert 0 <= way.switch <= way.duration
    assert abs(way.speed_m) <= fastest * (1 + 1e-6)
    assert max(abs(way.acceleration_1), abs(way.acceleration_2)) <= strongest * (1 + 1e-6)
    # The end that at() is held to is where the two intervals lead.
    assert way.at(float(way.duration) * (1 - 1e-12))[0] == pytest.approx(angle_2, abs=1e-9)
    # The speed is the derivative of the angle.
    for time in np.linspace(0.01, 0.99, 7) * float(way.duration):
        if abs(time - way.switch) > 1e-5:
            (before, _), (after, _) = way.at(time - 1e-6), way.at(time + 1e-6)
            assert (after - before) / 2e-6 == pytest.approx(way.at(time)[1], abs=1e-3)


@settings(max_examples=100)
@given(st.floats(0, 4), st.floats(0, 4), st.floats(0, 1), st.floats(0.1, 3))
def test_no_other_switch_needs_less_work(speed_1: float, speed_2: float, share: float, duration: float) -> None:
    # Ways on which the joint never turns back, whatever the switch.
    most = speed_1 + speed_2
    way = plan(0.0, speed_1, (max(speed_1, speed_2) + share * most) * duration / 2, speed_2, duration)
    others = [with_switch(way, t_m).work(2.0) for t_m in np.linspace(0, duration, 51)]
    assert way.work(2.0) <= min(others) + 1e-9


def test_work_counted_both_ways_is_the_change_of_kinetic_energy_for_every_switch() -> None:
    way = plan(0.0, 20.0, 27.0, 30.0, 1.0)
    for t_m in (0.1, 0.6, 0.9):
        other = with_switch(way, t_m)
        time = np.linspace(0, 1, 2001)
        speed = np.array([other.at(t)[1] for t in time])
        given_back = np.trapezoid(np.gradient(speed, time) * speed, time)
        assert given_back == pytest.approx(250, rel=2e-3)
        power = np.maximum(np.gradient(speed, time) * speed, 0)
        assert other.work(1.0) == pytest.approx(np.trapezoid(power, time), rel=2e-3)


def test_the_optimum_outside_is_moved_to_the_greatest_acceleration() -> None:
    early = plan(0.0, 1.0, 3.0, 1.5, 1.0, max_acceleration=50.0)
    assert least_energy_switch(0.0, 1.0, 3.0, 1.5, 0.0, 1.0) < 0
    assert early.acceleration_1 == pytest.approx(50, rel=1e-6)
    late = plan(0.0, 1.5, 3.0, 1.0, 1.0, max_acceleration=50.0)
    assert least_energy_switch(0.0, 1.5, 3.0, 1.0, 0.0, 1.0) > 1
    assert late.acceleration_2 == pytest.approx(-50, rel=1e-6)


def test_what_cannot_be_in_time_comes_as_soon_as_it_can() -> None:
    # From rest to rest over a way with the acceleration alone limited: the closed form is 2 sqrt(way / acceleration).
    way = plan(np.zeros(3), 0.0, np.array([0.01, 1.0, 4.0]), 0.0, 0.5, max_acceleration=10.0)
    assert way.duration == pytest.approx([0.5, 2 * np.sqrt(0.1), 2 * np.sqrt(0.4)], rel=1e-4)
    # And with the speed alone limited, 2 way / speed.
    assert plan(0.0, 0.0, 4.0, 0.0, 0.5, max_speed=2.0).duration == pytest.approx(4.0, rel=1e-4)


def test_after_the_end_the_joint_is_at_rest() -> None:
    angle, speed = plan(0.0, 1.0, 1.0, 2.0, 0.5).at(0.6)
    assert (angle, speed) == (1.0, 0.0)


def test_a_switch_at_the_very_start_is_a_jump_of_speed() -> None:
    way = plan(0.0, 1.0, 3.0, 1.5, 1.0)
    assert way.switch == 0
    assert way.at(0.0)[1] == way.speed_m
