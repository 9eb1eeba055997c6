"""A robot's centre of mass, feet and holding torques in a posture, by MuJoCo; joints as arrays."""

from __future__ import annotations

import copy
from collections.abc import Mapping

import mujoco
import numpy as np
from numpy.typing import NDArray

from humanoid_description import Robot
from humanoid_description.inertial import GRAVITY

Array = NDArray[np.float64]


class WholeBody:
    """A robot's bodies, seen from its base. Joint arrays are in the order of Robot.joint_names."""

    def __init__(self, robot: Robot) -> None:
        self._model = copy.copy(robot.kinematics.model)  # gravity is turned in it
        self._data = mujoco.MjData(self._model)
        joints = [self._model.joint(name) for name in robot.joint_names]
        self._qpos = np.array([joint.qposadr[0] for joint in joints])
        self._dof = np.array([joint.dofadr[0] for joint in joints])
        self._feet = {side: self._model.body(foot.link).id for side, foot in robot.parameters.feet.items()}
        self._jacobian = np.zeros((3, self._model.nv))

    def move(self, joints: Array) -> None:
        """Take a posture (rad)."""
        self._data.qpos[self._qpos] = joints
        mujoco.mj_kinematics(self._model, self._data)
        mujoco.mj_comPos(self._model, self._data)

    @property
    def com(self) -> Array:
        """Centre of mass in the base, m."""
        return np.array(self._data.subtree_com[0])

    def foot(self, side: str) -> tuple[Array, Array]:
        """Place (m) and attitude of a foot's link in the base."""
        body = self._feet[side]
        return np.array(self._data.xpos[body]), np.array(self._data.xmat[body]).reshape(3, 3)

    def holding_torque(self, pressed: Mapping[str, tuple[float, Array]], up_in_base: Array) -> Array:
        """Torques (N m) that hold the posture against gravity, standing on feet that are pressed.

        Args:
            pressed: Per foot, the force (N) with which the ground holds it up and where in the base it acts (m).
            up_in_base: The vertical.
        """
        self._model.opt.gravity[:] = -GRAVITY * up_in_base
        self._data.qvel[:] = 0.0
        mujoco.mj_comVel(self._model, self._data)
        torque = np.zeros(self._model.nv)
        mujoco.mj_rne(self._model, self._data, 0, torque)
        for side, (force, point) in pressed.items():
            mujoco.mj_jac(self._model, self._data, self._jacobian, None, point, self._feet[side])
            torque -= force * (up_in_base @ self._jacobian)
        return np.asarray(torque[self._dof])
