"""Cubic splines through break points with speed and acceleration given at both ends.

A cubic spline through its points has two more freedoms, which seed 002 spends on the speeds at its ends: the
acceleration then jumps where a foot starts to move. Two more knots, in the first and in the last interval, let the
accelerations be given too.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.interpolate import BSpline, make_interp_spline

from humanoid_description import RobotError

Array = NDArray[np.float64]
CUBIC = 3
CLOCK_DIGITS = 12  # of times in s, so that a step's times are the same whenever it begins


def smooth_spline(
    times: Sequence[float] | Array,
    points: ArrayLike,
    start: tuple[ArrayLike, ArrayLike] | None = None,
    end: tuple[ArrayLike, ArrayLike] | None = None,
) -> BSpline:
    """Spline with continuous acceleration through points, shape (times, ...), at increasing times (s).

    Args:
        times: Of the break points.
        points: Values there.
        start: Speed and acceleration at the first; rest if not given.
        end: Speed and acceleration at the last; rest if not given.
    """
    t, values = np.asarray(times, dtype=float), np.asarray(points, dtype=float)
    if t.size < 2 or (np.diff(t) <= 0).any() or len(values) != t.size:
        raise RobotError(f"spline: {t.size} times, {len(values)} points. Give two or more, at increasing times.")
    offsets = np.round(t - t[0], CLOCK_DIGITS)
    knots, coefficients = _unit_splines(tuple(offsets.tolist()))
    rest = np.zeros(values.shape[1:])
    ends = [np.broadcast_to(value, rest.shape) for state in (start, end) for value in (state or (rest, rest))]
    wanted = np.concatenate([values, np.array(ends)])
    return BSpline.construct_fast(t[0] + knots, np.tensordot(coefficients, wanted, axes=1), CUBIC)


@lru_cache(maxsize=1024)
def _unit_splines(offsets: tuple[float, ...]) -> tuple[Array, Array]:
    """Knots, and coefficients of the splines that have one point or end at 1 and all others at 0.

    A walk asks for the same times in every step, and the spline is linear in what it has to meet.
    """
    t = np.array(offsets)
    inner = np.union1d(t[1:-1], [0.5 * (t[0] + t[1]), 0.5 * (t[-2] + t[-1])])
    if t.size == 2:  # one interval: its two knots at the thirds
        inner = t[1] * np.array([1, 2]) / 3
    knots = np.concatenate([np.repeat(t[0], CUBIC + 1), inner, np.repeat(t[-1], CUBIC + 1)])
    unit = np.eye(t.size + 4)
    points, (speed_1, acceleration_1, speed_2, acceleration_2) = unit[: t.size], unit[t.size :]
    ends = [(1, speed_1), (2, acceleration_1)], [(1, speed_2), (2, acceleration_2)]
    return knots, make_interp_spline(t, points, CUBIC, knots, bc_type=ends).c
