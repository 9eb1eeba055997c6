"""Targets for inverse kinematics and the errors of the answers."""

from __future__ import annotations

import numpy as np
import pytest

from humanoid_bringup.bench.leg_targets import SPREAD, START, errors, targets_of
from humanoid_description import load_robot

ROBOT = load_robot("fibo_km")


def angles_behind(count: int) -> np.ndarray:
    return START + SPREAD * np.random.default_rng(0).uniform(-1, 1, (count, 6))


@pytest.mark.parametrize("name", ["ar601m", "fibo_km"])
def test_targets_are_within_the_ranges_of_the_joints(name: str) -> None:
    robot = load_robot(name)
    for low, high, joint in zip(START - SPREAD, START + SPREAD, targets_of(robot, 1).leg.joint_names, strict=True):
        assert robot.parameters.joints[joint].lower <= low < high <= robot.parameters.joints[joint].upper


def test_the_angles_behind_the_targets_have_no_error() -> None:
    assert errors(targets_of(ROBOT, 20), angles_behind(20)) == (0.0, 0.0)


def test_a_turned_ankle_is_an_error_of_its_angle_alone() -> None:
    turned = angles_behind(5)
    turned[3, 5] += 0.01
    distance, angle = errors(targets_of(ROBOT, 5), turned)
    assert distance == pytest.approx(0, abs=1e-12)
    assert angle == pytest.approx(0.01)


def test_a_bent_knee_moves_the_foot_by_the_length_of_the_shank() -> None:
    bent = angles_behind(5)
    bent[2, 3] += 1e-4
    bent[2, 4] -= 1e-4
    distance, angle = errors(targets_of(ROBOT, 5), bent)
    assert distance == pytest.approx(1e-4 * targets_of(ROBOT, 1).leg.shank, rel=1e-3)
    assert angle == pytest.approx(0, abs=1e-8)
