"""What a robot measured during one fall test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from humanoid_adapt.fall_test import FallTest
from humanoid_description import RobotError

Array = NDArray[np.float64]
ATTITUDE = (1.0, (5.0, 15.0))
"""Settling time (s) and believed accelerations (m/s^2) of the vertical during a fall test."""
LONGEST_GAP = 0.2
"""s for which a sensor may be silent: in this time a ramp turns a joint by one count of its encoder."""


class TestRefused(RobotError):
    """A test that says nothing about the robot; the text says why, and what to do."""

    __test__ = False  # not a test of pytest's


@dataclass(frozen=True)
class Sample:
    """Sensors and commands of a robot at one time; joint arrays in the order of Robot.joint_names."""

    time: float
    """s."""
    position: Array
    """Measured joint angles, rad; NaN of a servo that did not answer."""
    command: Array
    """Commanded joint angles, rad."""
    angular_velocity: Array
    """rad/s, in the IMU's axes."""
    linear_acceleration: Array
    """m/s^2, in the IMU's axes, gravity included."""
    foot_force: Mapping[str, Array]
    """Force (N) and torque (N m) of the ground on each foot in its frame; empty for a robot without such sensors."""


@dataclass(frozen=True)
class Recording:
    """One fall test, from the settled posture to the fall."""

    test: FallTest
    ramp_start: float
    """s; before it the robot stands still in the posture of the test."""
    time: Array
    """s, increasing, shape (samples,)."""
    position: Array
    """rad, shape (samples, joints)."""
    command: Array
    """rad, shape (samples, joints)."""
    angular_velocity: Array
    """rad/s, shape (samples, 3)."""
    linear_acceleration: Array
    """m/s^2, shape (samples, 3)."""
    foot_force: Mapping[str, Array]
    """N and N m, shape (samples, 6) per side; empty for a robot without such sensors."""

    def __post_init__(self) -> None:
        """Refuse what no robot records."""
        where = f"test {self.test.name}"
        if self.time.size < 2 or not self.time[0] < self.ramp_start <= self.time[-1]:
            raise TestRefused(f"{where}: is cut short, the ramp is not in it. Record it again.")
        if (np.diff(self.time) <= 0).any():
            raise TestRefused(f"{where}: time goes backwards in it. Record it again with one clock.")
        gap = float(np.diff(self.time).max())
        if gap > LONGEST_GAP:
            raise TestRefused(f"{where}: nothing was measured for {gap:.2f} s. Check IMU and bus, and record it again.")
        arrays = (self.position, self.command, self.angular_velocity, self.linear_acceleration)
        if any(len(array) != self.time.size for array in arrays):
            raise TestRefused(f"{where}: its signals differ in length. Record them together.")
        if not all(np.isfinite(array).all() for array in (*arrays, *self.foot_force.values())):
            raise TestRefused(f"{where}: holds values that are not finite. Check the sensors.")


def record(test: FallTest, joint_names: Sequence[str], ramp_start: float, samples: Sequence[Sample]) -> Recording:
    """Recording of a test from its samples; what single servos left out is bridged, TestRefused if it is too much."""
    sides = samples[0].foot_force if samples else {}
    time = np.array([sample.time for sample in samples])
    return Recording(
        test=test,
        ramp_start=ramp_start,
        time=time,
        position=bridged(f"test {test.name}", joint_names, time, np.array([sample.position for sample in samples])),
        command=np.array([sample.command for sample in samples]),
        angular_velocity=np.array([sample.angular_velocity for sample in samples]),
        linear_acceleration=np.array([sample.linear_acceleration for sample in samples]),
        foot_force={side: np.array([sample.foot_force[side] for sample in samples]) for side in sides},
    )


def bridged(
    where: str, joint_names: Sequence[str], time: Array, position: Array, longest: float = LONGEST_GAP
) -> Array:
    """Joint angles, rad, with a straight line wherever a servo did not answer; TestRefused if for too long (s)."""
    whole = position.copy()
    for column in map(int, np.flatnonzero(np.isnan(position).any(axis=0))):
        known = ~np.isnan(position[:, column])
        silent = float(np.diff(np.concatenate([time[:1], time[known], time[-1:]])).max())
        if not known.any() or silent > longest:
            problem = f"joint {joint_names[column]} was silent for {silent:.2f} s"
            raise TestRefused(f"{where}: {problem}. Check its cable, and record it again.")
        whole[:, column] = np.interp(time, time[known], position[known, column])
    return whole
