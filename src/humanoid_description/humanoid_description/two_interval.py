"""A joint's way from one angle and speed to another in two intervals of constant acceleration (seed 001, section 3).

The switch between the intervals may be at any time; eq 2 then gives the speed there. The paper puts it where the energy
is least (eq 8): where the joint already has its final speed. All functions take many joints at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Value = float | Array
ROUNDING = 1e-9
"""Share by which rounding alone may put a demand beyond the limits."""
STRETCHINGS, HALVINGS = 60, 16  # of the search for the time that a demand beyond the limits needs


@dataclass(frozen=True)
class TwoIntervals:
    """The way of some joints, its time counted from the start."""

    angle_1: Array
    """At the start, rad."""
    speed_1: Array
    """At the start, rad/s."""
    switch: Array
    """t_m: time of the switch, s."""
    speed_m: Array
    """At the switch, rad/s."""
    angle_2: Array
    """At the end, rad."""
    speed_2: Array
    """At the end, rad/s."""
    duration: Array
    """t_2: time of the end, s; longer than asked for where the limits do not allow that."""

    def at(self, time: float) -> tuple[Array, Array]:
        """Angles (rad) and speeds (rad/s) at a time (s) after the start: eqs 5 and 6, and at rest after the end."""
        first = np.clip(time, 0, self.switch)
        rest = np.clip(time - self.switch, 0, self.duration - self.switch)
        speed_first = self.speed_1 + self.acceleration_1 * first
        speed = np.where(time < self.switch, speed_first, self.speed_m + self.acceleration_2 * rest)
        angle = self.angle_1 + 0.5 * (self.speed_1 + speed_first) * first + 0.5 * (self.speed_m + speed) * rest
        return np.where(time >= self.duration, self.angle_2, angle), np.where(time > self.duration, 0.0, speed)

    @cached_property
    def acceleration_1(self) -> Array:
        """In the first interval, rad/s^2; zero if it has no length."""
        return _ratio(self.speed_m - self.speed_1, self.switch)

    @cached_property
    def acceleration_2(self) -> Array:
        """In the second interval, rad/s^2; zero if it has no length."""
        return _ratio(self.speed_2 - self.speed_m, self.duration - self.switch)

    def work(self, inertia: Value) -> Array:
        """Work that the motors put in, J, for an inertia (kg m^2): eq 7 with the power a motor takes up not counted.

        With it counted the integral is inertia (speed_2^2 - speed_1^2) / 2 for every switch, and nothing is to be won.
        """
        return inertia * (_gain(self.speed_1, self.speed_m) + _gain(self.speed_m, self.speed_2))


def switch_speed(
    angle_1: Value, speed_1: Value, angle_2: Value, speed_2: Value, t_1: Value, t_2: Value, t_m: Value
) -> Value:
    """Speed (rad/s) at the switch that covers the angle (eq 2)."""
    return 2 * (angle_2 - angle_1 - 0.5 * (t_m - t_1) * speed_1 - 0.5 * (t_2 - t_m) * speed_2) / (t_2 - t_1)


def least_energy_switch(
    angle_1: Value, speed_1: Value, angle_2: Value, speed_2: Value, t_1: Value, t_2: Value
) -> Array:
    """Time (s) of the switch with the least energy (eq 8), inside or outside the interval.

    Where both speeds are the same every switch needs the same work, and the middle the least acceleration.
    """
    numerator = speed_1 * t_1 - 2 * speed_2 * t_2 - 2 * angle_1 + 2 * angle_2 + speed_2 * t_1
    difference = np.asarray(speed_1, dtype=float) - speed_2
    same = _same(speed_1, speed_2)
    return np.where(same, 0.5 * (t_1 + t_2), numerator / np.where(same, 1.0, difference))


def plan(
    angle_1: Value,
    speed_1: Value,
    angle_2: Value,
    speed_2: Value,
    duration: Value,
    max_speed: Value = np.inf,
    max_acceleration: Value = np.inf,
) -> TwoIntervals:
    """The way of least energy within limits of speed (rad/s) and acceleration (rad/s^2).

    An optimal switch outside the limits is moved to the nearest that keeps them, so that the joint accelerates as fast
    as it may at the start or at the end. Where none does, the joint arrives as soon after the asked-for time as it can.

    Args:
        angle_1: Present angle, rad.
        speed_1: Present speed, rad/s.
        angle_2: Angle at the end, rad.
        speed_2: Speed at the end, rad/s.
        duration: s, above zero.
        max_speed: Limit of the speed at the switch.
        max_acceleration: Limit in both intervals.
    """
    given = (angle_1, speed_1, angle_2, speed_2, duration, max_speed, max_acceleration)
    start, speed_1, end, speed_2, time, fastest, strongest = np.broadcast_arrays(*map(np.float64, given))
    speeds = np.clip(speed_1, -fastest, fastest), np.clip(speed_2, -fastest, fastest)

    def switches(time: Array) -> tuple[Array, Array]:
        return _allowed_switches(end - start, *speeds, time, fastest, strongest)

    earliest, latest = switches(time)
    if (earliest > latest).any():
        longer = time.copy()
        for _ in range(STRETCHINGS):
            beyond = np.greater(*switches(longer))
            if not beyond.any():
                break
            longer = np.where(beyond, 1.25 * longer, longer)
        shorter = np.maximum(time, longer / 1.25)
        for _ in range(HALVINGS):
            middle = 0.5 * (shorter + longer)
            beyond = np.greater(*switches(middle))
            shorter, longer = np.where(beyond, middle, shorter), np.where(beyond, longer, middle)
        time = np.where(earliest > latest, longer, time)
        earliest, latest = switches(time)
    switch = np.clip(least_energy_switch(start, speeds[0], end, speeds[1], 0.0, time), earliest, latest)
    speed_m = np.asarray(switch_speed(start, speeds[0], end, speeds[1], 0.0, time, switch))
    return TwoIntervals(start, speeds[0], switch, speed_m, end, speeds[1], time)


def _allowed_switches(
    way: Array, speed_1: Array, speed_2: Array, duration: Array, max_speed: Array, max_acceleration: Array
) -> tuple[Array, Array]:
    """Earliest and latest switch (s) that keep the limits; the earliest is later than the latest where none does."""
    h = 2 * way / duration - speed_2 - speed_1  # eq 4
    steady = _same(speed_1, speed_2)
    slope = np.where(steady, 0.0, speed_2 - speed_1) / duration  # of eq 2 over t_m
    # The accelerations are slope + h / t_m and slope - h / (t_2 - t_m).
    with_h = np.where(h > 0, slope, -slope)
    strongest = max_acceleration * (1 + ROUNDING)
    earliest = _ratio(np.abs(h), strongest - with_h)
    latest = duration - _ratio(np.abs(h), strongest + with_h)
    # The speed at the switch is speed_1 + h + slope t_m.
    beginning, fastest = speed_1 + h, max_speed * (1 + ROUNDING)
    one, other = _ratio(-fastest - beginning, slope), _ratio(fastest - beginning, slope)
    earliest = np.where(steady, earliest, np.maximum(earliest, np.minimum(one, other)))
    latest = np.where(steady, latest, np.minimum(latest, np.maximum(one, other)))
    possible = (np.abs(slope) <= strongest) & (~steady | (np.abs(beginning) <= fastest))
    return np.where(possible, earliest, np.inf), np.where(possible, latest, -np.inf)


def _same(speed_1: Value, speed_2: Value) -> NDArray[np.bool_]:
    """Whether two speeds differ by rounding only."""
    difference = np.abs(np.subtract(speed_1, speed_2))
    return np.asarray(difference <= ROUNDING * (1e-3 + np.abs(speed_1) + np.abs(speed_2)))


def _ratio(numerator: Array, denominator: Array) -> Array:
    """Their quotient, zero where there is nothing to divide by."""
    none = denominator == 0
    return np.where(none, 0.0, numerator / np.where(none, 1.0, denominator))


def _gain(before: Array, after: Array) -> Array:
    """Kinetic energy per inertia that a steady change of speed needs, (rad/s)^2: braking costs nothing."""
    needed = 0.5 * (after**2 - np.where(before * after > 0, before**2, 0.0))
    return np.maximum(needed, 0.0)
