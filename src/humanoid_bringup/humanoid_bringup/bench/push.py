"""The largest push that a robot survives, from every side, standing and walking, with balance and without."""

from __future__ import annotations

import math
from dataclasses import dataclass

from joblib import Parallel, delayed
from tqdm import tqdm

from humanoid_bringup.trials import Push, Trial, run_trial
from humanoid_description import Robot

STEP = 0.1
"""N s/kg between two pushes that are tried."""
LARGEST = 1.0
"""N s/kg."""
BEFORE, AFTER = 2.0, 3.0
"""s that a robot walks before and after the push."""
STATES = {"standing": 0.0, "walking": 0.3}
"""Speeds, m/s."""


@dataclass(frozen=True)
class Row:
    """How hard a robot can be pushed."""

    state: str
    balance: bool
    direction_deg: float
    """From forward to the left."""
    impulse_per_kg: float
    """The largest that the robot survived with every seed, and all smaller ones too, N s/kg; 0 for none."""


def largest_push(
    robot: Robot, state: str, balance: bool, direction_deg: float, seeds: range, largest: float = LARGEST
) -> Row:
    """Push harder and harder, up to a largest push (N s/kg), until the robot falls with one of the seeds."""
    survived = 0.0
    for number in range(1, round(largest / STEP) + 1):
        push = Push(math.radians(direction_deg), number * STEP, BEFORE)
        velocity = (STATES[state], 0.0, 0.0)
        trials = (Trial(robot, robot, velocity, BEFORE + AFTER, seed, balance=balance, push=push) for seed in seeds)
        if any(run_trial(trial).fell for trial in trials):
            break
        survived = round(number * STEP, 3)
    return Row(state, balance, direction_deg, survived)


def push_table(robot: Robot, directions: int, seeds: range, largest: float = LARGEST) -> list[Row]:
    """Rows for pushes from all around, up to a largest one (N s/kg), on all cores."""
    cases = [
        (state, balance, 360.0 * index / directions)
        for state in STATES
        for balance in (False, True)
        for index in range(directions)
    ]
    rows = Parallel(n_jobs=-1, return_as="generator")(
        delayed(largest_push)(robot, *case, seeds, largest) for case in cases
    )
    return list(tqdm(rows, total=len(cases), desc="pushing", disable=None, leave=False))
