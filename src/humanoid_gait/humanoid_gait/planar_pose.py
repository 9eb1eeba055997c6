"""Poses on the ground: x, y (m) and yaw (rad), as arrays of three."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def compose(pose: Array, step: Array) -> Array:
    """Pose that is reached from a pose by a step seen from it."""
    c, s = math.cos(pose[2]), math.sin(pose[2])
    return np.array([pose[0] + c * step[0] - s * step[1], pose[1] + s * step[0] + c * step[1], pose[2] + step[2]])


def advance(pose: Array, twist: Array, seconds: float) -> Array:
    """Pose after moving with a constant velocity (m/s, m/s, rad/s) as seen from itself, along an arc."""
    turn = twist[2] * seconds
    half = 0.5 * turn
    # sin(half)/half: the chord over the arc.
    chord = seconds * (math.sin(half) / half if abs(half) > 1e-9 else 1.0)
    c, s = math.cos(half), math.sin(half)
    return compose(pose, np.array([chord * (c * twist[0] - s * twist[1]), chord * (s * twist[0] + c * twist[1]), turn]))


def place(pose: Array, point_in_pose: Array) -> Array:
    """Where a point (x, y) seen from a pose is, m."""
    return compose(pose, np.array([point_in_pose[0], point_in_pose[1], 0.0]))[:2]
