"""Ways between the points of a joint trajectory: linear, cubic, or in two intervals of constant acceleration."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from humanoid_description.command import Trajectory
from humanoid_description.parameters import RobotParameters
from humanoid_description.two_interval import TwoIntervals, plan

Array = NDArray[np.float64]


@dataclass(frozen=True)
class ReferenceLimits:
    """What a servo's reference may do; infinite where nothing is known."""

    speed: Array
    """Per joint, rad/s."""
    acceleration: Array
    """Per joint, rad/s^2."""


def reference_limits(parameters: RobotParameters) -> ReferenceLimits:
    """Limits of a robot's servos: those they keep themselves, else what their motors alone could do."""
    servos = [parameters.servos[joint.servo] for joint in parameters.joints.values()]
    rotor = [servo.stall_torque / servo.armature if servo.armature else np.inf for servo in servos]
    return ReferenceLimits(
        speed=np.array([servo.max_speed or servo.no_load_speed for servo in servos]),
        acceleration=np.array([servo.max_acceleration or most for servo, most in zip(servos, rotor, strict=True)]),
    )


class Way(Protocol):
    """Where joints shall be at a time (s) since their command: angles (rad) and speeds (rad/s)."""

    def at(self, time: float) -> tuple[Array, Array]:
        """Angles and speeds."""


class LinearWay:
    """Straight from point to point; commanded speeds are not regarded."""

    def __init__(self, trajectory: Trajectory, angle: Array, speed: Array, limits: ReferenceLimits) -> None:
        self._times, self._points = _points(trajectory, angle)

    def at(self, time: float) -> tuple[Array, Array]:
        """Angles and speeds."""
        if not self._times[0] <= time < self._times[-1]:
            return self._points[0 if time < self._times[0] else -1], np.zeros(self._points.shape[1])
        after = int(np.searchsorted(self._times, time, side="right"))
        speed = (self._points[after] - self._points[after - 1]) / (self._times[after] - self._times[after - 1])
        return self._points[after - 1] + speed * (time - self._times[after - 1]), speed


class CubicWay:
    """Cubics with the commanded speeds at the points; see `_speeds` for points without."""

    def __init__(self, trajectory: Trajectory, angle: Array, speed: Array, limits: ReferenceLimits) -> None:
        self._times, self._points = _points(trajectory, angle)
        self._speeds = _speeds(trajectory, self._times, self._points, speed)

    def at(self, time: float) -> tuple[Array, Array]:
        """Angles and speeds."""
        if not self._times[0] <= time <= self._times[-1] or len(self._times) == 1:
            return self._points[0 if time < self._times[0] else -1], np.zeros(self._points.shape[1])
        after = min(int(np.searchsorted(self._times, time, side="right")), len(self._times) - 1)
        duration = self._times[after] - self._times[after - 1]
        s = (time - self._times[after - 1]) / duration
        way = self._points[after] - self._points[after - 1]
        first, last = duration * self._speeds[after - 1], duration * self._speeds[after]
        second, third = 3 * way - 2 * first - last, first + last - 2 * way
        angle = self._points[after - 1] + s * (first + s * (second + s * third))
        return angle, (first + s * (2 * second + s * 3 * third)) / duration


class TwoIntervalWay:
    """Two intervals of constant acceleration between points (seed 001), within the servos' limits.

    Each pair starts from where the last has come to, so that a point that cannot be reached in time shifts none of the
    later ones.
    """

    def __init__(self, trajectory: Trajectory, angle: Array, speed: Array, limits: ReferenceLimits) -> None:
        self._times, self._points = _points(trajectory, angle)
        self._speeds = _speeds(trajectory, self._times, self._points, speed)
        self._limits = limits
        self._planned: list[TwoIntervals] = []

    def _plan_next(self) -> None:
        index = len(self._planned)
        start = self._points[0], self._speeds[0]
        if index:
            start = self._planned[-1].at(self._times[index] - self._times[index - 1])
        duration = self._times[index + 1] - self._times[index]
        goal = self._points[index + 1], self._speeds[index + 1]
        self._planned.append(plan(*start, *goal, duration, self._limits.speed, self._limits.acceleration))

    def at(self, time: float) -> tuple[Array, Array]:
        """Angles and speeds."""
        if len(self._times) == 1 or time < self._times[0]:
            return self._points[0], np.zeros(self._points.shape[1])
        index = min(int(np.searchsorted(self._times, time, side="right")) - 1, len(self._times) - 2)
        while len(self._planned) <= index:
            self._plan_next()
        return self._planned[index].at(time - self._times[index])


WAYS: Mapping[str, Callable[[Trajectory, Array, Array, ReferenceLimits], Way]] = {
    "linear": LinearWay,
    "cubic": CubicWay,
    "two_interval": TwoIntervalWay,
}
"""By name, made from the command and its joints' present angles (rad), speeds (rad/s) and limits, in its order."""


def _points(trajectory: Trajectory, angle: Array) -> tuple[Array, Array]:
    """Times and angles of the points, with the present angles first unless the command gives others for now."""
    if trajectory.times[0] == 0:
        return trajectory.times, trajectory.positions
    return np.concatenate([[0.0], trajectory.times]), np.vstack([angle, trajectory.positions])


def _speeds(trajectory: Trajectory, times: Array, points: Array, speed: Array) -> Array:
    """Speeds at the points: as commanded, else the slope across the neighbours, and zero at the last."""
    if trajectory.velocities is not None:
        commanded = trajectory.velocities
        return commanded if len(commanded) == len(times) else np.vstack([speed, commanded])
    speeds = np.zeros_like(points)
    speeds[1:-1] = (points[2:] - points[:-2]) / (times[2:] - times[:-2])[:, None]
    speeds[0] = speed
    return speeds
