"""Draws a robot as nested frames: links hang on joints as in its description, and a joint turns one frame."""

from __future__ import annotations

from collections.abc import Mapping

import mujoco
import numpy as np
import viser
from numpy.typing import NDArray

from humanoid_bringup.viewer.shape_mesh import joined, shape_mesh
from humanoid_bringup.viewer.shown_model import ShownModel, Visual
from humanoid_description.urdf import UrdfJoint, pose

Array = NDArray[np.float64]
GHOST_COLOUR = (0.25, 0.6, 1.0)
GHOST_OPACITY = 0.35


def wxyz_of(rotation: Array) -> Array:
    """Quaternion of a 3 x 3 rotation, as viser takes it."""
    wxyz = np.empty(4)
    mujoco.mju_mat2Quat(wxyz, rotation.flatten())
    return wxyz


class RobotScene:
    """A robot in the scene, under a name of its own."""

    def __init__(self, scene: viser.SceneApi, name: str, model: ShownModel, ghost: bool = False) -> None:
        """Put a robot into the scene.

        Args:
            scene: Of the page.
            name: Path of its base frame, such as /robots/fibo_km.
            model: What it looks like.
            ghost: Whether it is drawn translucent, for comparison.
        """
        self._scene, self._model, self._ghost = scene, model, ghost
        self.base = scene.add_frame(name, show_axes=False)
        """Frame of the base link in the world."""
        self._joints: dict[str, tuple[viser.FrameHandle, Array, Array]] = {}
        """Frame, quaternion of it at zero, and axis of each joint."""
        self._names = {model.model.root: name}
        self._draw(model.model.root)
        waiting = list(model.model.joints.values())
        while waiting:  # parents first, in whatever order the description names them
            joint = next(joint for joint in waiting if joint.parent in self._names)
            waiting.remove(joint)
            self._hang(joint)

    def _hang(self, joint: UrdfJoint) -> None:
        name = f"{self._names[joint.parent]}/{joint.child}"
        self._names[joint.child] = name
        T_parent_child = pose(*joint.origin)
        wxyz = wxyz_of(T_parent_child[:3, :3])
        frame = self._scene.add_frame(name, show_axes=False, position=T_parent_child[:3, 3], wxyz=wxyz)
        if joint.kind == "revolute":
            self._joints[joint.name] = (frame, wxyz, np.array(joint.axis) / np.linalg.norm(joint.axis))
        self._draw(joint.child)

    def _draw(self, link: str) -> None:
        """All primitives of a colour as one mesh, so that the page has few things to move."""
        groups: dict[tuple[float, float, float], list[Visual]] = {}
        for visual in self._model.visuals[link]:
            colour = GHOST_COLOUR if self._ghost else visual.colour
            groups.setdefault(colour, []).append(visual)
        for number, (colour, visuals) in enumerate(groups.items()):
            mesh = joined(shape_mesh(visual.shape) for visual in visuals)
            red, green, blue = (round(255 * share) for share in colour)
            self._scene.add_mesh_simple(
                f"{self._names[link]}/shape_{number}",
                vertices=mesh.vertices,
                faces=mesh.faces,
                color=(red, green, blue),
                opacity=GHOST_OPACITY if self._ghost else None,
                flat_shading=True,
                cast_shadow=not self._ghost,
            )

    def show(self, posture: Mapping[str, float], T_world_base: Array) -> None:
        """Move it: joint angles (rad) and the pose of its base."""
        self.base.position, self.base.wxyz = T_world_base[:3, 3], wxyz_of(T_world_base[:3, :3])
        for name, angle in posture.items():
            frame, at_zero, axis = self._joints[name]
            turn, wxyz = np.empty(4), np.empty(4)
            mujoco.mju_axisAngle2Quat(turn, axis, angle)
            mujoco.mju_mulQuat(wxyz, at_zero, turn)
            frame.wxyz = wxyz

    def remove(self) -> None:
        """Take it out of the scene."""
        self.base.remove()
