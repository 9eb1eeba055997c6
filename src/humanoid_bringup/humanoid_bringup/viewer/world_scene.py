"""Draws what is around the robots: the ground, the boxes and lines that the world has, and the ball."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import viser
from numpy.typing import NDArray

from humanoid_bringup.viewer.base_pose import rotation_of
from humanoid_bringup.viewer.robot_scene import wxyz_of
from humanoid_bringup.viewer.shape_mesh import box_mesh, joined
from humanoid_description.urdf import pose

Array = NDArray[np.float64]
GRASS, BARE = (96, 148, 92), (228, 232, 238)
GRASS_RIM = 1.0
"""m of grass around the lines."""


@dataclass(frozen=True)
class Thing:
    """Something of the world."""

    name: str
    kind: str
    """'box', 'lines' or 'ball'."""
    position: tuple[float, float, float]
    """m."""
    size: tuple[float, float, float]
    """m; of lines the first is their width."""
    points: Array
    """Ends of lines in pairs, m, shape (n, 3)."""


class WorldScene:
    """The surroundings."""

    def __init__(self, scene: viser.SceneApi) -> None:
        self._scene = scene
        self._handles: dict[str, viser.SceneNodeHandle] = {}
        self._ground = scene.add_grid(
            "/ground",
            plane="xy",
            infinite_grid=True,
            cell_size=0.1,
            section_size=1.0,
            cell_color=(214, 219, 226),
            section_color=(184, 190, 200),
            fade_distance=9.0,
            shadow_opacity=0.25,
        )

    def show(self, things: list[Thing]) -> None:
        """Draw what the world has, in place of what was drawn before."""
        for handle in self._handles.values():
            handle.remove()
        self._handles.clear()
        self._ground.visible = not any(thing.kind == "lines" for thing in things)
        for thing in things:
            path = f"/world/{thing.name}"
            if thing.kind == "box":
                handle = self._scene.add_box(
                    path, dimensions=thing.size, color=(245, 245, 245), position=thing.position
                )
            elif thing.kind == "lines":
                handle = self._lines(path, thing)
            else:
                handle = self._scene.add_icosphere(
                    path, thing.size[0] / 2, (250, 120, 30), subdivisions=3, position=thing.position
                )
            self._handles[thing.name] = handle

    def _lines(self, path: str, thing: Thing) -> viser.SceneNodeHandle:
        """Lines as one mesh, on grass."""
        length, width = 2 * np.abs(thing.points[:, :2]).max(axis=0) + 2 * GRASS_RIM
        frame = self._scene.add_frame(path, show_axes=False)
        self._scene.add_box(
            f"{path}/grass",
            dimensions=(float(length), float(width), 0.01),
            color=GRASS,
            position=(0, 0, -0.006),
            cast_shadow=False,
        )
        pieces = []
        for start, end in thing.points.reshape(-1, 2, 3):
            along = end - start
            yaw = float(np.arctan2(along[1], along[0]))
            x, y, z = (start + end) / 2
            box = box_mesh((float(np.linalg.norm(along)) + thing.size[0], thing.size[0], 0.001))
            pieces.append(box.placed(pose(x, y, z, 0.0, 0.0, yaw)))
        mesh = joined(pieces)
        self._scene.add_mesh_simple(
            f"{path}/painted",
            mesh.vertices,
            mesh.faces,
            color=(250, 250, 250),
            cast_shadow=False,
        )
        return frame

    def move_ball(self, position: Array, orientation_xyzw: Array) -> None:
        """Put the ball (m) where it is."""
        if "ball" in self._handles:
            self._handles["ball"].position = position
            self._handles["ball"].wxyz = wxyz_of(rotation_of(orientation_xyzw))
