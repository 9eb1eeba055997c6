"""Triangles of boxes, cylinders and spheres."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from humanoid_description.urdf import Shape

Array = NDArray[np.float64]
SIDES = 24
"""Of what is round."""


@dataclass(frozen=True)
class Mesh:
    """Triangles, counter-clockwise seen from outside."""

    vertices: Array
    """Shape (n, 3), m."""
    faces: NDArray[np.uint32]
    """Three vertices each, shape (m, 3)."""

    def placed(self, T: Array) -> Mesh:
        """The mesh in another frame."""
        return Mesh(self.vertices @ T[:3, :3].T + T[:3, 3], self.faces)


def box_mesh(size: tuple[float, ...]) -> Mesh:
    """A box about its centre; edges along x, y and z in m."""
    corners = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]) * size
    squares = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    faces = [triangle for a, b, c, d in squares for triangle in ((a, b, c), (a, c, d))]
    return Mesh(corners, np.array(faces, np.uint32))


def turned_mesh(profile: Array) -> Mesh:
    """A solid of revolution about z, from (radius, height) from its lowest point on the axis to its highest, m."""
    angle = np.linspace(0.0, 2 * np.pi, SIDES, endpoint=False)
    radius, height = profile.T
    around = np.stack([np.outer(radius, np.cos(angle)), np.outer(radius, np.sin(angle))], axis=-1)
    vertices = np.concatenate([around, np.broadcast_to(height[:, None, None], (*around.shape[:2], 1))], axis=-1)
    faces = []
    for ring in range(len(profile) - 1):
        for side in range(SIDES):
            a, b = ring * SIDES + side, ring * SIDES + (side + 1) % SIDES
            if radius[ring] > 0:
                faces.append((a, b, b + SIDES))
            if radius[ring + 1] > 0:
                faces.append((a, b + SIDES, a + SIDES))
    return Mesh(vertices.reshape(-1, 3), np.array(faces, np.uint32))


def shape_mesh(shape: Shape) -> Mesh:
    """A shape of a link, in the link's frame."""
    if shape.kind == "box":
        mesh = box_mesh(shape.size)
    elif shape.kind == "cylinder":
        radius, length = shape.size
        mesh = turned_mesh(np.array([(0.0, -0.5), (1.0, -0.5), (1.0, 0.5), (0.0, 0.5)]) * (radius, length))
    else:
        angle = np.linspace(0.0, np.pi, SIDES // 2 + 1)
        outline = np.stack([np.sin(angle), -np.cos(angle)], axis=1)
        outline[[0, -1], 0] = 0.0
        mesh = turned_mesh(outline * shape.size[0])
    return mesh.placed(shape.T_link_shape)


def joined(meshes: Iterable[Mesh]) -> Mesh:
    """Several meshes as one."""
    parts = list(meshes)
    first = np.cumsum([0, *(len(part.vertices) for part in parts)])
    faces = [part.faces + np.uint32(start) for part, start in zip(parts, first[:-1], strict=True)]
    return Mesh(np.concatenate([part.vertices for part in parts]), np.concatenate(faces))
