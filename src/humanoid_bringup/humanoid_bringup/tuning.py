"""A better gait by search in the simulator: how gaits are varied, and how good one is for a goal."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from humanoid_bringup.trials import Push, Trial, run_trial
from humanoid_description import Robot
from humanoid_description.inertial import GRAVITY
from humanoid_gait.gait_parameters import GaitParameters

SHARES = {
    "step_time": 0.3,
    "double_support": 0.8,
    "lift": 0.5,
    "hip_height": 0.1,
    "zmp_forward": 0.0,
    "zmp_inward": 0.0,
    "sag": 0.4,
    "lead": 1.0,
    "ankle_rate": 1.0,
    "hip_rate": 1.0,
}
"""What is varied, and by which share of its value at most."""
LENGTHS = {"zmp_forward": 0.15, "zmp_inward": 0.15}
"""What is varied by a share of the sole's length instead, as it may be zero."""
RATES = {"ankle_rate": 0.05, "hip_rate": 0.15}
"""And by seconds."""
GOALS = ("speed", "energy", "push")
SECONDS = 15.0
PUSHES = (0.2, 0.3, 0.4, 0.5)
"""N s/kg."""


def ranges(robot: Robot, gait: GaitParameters) -> dict[str, tuple[float, float]]:
    """Within which bounds the parameters of a gait are searched."""
    foot = robot.parameters.feet["left"]
    sole = foot.front + foot.rear
    limits = {item.name: item.metadata for item in dataclasses.fields(gait)}
    found = {}
    for name, share in SHARES.items():
        value = getattr(gait, name)
        reach = LENGTHS[name] * sole if name in LENGTHS else max(share * abs(value), RATES.get(name, 0.0))
        found[name] = (max(limits[name]["low"], value - reach), min(limits[name]["high"], value + reach))
    return found


def varied(gait: GaitParameters, values: Mapping[str, float]) -> GaitParameters:
    """A gait with some of its parameters replaced."""
    return dataclasses.replace(gait, **values)


@dataclass(frozen=True)
class Search:
    """What a gait is searched for."""

    robot: Robot
    present: GaitParameters
    """The gait that is varied."""
    goal: str
    """'speed': keep to the told one; 'energy': need little of it per metre; 'push': be hard to fell."""
    speed: float
    """Told, m/s."""
    seeds: int
    """Walks per gait."""
    torque_share: float
    """Torque limit over the servos' own."""


@dataclass(frozen=True)
class Score:
    """How good a gait is."""

    value: float
    """More is better; a fall costs more than a walk can give."""
    falls: int
    """Walks in which the robot fell without being pushed."""


def score(search: Search, gait: GaitParameters) -> Score:
    """How good a gait is for what is searched."""
    robot, velocity = search.robot, (search.speed, 0.0, 0.0)
    total, falls = 0.0, 0
    for seed in range(search.seeds):
        trial = Trial(robot, robot, velocity, SECONDS, seed, gait, torque_share=search.torque_share)
        outcome = run_trial(trial)
        if outcome.fell:
            falls += 1
            total += outcome.seconds / SECONDS - 2.0
            continue
        total += GOAL_SCORES[search.goal](trial, outcome.velocity[0], outcome.energy, outcome.distance)
    return Score(total / search.seeds, falls)


def _speed(trial: Trial, walked: float, energy: float, distance: float) -> float:
    return 1.0 - abs(walked / trial.velocity[0] - 1.0)


def _energy(trial: Trial, walked: float, energy: float, distance: float) -> float:
    """1 / (1 + cost of transport): 1 for a walk that needs nothing."""
    cost = energy / (trial.robot.mass * GRAVITY * max(distance, 0.01))
    return 1.0 / (1.0 + cost)


def _push(trial: Trial, walked: float, energy: float, distance: float) -> float:
    """Share of pushes from four sides that are survived."""
    survived = 0
    for quarter in range(4):
        for impulse in PUSHES:
            push = Push(quarter * math.pi / 2, impulse, 2.0)
            if run_trial(dataclasses.replace(trial, seconds=5.0, push=push)).fell:
                break
            survived += 1
    return survived / (4 * len(PUSHES))


GOAL_SCORES: Mapping[str, Callable[[Trial, float, float, float], float]] = {
    "speed": _speed,
    "energy": _energy,
    "push": _push,
}
