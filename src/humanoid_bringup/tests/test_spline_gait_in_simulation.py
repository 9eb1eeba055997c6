"""The walk by splines on simulated robots, open loop, from the model alone."""

from __future__ import annotations

import math

import numpy as np
import pytest

from humanoid_description import load_robot
from humanoid_gait.spline_gait import SplineWalk, follow
from humanoid_gait.spline_parameters import default_parameters
from humanoid_sim.rollout import roll_out


@pytest.mark.parametrize(
    ("name", "torque_share", "command"),
    [
        ("fibo_km", 1.0, (0.05, 0.0, 0.0)),
        ("nao", 1.0, (0.08, 0.02, 0.15)),
        ("ar601m", math.inf, (0.1, 0.0, 0.0)),  # Table 3's ankles cannot carry it
    ],
)
def test_it_walks_and_stands(name: str, torque_share: float, command: tuple[float, float, float]) -> None:
    robot = load_robot(name)
    reference = follow(SplineWalk(robot, default_parameters(robot)), lambda time: command, 4.0, 1e-3)
    result = roll_out(robot, reference.position, reference.velocity, 1e-3, torque_share=torque_share)
    assert not result.fell
    moved = np.linalg.norm(result.base[-1, :2] - result.base[0, :2])
    assert moved > 0.5 * 4.0 * math.hypot(*command[:2]) * 0.8
