"""What is usual at each instant of a step, learned while walking, so that feedback answers only what is not.

A plan and a robot with compliant servos never agree: the torso nods and sways with every step. A feedback that worked
against that would not steady the walk, but make it drift.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from humanoid_gait.pattern import SIGN

Array = NDArray[np.float64]
KNOWN_AFTER = 3
"""Steps after which the usual is known well enough to act on what differs from it."""
LEARNING = 0.1
"""Share of a step's value that goes into the usual one later on."""


class Habit:
    """Mean of a measured vector over the steps, at each instant of a step; that of the other foot is mirrored."""

    def __init__(self, step_time: float, period: float, mirror: Array, unusual: float) -> None:
        """Begin without any.

        Args:
            step_time: s.
            period: Between measurements, s.
            mirror: Signs of the components when left and right change places.
            unusual: A value that differs more than this is a disturbance, and nothing is learned from it.
        """
        instants = math.ceil(step_time / period) + 2
        self._period = period
        self._mirror = mirror
        self._unusual = unusual
        self._mean = np.zeros((instants, mirror.size))
        self._count = np.zeros(instants, dtype=int)

    def unexpected(self, remaining: float, support: str, value: Array) -> Array:
        """What of a value is not usual, a time (s) before the end of a step on a foot; zero until that is known."""
        instant = round(remaining / self._period)
        mirror = self._mirror if SIGN[support] < 0 else np.ones_like(self._mirror)
        difference = mirror * value - self._mean[instant]
        known = self._count[instant] >= KNOWN_AFTER
        if not known or float(np.abs(difference).max()) < self._unusual:
            self._count[instant] += 1
            self._mean[instant] += max(LEARNING, 1.0 / self._count[instant]) * difference
        return np.asarray(mirror * difference) if known else np.zeros_like(value)
