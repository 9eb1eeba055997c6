"""The way of a swinging foot: fifth-order polynomials that can be led to a new target at any time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class MinimumJerk:
    """A motion of least jerk from its present place, speed and acceleration to rest at a target."""

    def __init__(self, position: Array) -> None:
        self.position = np.array(position, dtype=float)
        self.velocity = np.zeros_like(self.position)
        self.acceleration = np.zeros_like(self.position)

    def move(self, target: Array, remaining: float, seconds: float) -> Array:
        """Go on for a time (s) on the way that ends at the target after the remaining time (s)."""
        if remaining <= seconds:
            self.position = np.array(target, dtype=float)
            self.velocity = np.zeros_like(self.position)
            self.acceleration = np.zeros_like(self.position)
            return self.position
        T = remaining
        p, v, a = self.position, self.velocity * T, self.acceleration * T * T
        way = target - p
        c3 = 10 * way - 6 * v - 1.5 * a
        c4 = -15 * way + 8 * v + 1.5 * a
        c5 = 6 * way - 3 * v - 0.5 * a
        s = seconds / T
        self.position = p + s * (v + s * (0.5 * a + s * (c3 + s * (c4 + s * c5))))
        self.velocity = (v + s * (a + s * (3 * c3 + s * (4 * c4 + s * 5 * c5)))) / T
        self.acceleration = (a + s * (6 * c3 + s * (12 * c4 + s * 20 * c5))) / (T * T)
        return self.position


def lift(share: float) -> float:
    """Height of the foot over its greatest, at a share of the swing; it leaves and meets the ground gently."""
    return 64.0 * (share * (1.0 - share)) ** 3
