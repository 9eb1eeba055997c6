"""Ways between points."""

from __future__ import annotations

import numpy as np
import pytest

from humanoid_description import load_robot
from humanoid_description.command import Trajectory
from humanoid_description.interpolation import WAYS, ReferenceLimits, TwoIntervalWay, reference_limits

FREE = ReferenceLimits(np.full(2, np.inf), np.full(2, np.inf))
SERVO = ReferenceLimits(np.full(2, 4.9), np.full(2, 24.4))  # seed 001: 281 deg/s, 1400 deg/s^2
TIMES = np.array([0.5, 1.0, 1.6])
POINTS = np.array([[0.2, -0.1], [0.5, -0.3], [0.4, 0.0]])
SPEEDS = np.array([[0.7, -0.4], [0.1, 0.1], [0.0, 0.0]])
START, START_SPEED = np.array([0.1, 0.0]), np.array([0.3, -0.2])


def trajectory(
    velocities: np.ndarray | None = None, times: np.ndarray = TIMES, points: np.ndarray = POINTS
) -> Trajectory:
    return Trajectory(("hip", "knee"), times, points, velocities, False)


@pytest.mark.parametrize("velocities", [SPEEDS, None])
@pytest.mark.parametrize("name", WAYS)
def test_every_way_goes_through_the_points_with_the_speed_of_its_angle(
    name: str, velocities: np.ndarray | None
) -> None:
    way = WAYS[name](trajectory(velocities), START, START_SPEED, FREE)
    assert way.at(0.0)[0] == pytest.approx(START)
    for time, point in zip(TIMES, POINTS, strict=True):
        assert way.at(time)[0] == pytest.approx(point)
    for time in (0.123, 0.321, 0.777, 1.234):
        slope = (way.at(time + 1e-6)[0] - way.at(time - 1e-6)[0]) / 2e-6
        assert way.at(time)[1] == pytest.approx(slope, abs=1e-4)
    angle, speed = way.at(9.0)
    assert angle == pytest.approx(POINTS[-1])
    assert speed == pytest.approx([0, 0])


@pytest.mark.parametrize("name", ["cubic", "two_interval"])
def test_commanded_speeds_are_kept(name: str) -> None:
    way = WAYS[name](trajectory(SPEEDS), START, START_SPEED, SERVO)
    assert way.at(0.0)[1] == pytest.approx(START_SPEED)
    for time, speeds in zip(TIMES[:2], SPEEDS, strict=False):
        assert way.at(time - 1e-9)[1] == pytest.approx(speeds, abs=1e-6)
    moving = np.array([[0.7, -0.4], [0.1, 0.1], [0.3, -0.3]])
    end = WAYS[name](trajectory(moving), START, START_SPEED, SERVO)
    assert end.at(1.6)[1] == pytest.approx([0.3, -0.3])  # a command that comes just then goes on with this speed
    assert end.at(1.6 + 1e-9)[1] == pytest.approx([0, 0])


def test_a_cubic_way_has_the_same_speed_on_both_sides_of_a_point() -> None:
    way = WAYS["cubic"](trajectory(), START, START_SPEED, FREE)
    for time in TIMES[:2]:
        assert way.at(time - 1e-9)[1] == pytest.approx(way.at(time + 1e-9)[1], abs=1e-6)


def test_two_intervals_keep_the_limits_and_a_late_point_does_not_shift_the_next() -> None:
    hasty = trajectory(None, np.array([0.1, 2.0]), np.array([[1.0, 0.1], [1.2, 0.0]]))
    way = WAYS["two_interval"](hasty, np.zeros(2), np.zeros(2), SERVO)
    time = np.linspace(0, 2.5, 5001)
    speed = np.array([way.at(t)[1] for t in time])
    assert np.abs(speed).max() <= 4.9 * (1 + 1e-6)
    assert np.abs(np.diff(speed, axis=0) / np.diff(time)[:, None]).max() <= 24.4 * (1 + 1e-4)
    assert abs(way.at(0.1)[0][0] - 1.0) > 0.5
    assert way.at(2.0)[0] == pytest.approx([1.2, 0.0])


def test_a_last_point_that_is_late_is_still_reached() -> None:
    way = WAYS["two_interval"](
        trajectory(None, np.array([0.1]), np.array([[1.0, 1.0]])), np.zeros(2), np.zeros(2), SERVO
    )
    assert way.at(0.1)[0][0] < 0.5
    assert way.at(2 * 1.0 / 4.9 + 1e-3)[0] == pytest.approx([1.0, 1.0])


@pytest.mark.parametrize("name", WAYS)
def test_a_point_for_now_is_a_set_point(name: str) -> None:
    point = trajectory(np.array([[1.0, 1.0]]), np.array([0.0]), np.array([[0.3, 0.4]]))
    angle, speed = WAYS[name](point, START, START_SPEED, FREE).at(0.0)
    assert angle == pytest.approx([0.3, 0.4])
    assert speed == pytest.approx([0, 0])


def test_any_time_may_be_asked_for_in_any_order() -> None:
    forth, back = (TwoIntervalWay(trajectory(SPEEDS), START, START_SPEED, SERVO) for _ in range(2))
    times = np.linspace(0, 2, 41)
    ahead = [forth.at(time)[0] for time in times]
    behind = [back.at(time)[0] for time in times[::-1]][::-1]
    np.testing.assert_array_equal(ahead, behind)


def test_limits_come_from_the_servos() -> None:
    knees = reference_limits(load_robot("ar601m_planar").parameters)
    assert knees.acceleration == pytest.approx(np.radians([500, 700, 500, 500, 700, 500]))
    fibo = load_robot("fibo_km").parameters
    limits = reference_limits(fibo)
    assert limits.speed[0] == 7.7
    assert limits.acceleration[0] == pytest.approx(3.42 / 0.003)
