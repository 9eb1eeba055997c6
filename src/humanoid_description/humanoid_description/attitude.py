"""Which way is up, from gyroscope and accelerometer."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Attitude:
    """The vertical in the sensor's axes: turned by the gyroscope, drawn to what the accelerometer says on average."""

    def __init__(self, settling_time: float, believed: tuple[float, float], up: Array | None = None) -> None:
        """Begin with a known vertical, or with the first acceleration that is believed.

        Args:
            settling_time: After which the accelerometer has corrected what the gyroscope drifted, s.
            believed: Accelerations that are mostly gravity, m/s^2; others, such as those of an impact, are not heard.
            up: Vertical at the beginning, if it is known.
        """
        self._settling_time = settling_time
        self._believed = believed
        self._known = up is not None
        self.up = np.array([0.0, 0.0, 1.0]) if up is None else up
        """Unit vector."""

    def update(self, angular_velocity: Array, acceleration: Array, dt: float) -> Array:
        """Take in rad/s and m/s^2 (at rest: g upwards) a time (s) after the last; returns the vertical."""
        size = math.sqrt(float(acceleration @ acceleration))
        low, high = self._believed
        believed = low < size < high
        if not self._known:
            if believed:
                self._known, self.up = True, acceleration / size
            return self.up
        wx, wy, wz = angular_velocity
        x, y, z = self.up
        up = np.array([x + dt * (wz * y - wy * z), y + dt * (wx * z - wz * x), z + dt * (wy * x - wx * y)])
        if believed:
            up += min(1.0, dt / self._settling_time) * (acceleration / size - up)
        self.up = up / math.sqrt(float(up @ up))
        return self.up

    @property
    def R_level_sensor(self) -> Array:
        """Attitude of the sensor against a level frame with the same heading."""
        up = self.up
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
