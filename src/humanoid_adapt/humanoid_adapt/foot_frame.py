"""A robot as it is seen from a foot: poses of the links, centre of mass and its Jacobian, by MuJoCo."""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

from humanoid_description import Robot, RobotError

Array = NDArray[np.float64]


class FootFrame:
    """Kinematics in the frame of one foot, for joint angles as an array in the order of Robot.joint_names."""

    def __init__(self, robot: Robot, side: str) -> None:
        self.robot = robot
        self.foot = robot.parameters.feet[side]
        self._model = robot.kinematics.model
        self._data = mujoco.MjData(self._model)
        joints = [self._model.joint(name) for name in robot.joint_names]
        self._qpos = np.array([int(joint.qposadr[0]) for joint in joints])
        self._dofs = np.array([int(joint.dofadr[0]) for joint in joints])
        self.links = tuple(robot.inertials)
        self._bodies = np.array([self._model.body(link).id for link in self.links])
        self._foot_body = int(self._model.body(self.foot.link).id)
        self._imu_body = int(self._model.body(robot.parameters.imu.link).id)

    def _move(self, angles: Array) -> None:
        if angles.shape != self._qpos.shape:
            raise RobotError(f"posture of {self.robot.name}: give {self._qpos.size} angles in the order of its joints.")
        self._data.qpos[:] = self._model.qpos0
        self._data.qpos[self._qpos] = angles
        mujoco.mj_kinematics(self._model, self._data)

    def imu_rotation(self, angles: Array) -> Array:
        """R_foot_imu: axes of the IMU's link seen from the foot, for joint angles in rad."""
        self._move(angles)
        foot, imu = (self._data.xmat[body].reshape(3, 3) for body in (self._foot_body, self._imu_body))
        return np.asarray(foot.T @ imu)

    def link_poses(self, angles: Array) -> tuple[Array, Array]:
        """R_foot_link, shape (links, 3, 3), and origin of each link in the foot's frame, m, shape (links, 3)."""
        self._move(angles)
        R_foot_world = self._data.xmat[self._foot_body].reshape(3, 3).T
        rotations = R_foot_world @ self._data.xmat[self._bodies].reshape(-1, 3, 3)
        origins = (self._data.xpos[self._bodies] - self._data.xpos[self._foot_body]) @ R_foot_world.T
        return rotations, origins

    def com(self, angles: Array) -> tuple[Array, Array]:
        """Centre of mass in the foot's frame, m, and its Jacobian, m/rad, shape (3, joints)."""
        model, data = self._model, self._data
        self._move(angles)
        mujoco.mj_comPos(model, data)
        of_com, of_foot, turning = (np.zeros((3, model.nv)) for _ in range(3))
        mujoco.mj_jacSubtreeCom(model, data, of_com, 1)
        mujoco.mj_jacBody(model, data, of_foot, turning, self._foot_body)
        R_foot_world = data.xmat[self._foot_body].reshape(3, 3).T
        arm = data.subtree_com[1] - data.xpos[self._foot_body]
        # d(R'(c - p)) = R'(dc - dp - w x (c - p)) for a foot that turns with w.
        x, y, z = arm
        change = of_com - of_foot + np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]]) @ turning
        return R_foot_world @ arm, (R_foot_world @ change)[:, self._dofs]
