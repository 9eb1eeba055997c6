"""The usual is learned, the unusual is told."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from humanoid_gait.habit import KNOWN_AFTER, Habit

MIRROR = np.array([1.0, -1.0])


def usual(remaining: float, support: str) -> np.ndarray:
    sway = np.array([np.cos(9 * remaining), np.sin(9 * remaining)])
    return sway if support == "left" else MIRROR * sway


def learned(steps: int) -> Habit:
    habit = Habit(0.2, 0.01, MIRROR, unusual=0.5)
    for step in range(steps):
        for tick in range(20):
            support = ("left", "right")[step % 2]
            habit.unexpected(tick * 0.01, support, usual(tick * 0.01, support))
    return habit


def test_what_repeats_itself_is_expected_on_both_feet() -> None:
    habit = learned(10)
    for support in ("left", "right"):
        assert habit.unexpected(0.1, support, usual(0.1, support)) == pytest.approx([0.0, 0.0], abs=1e-12)


def test_a_disturbance_is_told_as_it_is_and_not_learned() -> None:
    habit = learned(10)
    blow = np.array([0.7, -0.4])
    for _ in range(20):
        assert habit.unexpected(0.1, "right", usual(0.1, "right") + blow) == pytest.approx(blow)


def test_a_lasting_change_becomes_usual() -> None:
    habit = learned(10)
    change = np.array([0.1, 0.05])
    told = [habit.unexpected(0.1, "left", usual(0.1, "left") + change)[0] for _ in range(60)]
    assert told[0] == pytest.approx(0.1)
    assert abs(told[-1]) < 0.01
    assert all(later < earlier for earlier, later in itertools.pairwise(told))


def test_at_first_nothing_is_unexpected() -> None:
    habit = Habit(0.2, 0.01, MIRROR, unusual=0.5)
    for _ in range(KNOWN_AFTER):
        assert not habit.unexpected(0.1, "left", np.array([3.0, 3.0])).any()
