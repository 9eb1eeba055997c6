"""Walks in the simulator."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from humanoid_bringup.trials import Outcome, Push, Trial, run_trial, run_trials
from humanoid_description import load_robot


def walked(name: str, velocity: tuple[float, float, float], **options: object) -> Outcome:
    robot = load_robot(name)
    return run_trial(Trial(robot, robot, velocity, 5.0, seed=3, **options))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "velocity", "share"),
    [
        ("fibo_km", (0.4, 0.0, 0.0), 1.0),
        ("fibo_km", (0.05, 0.0, 0.3), 1.0),
        ("fibo_km", (0.0, 0.05, 0.0), 1.0),
        ("nao", (0.15, 0.0, 0.0), 1.0),
        ("ar601m", (0.2, 0.0, 0.0), 5.0),
    ],
)
def test_robots_walk_as_told(name: str, velocity: tuple[float, float, float], share: float) -> None:
    outcome = walked(name, velocity, torque_share=share)
    assert not outcome.fell
    # The torso, whose speed is measured, is some centimetres from the point about which the feet turn.
    tolerance = 0.15 * np.linalg.norm(velocity[:2]) + 0.06 * abs(velocity[2])
    assert outcome.velocity[:2] == pytest.approx(velocity[:2], abs=tolerance)
    # FIBO-KM cannot feel a slow turn about the vertical.
    assert outcome.velocity[2] == pytest.approx(velocity[2], abs=0.03 + 0.15 * abs(velocity[2]))
    assert outcome.energy > 0
    assert outcome.zmp_margin > 0.005


def test_the_same_seed_gives_the_same_walk_in_any_process() -> None:
    robot = load_robot("fibo_km")
    trials = [Trial(robot, robot, (0.2, 0.0, 0.0), 2.0, seed) for seed in (1, 1, 2)]
    first, again, other = run_trials(trials, "test", jobs=2)
    assert dataclasses.asdict(first) == dataclasses.asdict(again) == dataclasses.asdict(run_trial(trials[0]))
    assert first.velocity != other.velocity


def test_a_hard_push_fells_a_robot_and_a_soft_one_does_not() -> None:
    soft, hard = (walked("fibo_km", (0.0, 0.0, 0.0), push=Push(math.pi, size, 1.0)) for size in (0.1, 2.0))
    assert not soft.fell
    assert hard.fell
    assert hard.seconds < 5.0


def test_a_robot_whose_legs_give_way_upright_falls() -> None:
    robot = load_robot("fibo_km", ["torso:1000:0,0,0"])
    outcome = run_trial(Trial(robot, robot, (0.1, 0.0, 0.0), 5.0, seed=0))
    assert outcome.fell
    assert outcome.seconds == 0.0


def test_weak_servos_are_at_their_limit() -> None:
    strong, weak = (walked("ar601m", (0.2, 0.0, 0.0), torque_share=share) for share in (5.0, 1.0))
    assert weak.fell
    assert weak.full_drive["left_knee"] > strong.full_drive["left_knee"]
