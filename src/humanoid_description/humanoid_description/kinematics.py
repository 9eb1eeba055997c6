"""Poses and centre of mass of a robot in a posture, by MuJoCo."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence

import mujoco
import numpy as np
from numpy.typing import NDArray

from humanoid_description.errors import RobotError, did_you_mean
from humanoid_description.urdf import Shape


class Kinematics:
    """A MuJoCo model of a URDF in which every link stays a body of its own, with the base at the origin."""

    def __init__(self, urdf: str) -> None:
        spec = mujoco.MjSpec.from_string(urdf)
        spec.compiler.fusestatic = False
        # Without a joint of its own MuJoCo would melt the base into the world and lose its mass.
        spec.worldbody.first_body().add_freejoint()
        self.model = spec.compile()
        self._data = mujoco.MjData(self.model)
        self._lock = threading.Lock()
        hinges = [
            index for index in range(self.model.njnt) if self.model.jnt_type[index] == mujoco.mjtJoint.mjJNT_HINGE
        ]
        self._qpos_address = {self.model.joint(index).name: int(self.model.jnt_qposadr[index]) for index in hinges}
        self._links = {self.model.body(index).name: index for index in range(1, self.model.nbody)}

    def _move(self, posture: Mapping[str, float]) -> None:
        qpos = self.model.qpos0.copy()
        if not isinstance(posture, Mapping):
            raise RobotError(f"posture: is {posture!r}. Give a mapping of joint names to angles in rad.")
        for joint, angle in posture.items():
            if joint not in self._qpos_address:
                raise RobotError(f"posture: joint '{joint}' does not exist. {did_you_mean(joint, self._qpos_address)}")
            if not isinstance(angle, (int, float, np.number)) or not np.isfinite(angle):
                raise RobotError(f"posture: joint '{joint}' has the angle {angle}. Give a finite number in rad.")
            qpos[self._qpos_address[joint]] = angle
        self._data.qpos[:] = qpos
        mujoco.mj_kinematics(self.model, self._data)
        mujoco.mj_comPos(self.model, self._data)

    def com_in_base(self, posture: Mapping[str, float]) -> NDArray[np.float64]:
        """Centre of mass of the whole robot in the frame of its base link, m."""
        with self._lock:
            self._move(posture)
            return np.array(self._data.subtree_com[0])

    def poses(self, posture: Mapping[str, float]) -> dict[str, NDArray[np.float64]]:
        """4 x 4 pose T_base_link of every link."""
        with self._lock:
            self._move(posture)
            poses = {}
            for link, index in self._links.items():
                pose = np.eye(4)
                pose[:3, :3] = self._data.xmat[index].reshape(3, 3)
                pose[:3, 3] = self._data.xpos[index]
                poses[link] = pose
            return poses


def vertical_extent(
    poses: Mapping[str, NDArray[np.float64]], shapes: Mapping[str, Sequence[Shape]]
) -> tuple[float, float]:
    """Lowest and highest z, m, that the shapes reach when their links are at the poses."""
    low, high = np.inf, -np.inf
    for link, primitives in shapes.items():
        for shape in primitives:
            pose = poses[link] @ shape.T_link_shape
            reach = _reach_along_z(shape, pose[2, :3])
            low, high = min(low, pose[2, 3] - reach), max(high, pose[2, 3] + reach)
    return float(low), float(high)


def _reach_along_z(shape: Shape, z_in_shape: NDArray[np.float64]) -> float:
    """How far a primitive extends from its centre along a direction given in its own frame, m."""
    if shape.kind == "box":
        return float(np.abs(z_in_shape) @ np.array(shape.size) / 2)
    if shape.kind == "cylinder":
        radius, length = shape.size
        return float(radius * np.hypot(z_in_shape[0], z_in_shape[1]) + length / 2 * abs(z_in_shape[2]))
    return shape.size[0]
