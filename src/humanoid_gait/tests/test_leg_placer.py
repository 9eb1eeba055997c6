"""Legs for a plan: feet and centre of mass where they shall be."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from humanoid_description import load_robot
from humanoid_gait.dcm import natural_frequency
from humanoid_gait.gait_parameters import derived_gait
from humanoid_gait.leg_placer import LegPlacer
from humanoid_gait.pattern import WalkPattern
from humanoid_gait.whole_body import WholeBody

DT = 0.01


@pytest.mark.parametrize("name", ["fibo_km", "nao", "ar601m"])
def test_a_walk_is_placed_where_it_was_planned(name: str) -> None:
    robot = load_robot(name)
    gait = dataclasses.replace(derived_gait(robot), torso_pitch=0.1)
    placer, body = LegPlacer(robot, gait.hip_height, gait.torso_pitch), WholeBody(robot)
    pattern = WalkPattern(gait, natural_frequency(placer.com_height(gait.stance)), np.array([0.01, 0.01]))
    pattern.wanted = np.array([0.5 * gait.max_forward, 0.0, 0.2])
    torques = []
    for tick in range(300):
        planned = pattern.tick(DT)
        placed = placer.place(planned, np.array([gait.zmp_forward, -gait.zmp_inward]))
        assert placed.reachable
        torques.append(placed.torque)
        if tick < 20:
            continue
        body.move(placed.position)
        (left, R_left), (right, _) = body.foot("left"), body.foot("right")
        # Seen from the left foot, which is level, everything else is where the plan has it.
        x, y, yaw = planned.feet["left"]
        c, s = np.cos(yaw), np.sin(yaw)
        R_world_base = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) @ R_left.T
        step = R_world_base @ (right - left)
        wanted = planned.feet["right"][:2] - planned.feet["left"][:2]
        assert step[:2] == pytest.approx(wanted, abs=1e-9)
        assert step[2] == pytest.approx(planned.heights["right"] - planned.heights["left"], abs=1e-9)
        com = (R_world_base @ (body.com - left))[:2] + np.array([x, y])
        assert com == pytest.approx(planned.com, abs=0.004)  # one tick late in knowing where the swinging leg is
    weight = robot.mass * 9.81
    assert 0 < np.abs(torques).max() < weight * (gait.hip_height + 0.1)


def test_the_height_of_the_centre_of_mass_grows_with_the_hips() -> None:
    robot = load_robot("fibo_km")
    low, high = (LegPlacer(robot, height, 0.0).com_height(0.085) for height in (0.19, 0.21))
    assert 0.01 < high - low < 0.02
