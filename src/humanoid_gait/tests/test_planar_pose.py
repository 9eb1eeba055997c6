"""Poses on the ground: group laws, and arcs against fine integration."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from humanoid_gait.planar_pose import advance, compose, place

numbers = st.floats(-2.0, 2.0)
poses = st.tuples(numbers, numbers, numbers).map(np.array)


@given(poses, poses, poses)
def test_steps_can_be_taken_together(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> None:
    assert compose(compose(a, b), c) == pytest.approx(compose(a, compose(b, c)), abs=1e-12)


@given(poses, poses, st.floats(0.0, 2.0))
def test_an_arc_is_many_short_ways(pose: np.ndarray, twist: np.ndarray, seconds: float) -> None:
    little = pose
    for _ in range(8):
        little = advance(little, twist, seconds / 8)
    assert advance(pose, twist, seconds) == pytest.approx(little, abs=1e-12)


def test_it_begins_in_the_direction_of_the_velocity() -> None:
    pose, twist, dt = np.array([0.3, -0.2, 0.7]), np.array([0.4, 0.1, 0.9]), 1e-7
    expected = place(pose, twist[:2] * dt)
    assert (advance(pose, twist, dt)[:2] - pose[:2]) / dt == pytest.approx((expected - pose[:2]) / dt, rel=1e-6)
