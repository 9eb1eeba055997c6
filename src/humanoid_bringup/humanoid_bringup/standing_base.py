"""Where the base of a robot is whose pose nobody tells, such as a real one: from its IMU, joints and feet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from humanoid_bringup.viewer.base_pose import BasePose
from humanoid_description import Robot

Array = NDArray[np.float64]


class StandingBase:
    """Dead reckoning over the foot that carries the robot."""

    def __init__(self, robot: Robot) -> None:
        self._robot = robot
        self._pose = BasePose()
        self._felt = False
        self._posture: dict[str, float] = {}
        self._load: dict[str, float] = {}

    def feel(self, time: float, angular_velocity: Array, linear_acceleration: Array) -> None:
        """Take in the IMU (rad/s and m/s^2 along the axes of its link) at a time (s)."""
        self._felt = True
        self._pose.feel(time, angular_velocity, linear_acceleration)

    def load(self, side: str, force: float) -> None:
        """Take in the force (N) along a foot's own z axis."""
        self._load[side] = force

    def move(self, names: Sequence[str], angles: Sequence[float]) -> Array | None:
        """Take in joint angles (rad); returns T_world_base, or None before all sensors have spoken."""
        known = set(self._robot.joint_names)
        self._posture.update({name: angle for name, angle in zip(names, angles, strict=True) if name in known})
        if not self._felt or len(self._posture) < self._robot.dof:
            return None
        poses = self._robot.poses(self._posture)
        T_base_sole = {}
        for side, foot in self._robot.parameters.feet.items():
            T_base_sole[side] = poses[foot.link].copy()
            T_base_sole[side][:3, 3] += poses[foot.link][:3, :3] @ np.mean(foot.corners_in_foot, axis=0)
        R_base_imu = poses[self._robot.parameters.imu.link][:3, :3]
        self._pose.stand(T_base_sole, R_base_imu, self._carrying(T_base_sole))
        return self._pose.T_world_base

    def _carrying(self, T_base_sole: Mapping[str, Array]) -> str:
        """The foot with the greater load, or the lower one where feet feel nothing."""
        if len(self._load) == len(T_base_sole):
            return max(self._load, key=lambda side: self._load[side])
        return min(T_base_sole, key=lambda side: float(T_base_sole[side][2, 3]))
