"""The support polygon, against an independent hull."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial import ConvexHull

from humanoid_description.support_polygon import support_polygon


@given(st.integers(0, 2**32 - 1), st.integers(3, 12))
def test_it_is_the_convex_hull(seed: int, count: int) -> None:
    corners = np.random.default_rng(seed).normal(size=(count, 3))
    found = support_polygon(corners)
    hull = ConvexHull(corners[:, :2])
    assert {tuple(corner) for corner in found} == {tuple(corner) for corner in corners[hull.vertices]}
    x, y = found[:, 0], found[:, 1]
    area = 0.5 * float(x @ np.roll(y, -1) - y @ np.roll(x, -1))
    assert area == pytest.approx(hull.volume)  # and counter-clockwise


def test_two_soles_side_by_side_have_four_corners_in_common() -> None:
    sole = np.array([(0.1, 0.03), (0.1, -0.03), (-0.05, -0.03), (-0.05, 0.03)])
    beside = np.array((0.0, 0.05))
    both = np.concatenate([sole + beside, sole - beside])
    found = support_polygon(both)
    assert sorted(map(tuple, found)) == [(-0.05, -0.08), (-0.05, 0.08), (0.1, -0.08), (0.1, 0.08)]


@pytest.mark.parametrize(
    "corners", [np.zeros((0, 3)), np.zeros((4, 3)), np.array([(0.0, 0.0), (1.0, 1.0), (2.0, 2.0)])]
)
def test_what_spans_nothing_has_no_area(corners: np.ndarray) -> None:
    assert len(support_polygon(corners)) < 3
