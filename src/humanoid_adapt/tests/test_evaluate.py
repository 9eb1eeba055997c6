"""The evaluation."""

from __future__ import annotations

import numpy as np
import pytest

from humanoid_adapt.evaluate import METHODS, Score, evaluate_robot, summarize
from humanoid_adapt.paper_ann import train_on_robots
from humanoid_description import Robot


def score(error: float, right: bool | None, sd: float | None) -> Score:
    spread = None if sd is None else np.full(3, sd)
    return Score(np.array([error, 0.0, 0.0]), 0.01, right, spread, 0.02)


def test_a_summary_counts_errors_places_and_coverage() -> None:
    robots = [
        {
            m: score(error, error < 0.002 if m.startswith("map") else None, 0.001 if m.startswith("map") else None)
            for m in METHODS
        }
        for error in (0.0005, 0.0015, 0.003)
    ]
    row = summarize(robots)["map"]
    assert row["com_mean_mm"] == pytest.approx(5 / 3)
    assert row["com_max_mm"] == pytest.approx(3.0)
    assert row["place_accuracy"] == pytest.approx(2 / 3)
    assert row["coverage68"] == pytest.approx(7 / 9)
    assert row["coverage95"] == pytest.approx(8 / 9)
    assert summarize(robots)["cad"]["coverage68"] is None


def test_one_robot_is_scored_by_every_method(fibo: Robot) -> None:
    scores = evaluate_robot(fibo, 11, "paper", train_on_robots(fibo, count=10))
    assert set(scores) == set(METHODS)
    assert all(np.isfinite(one.com_error).all() and np.isfinite(one.tip_error) for one in scores.values())
    assert scores["map"].com_sd is not None
    assert scores["cad"].place_right is None
