"""Fall tests."""

from __future__ import annotations

from humanoid_adapt.fall_test import FallTest


def test_a_test_knows_which_feet_carry() -> None:
    both, left = FallTest("a", "both", "forward"), FallTest("b", "left", "right")
    assert (both.support_feet, both.swing_foot, both.left_share) == (("left", "right"), None, 0.5)
    assert (left.support_feet, left.swing_foot, left.left_share) == (("left",), "right", 1.0)
    assert FallTest("c", "right", "left").left_share == 0.0
