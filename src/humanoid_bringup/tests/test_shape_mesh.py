"""Triangles of shapes: closed, outside out, and as large as the shape."""

from __future__ import annotations

import math

import numpy as np
import pytest

from humanoid_bringup.viewer.shape_mesh import SIDES, Mesh, box_mesh, joined, shape_mesh
from humanoid_description.urdf import Shape, pose

T = pose(0.3, -0.2, 0.5, 0.4, -0.2, 2.0)
POLYGON = SIDES / (2 * math.pi) * math.sin(2 * math.pi / SIDES)  # area of a many-sided disc over that of a round one


def volume(mesh: Mesh) -> float:
    """By the divergence theorem; negative if it is inside out."""
    a, b, c = (mesh.vertices[mesh.faces[:, corner]] for corner in range(3))
    return float(np.sum(a * np.cross(b, c)) / 6)


def is_closed(mesh: Mesh) -> bool:
    """Whether every edge belongs to two triangles, once in each direction."""
    places = np.unique(mesh.vertices.round(9), axis=0, return_inverse=True)[1].reshape(-1)
    corners = places[mesh.faces.astype(int)]
    edges = [(int(face[k]), int(face[(k + 1) % 3])) for face in corners for k in range(3)]
    return len(set(edges)) == len(edges) and all((b, a) in edges for a, b in edges)


@pytest.mark.parametrize(
    ("kind", "size", "expected", "off"),
    [
        ("box", (0.1, 0.2, 0.3), 0.006, 1e-12),
        ("cylinder", (0.1, 0.4), math.pi * 0.01 * 0.4 * POLYGON, 1e-12),
        ("sphere", (0.1,), 4 / 3 * math.pi * 0.001, 0.03),
    ],
)
def test_a_shape_is_closed_and_has_its_volume_wherever_it_is(
    kind: str, size: tuple[float, ...], expected: float, off: float
) -> None:
    mesh = shape_mesh(Shape(kind, size, T))
    assert is_closed(mesh)
    assert volume(mesh) == pytest.approx(expected, rel=max(off, 1e-9))
    np.testing.assert_allclose((mesh.vertices.min(axis=0) + mesh.vertices.max(axis=0)) / 2, T[:3, 3], atol=0.01)


def test_joined_meshes_keep_their_triangles() -> None:
    one, other = box_mesh((1.0, 1.0, 1.0)), box_mesh((2.0, 1.0, 1.0)).placed(T)
    both = joined([one, other])
    assert volume(both) == pytest.approx(3.0)
    assert is_closed(both)
