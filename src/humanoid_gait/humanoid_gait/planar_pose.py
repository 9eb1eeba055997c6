"""Poses on the ground: x, y (m) and yaw (rad), as arrays of three."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def turned(vector: Array, angle: float) -> Array:
    """A vector (x, y) turned to the left by an angle, rad."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([c * vector[0] - s * vector[1], s * vector[0] + c * vector[1]])


def compose(pose: Array, step: Array) -> Array:
    """Pose that is reached from a pose by a step seen from it."""
    x, y = place(pose, step[:2])
    return np.array([x, y, pose[2] + step[2]])


def advance(pose: Array, twist: Array, seconds: float) -> Array:
    """Pose after moving with a constant velocity (m/s, m/s, rad/s) as seen from itself, along an arc."""
    turn = twist[2] * seconds
    half = 0.5 * turn
    # sin(half)/half: the chord over the arc.
    chord = seconds * (math.sin(half) / half if abs(half) > 1e-9 else 1.0)
    return compose(pose, np.array([*(chord * turned(twist[:2], half)), turn]))


def place(pose: Array, point_in_pose: Array) -> Array:
    """Where a point (x, y) seen from a pose is, m."""
    return pose[:2] + turned(point_in_pose, pose[2])
