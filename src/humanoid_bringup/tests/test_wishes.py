"""Wishes are values."""

from __future__ import annotations

from typing import get_args

from humanoid_bringup.viewer.wishes import Carry, Wish


def test_wishes_can_be_compared_and_say_what_they_are_for() -> None:
    assert Carry("r", "torso", 0.1) == Carry("r", "torso", 0.1, (0.0, 0.0, 0.0))
    for kind in get_args(Wish):
        assert kind.__doc__
        assert kind.__dataclass_params__.frozen
