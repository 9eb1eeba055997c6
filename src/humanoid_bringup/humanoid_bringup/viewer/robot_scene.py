"""Draws a robot as nested frames: links hang on joints as in its description, and a joint turns one frame."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import trimesh
import viser
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from humanoid_bringup.viewer.shown_model import ShownModel, Visual
from humanoid_description.urdf import UrdfJoint, pose

Array = NDArray[np.float64]
CYLINDER_SIDES = 24
GHOST_COLOUR = (0.25, 0.6, 1.0)
GHOST_OPACITY = 0.35


def wxyz_of(rotation: Array) -> Array:
    """Quaternion of a 3 x 3 rotation, as viser takes it."""
    return np.asarray(Rotation.from_matrix(rotation).as_quat()[[3, 0, 1, 2]])


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
        self._joints: dict[str, tuple[viser.FrameHandle, UrdfJoint, Rotation]] = {}
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
        place, turned = T_parent_child[:3, 3], T_parent_child[:3, :3]
        frame = self._scene.add_frame(name, show_axes=False, position=place, wxyz=wxyz_of(turned))
        if joint.kind == "revolute":
            self._joints[joint.name] = (frame, joint, Rotation.from_matrix(turned))
        self._draw(joint.child)

    def _draw(self, link: str) -> None:
        """All primitives of a colour as one mesh, so that the page has few things to move."""
        groups: dict[tuple[float, float, float], list[Visual]] = {}
        for visual in self._model.visuals[link]:
            colour = GHOST_COLOUR if self._ghost else visual.colour
            groups.setdefault(colour, []).append(visual)
        for number, (colour, visuals) in enumerate(groups.items()):
            mesh = trimesh.util.concatenate([_mesh(visual) for visual in visuals])
            red, green, blue = (round(255 * share) for share in colour)
            self._scene.add_mesh_simple(
                f"{self._names[link]}/shape_{number}",
                vertices=np.asarray(mesh.vertices),
                faces=np.asarray(mesh.faces),
                color=(red, green, blue),
                opacity=GHOST_OPACITY if self._ghost else None,
                flat_shading=True,
                cast_shadow=not self._ghost,
            )

    def show(self, posture: Mapping[str, float], T_world_base: Array) -> None:
        """Move it: joint angles (rad) and the pose of its base."""
        self.base.position, self.base.wxyz = T_world_base[:3, 3], wxyz_of(T_world_base[:3, :3])
        for name, angle in posture.items():
            frame, joint, turned = self._joints[name]
            turn = turned * Rotation.from_rotvec(angle * np.array(joint.axis) / np.linalg.norm(joint.axis))
            frame.wxyz = turn.as_quat()[[3, 0, 1, 2]]

    def remove(self) -> None:
        """Take it out of the scene."""
        self.base.remove()


def _mesh(visual: Visual) -> trimesh.Trimesh:
    shape = visual.shape
    if shape.kind == "box":
        mesh = trimesh.creation.box(extents=shape.size)
    elif shape.kind == "cylinder":
        radius, length = shape.size
        mesh = trimesh.creation.cylinder(radius=radius, height=length, sections=CYLINDER_SIDES)
    else:
        mesh = trimesh.creation.icosphere(subdivisions=2, radius=shape.size[0])
    return mesh.apply_transform(shape.T_link_shape)
