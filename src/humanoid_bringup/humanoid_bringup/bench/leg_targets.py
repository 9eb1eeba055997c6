"""Poses of a foot that every solver of inverse kinematics is asked for, and the error of what it answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from humanoid_description import Robot
from humanoid_gait.leg_ik import Leg, leg_of

Array = NDArray[np.float64]
SIDE = "left"
START = np.array([0.0, 0.0, -0.4, 0.8, -0.4, 0.0])
"""Angles (rad) of Leg.joint_names from which a solver that needs a beginning goes to every target: knee bent."""
SPREAD = np.array([0.3, 0.2, 0.3, 0.4, 0.3, 0.2])
"""How far (rad) the angles behind the targets are from there, at most."""
STEP_TOLERANCE, MAX_ITERATIONS = 1e-4, 50
"""A solver that iterates has arrived when no angle changes by more than this (rad): the next error is its square."""


@dataclass(frozen=True)
class Targets:
    """Poses of a robot's left foot, all of them reachable."""

    robot: Robot
    leg: Leg
    foot: str
    """Its link."""
    T_base_foot: Array
    """Shape (targets, 4, 4)."""


@dataclass(frozen=True)
class Solution:
    """What a solver answered, and what it cost."""

    angles: Array
    """Of Leg.joint_names, rad, shape (targets, 6)."""
    cpu_times: tuple[float, ...]
    """s that the processor worked, in parts that are the same in every run."""


Solve = Callable[[Targets], Solution]
"""Find the angles for all targets; every solver has such a function."""


def targets_of(robot: Robot, count: int, seed: int = 0) -> Targets:
    """Poses that come from angles around START."""
    leg, foot = leg_of(robot, SIDE), robot.parameters.feet[SIDE].link
    angles = START + SPREAD * np.random.default_rng(seed).uniform(-1, 1, (count, START.size))
    return Targets(robot, leg, foot, _foot_poses(robot, leg, foot, angles))


def errors(targets: Targets, angles: Array) -> tuple[float, float]:
    """Greatest distance (m) and angle (rad) between the foot, by MuJoCo's kinematics, and where it shall be."""
    found = _foot_poses(targets.robot, targets.leg, targets.foot, angles)
    distance = np.linalg.norm(found[:, :3, 3] - targets.T_base_foot[:, :3, 3], axis=1)
    # |R - S| = 2 sqrt(2) sin(angle / 2): near zero better than the arc cosine of a trace
    apart = np.linalg.norm(found[:, :3, :3] - targets.T_base_foot[:, :3, :3], axis=(1, 2))
    return float(distance.max()), float(2 * np.arcsin(np.clip(apart / np.sqrt(8), 0, 1)).max())


def _foot_poses(robot: Robot, leg: Leg, foot: str, angles: Array) -> Array:
    return np.array([robot.poses(dict(zip(leg.joint_names, row, strict=True)))[foot] for row in angles])
