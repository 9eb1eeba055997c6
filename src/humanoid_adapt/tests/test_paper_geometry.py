"""The paper's equations, literally."""

from __future__ import annotations

import math

import pytest

from humanoid_adapt.paper_geometry import exact_com, falling_angle, geometric_com


def test_eq_8_is_counts_times_300_over_1024_degrees() -> None:
    assert math.degrees(falling_angle(512, 482)) == pytest.approx(30 * 300 / 1024)


def test_eqs_9_to_13_of_a_symmetric_robot_are_on_the_axis() -> None:
    angle = math.radians(12)
    com = geometric_com(angle, angle, angle, angle, 0.05, 0.05, 0.03)
    assert (com.y, com.z) == (pytest.approx(0.0), pytest.approx(0.0))
    # Eq 11 is the hypotenuse over the rear edge, not the height.
    height = 0.05 / math.tan(angle) + 0.03
    assert com.x == pytest.approx(math.hypot(height, 0.05))
    assert exact_com(angle, angle, 0.05, 0.05)[1] == pytest.approx(0.05 / math.sin(angle))


def test_eq_13_has_no_half() -> None:
    left, right = math.radians(14), math.radians(10)
    com = geometric_com(0.2, 0.2, left, right, 0.05, 0.05, 0.03)
    assert com.y == pytest.approx(-com.x * math.tan(left - right))
