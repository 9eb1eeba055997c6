"""Where a robot's base is in the world: told by somebody who knows, or found from its IMU and the carrying foot."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from humanoid_description.attitude import Attitude
from humanoid_description.inertial import GRAVITY

Array = NDArray[np.float64]
SETTLING_TIME = 1.0
"""s in which the accelerometer corrects the gyroscope."""
BELIEVED = (0.8 * GRAVITY, 1.2 * GRAVITY)
"""m/s^2 that are mostly gravity."""
LONGEST_GAP = 0.1
"""s between two messages of the IMU over which its turning rate is believed."""


def rotation_of(xyzw: Array) -> Array:
    """3 x 3 rotation of a quaternion."""
    x, y, z, w = xyzw
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


class BasePose:
    """Pose of a base, from the best source that has spoken."""

    def __init__(self) -> None:
        self.T_world_base = np.eye(4)
        self.known = False
        """Whether somebody has told where the base is."""
        self._attitude = Attitude(SETTLING_TIME, BELIEVED)
        self._imu_time: float | None = None
        self._anchor: tuple[str, Array] | None = None

    def tell(self, position: Array, orientation_xyzw: Array) -> None:
        """Take the pose from somebody who knows, m."""
        self.known = True
        self.T_world_base[:3, :3] = rotation_of(orientation_xyzw)
        self.T_world_base[:3, 3] = position

    def feel(self, time: float, angular_velocity: Array, linear_acceleration: Array) -> None:
        """Take in the IMU (rad/s and m/s^2 along the axes of its link) at a time (s)."""
        step = 0.0 if self._imu_time is None else time - self._imu_time
        self._imu_time = time
        self._attitude.update(angular_velocity, linear_acceleration, step if 0.0 < step < LONGEST_GAP else 0.0)

    def stand(self, T_base_foot: Mapping[str, Array], R_base_imu: Array, carrying: str) -> None:
        """Find the base from the IMU's vertical and the foot that carries, which stays where it was set down.

        Args:
            T_base_foot: Pose of the middle of each sole.
            R_base_imu: Attitude of the IMU's link.
            carrying: Which foot it is.
        """
        if self.known:
            return
        # Roll and pitch from the sensor, heading from the foot.
        level = self._attitude.R_level_sensor @ R_base_imu.T
        if self._anchor is None:
            heading_of_base, place = 0.0, None
        else:
            T_world_foot = self._anchor[1]
            foot = level @ T_base_foot[self._anchor[0]][:3, :3]
            heading_of_base = _heading(T_world_foot[:3, :3]) - _heading(foot)
            place = T_world_foot[:3, 3]
        c, s = np.cos(heading_of_base), np.sin(heading_of_base)
        self.T_world_base[:3, :3] = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) @ level
        anchored = T_base_foot[carrying if self._anchor is None else self._anchor[0]]
        offset = self.T_world_base[:3, :3] @ anchored[:3, 3]
        self.T_world_base[:3, 3] = (np.zeros(3) if place is None else place) - offset
        if self._anchor is None or self._anchor[0] != carrying:
            T_world_foot = self.T_world_base @ T_base_foot[carrying]
            T_world_foot[2, 3] = 0.0
            self._anchor = (carrying, T_world_foot)
        lowest = min((self.T_world_base @ T_base_sole)[2, 3] for T_base_sole in T_base_foot.values())
        self.T_world_base[2, 3] -= lowest


def _heading(rotation: Array) -> float:
    return float(np.arctan2(rotation[1, 0], rotation[0, 0]))
