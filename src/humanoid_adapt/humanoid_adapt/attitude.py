"""Which way is up, from gyroscope and accelerometer."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
TRUST_GYRO = 1.0
"""s over which the gyroscope is believed; slower changes come from the accelerometer."""
AT_REST = (5.0, 15.0)
"""m/s^2 between which an acceleration is mostly gravity; others, such as those of an impact, are not listened to."""


class Attitude:
    """Complementary filter of the vertical in the IMU's axes."""

    def __init__(self) -> None:
        self._up: Array | None = None
        self._time = 0.0

    def update(self, time: float, angular_velocity: Array, linear_acceleration: Array) -> Array:
        """Unit vector up in the IMU's axes, from rad/s and m/s^2 (at rest: g upwards) at a time (s)."""
        size = float(np.linalg.norm(linear_acceleration))
        at_rest = AT_REST[0] < size < AT_REST[1]
        if self._up is None:
            if not at_rest:
                return np.array([0.0, 0.0, 1.0])
            self._up = linear_acceleration / size
        else:
            step = time - self._time
            (p, q, r), (x, y, z) = angular_velocity, self._up
            up = self._up - step * np.array([q * z - r * y, r * x - p * z, p * y - q * x])
            if at_rest:
                up = up + min(step / TRUST_GYRO, 1.0) * (linear_acceleration / size - up)
            self._up = up / np.linalg.norm(up)
        self._time = time
        return self._up
