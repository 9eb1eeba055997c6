"""Which way is up, from gyroscope and accelerometer."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from humanoid_gait.dcm import GRAVITY

Array = NDArray[np.float64]
SETTLING_TIME = 2.0
"""s after which the accelerometer, shaken by every step, has corrected what the gyroscope drifted."""
QUIET = 0.3
"""Share of gravity by which a measured acceleration may differ from it and still be believed."""


class Attitude:
    """The vertical as the base sees it: turned by the gyroscope, drawn to what the accelerometer says on average."""

    def __init__(self) -> None:
        self.up_in_base = np.array([0.0, 0.0, 1.0])

    def update(self, angular_velocity: Array, acceleration: Array, dt: float) -> Array:
        """Take in a measurement (rad/s and m/s^2, in the base) a time (s) after the last; returns the vertical."""
        wx, wy, wz = angular_velocity
        x, y, z = self.up_in_base
        up = np.array([x + dt * (wz * y - wy * z), y + dt * (wx * z - wz * x), z + dt * (wy * x - wx * y)])
        size = math.sqrt(float(acceleration @ acceleration))
        if abs(size - GRAVITY) < QUIET * GRAVITY:
            up += dt / SETTLING_TIME * (acceleration / size - up)
        self.up_in_base = up / math.sqrt(float(up @ up))
        return self.up_in_base

    @property
    def R_level_base(self) -> Array:
        """Attitude of the base against a level frame with the same heading."""
        up = self.up_in_base
        forward = np.array([1.0, 0.0, 0.0]) - up[0] * up
        forward /= math.sqrt(float(forward @ forward))
        left = np.array(
            [
                up[1] * forward[2] - up[2] * forward[1],
                up[2] * forward[0] - up[0] * forward[2],
                up[0] * forward[1] - up[1] * forward[0],
            ]
        )
        return np.array([forward, left, up])
