"""The search for a better gait."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from humanoid_bringup import tuning
from humanoid_bringup.tuning import Search, ranges, score, varied
from humanoid_description import load_robot
from humanoid_gait.gait_parameters import load_gait

ROBOT = load_robot("fibo_km")
GAIT = load_gait(ROBOT)


def test_every_gait_in_the_range_is_one() -> None:
    bounds, random = ranges(ROBOT, GAIT), np.random.default_rng(1)
    for name, (low, high) in bounds.items():
        assert low <= getattr(GAIT, name) <= high
        assert low < high
    for _ in range(50):
        gait = varied(GAIT, {name: random.uniform(*limits) for name, limits in bounds.items()})
        assert gait.stance == GAIT.stance


def test_a_walk_scores_above_a_fall(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "SECONDS", 4.0)
    search = Search(ROBOT, GAIT, "speed", 0.2, 1, 1.0)
    good, bad = score(search, GAIT), score(dataclasses.replace(search, torque_share=0.1), GAIT)
    assert 0.8 < good.value <= 1.0
    assert good.falls == 0
    assert bad.value < 0
    assert bad.falls == 1
    thrifty = score(dataclasses.replace(search, goal="energy"), GAIT)
    assert 0 < thrifty.value < 1
