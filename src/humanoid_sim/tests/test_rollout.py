"""Whole walks."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from humanoid_description import RobotError, load_robot
from humanoid_gait.primitives import PrimitiveParameters, forward_walk
from humanoid_sim.rollout import Rollout, _direction, _fallen, roll_out

ROW_1 = PrimitiveParameters(0.1, 0.1, 0.85, 0.5, 1.0)
ROW_2 = PrimitiveParameters(0.2, 0.1, 0.85, 0.5, 1.0)
ROW_7 = PrimitiveParameters(0.15, 0.1, 0.85, 0.75, 1.0)


def walk(parameters: PrimitiveParameters, count: int = 3, **options: Any) -> Rollout:
    robot = load_robot("ar601m")
    reference = forward_walk(robot, parameters, count, 1e-3)
    return roll_out(robot, reference.position, reference.velocity, 1e-3, **options)


def test_a_stable_walk_arrives() -> None:
    result = walk(ROW_1)
    assert not result.fell
    assert result.fall_time is None
    assert result.distance == pytest.approx(0.3, abs=0.02)
    assert np.abs(result.torque[:500, 10]).max() == pytest.approx(85, abs=6)  # right ankle pitch; paper: nearly 90 N m


@pytest.mark.parametrize(("parameters", "direction"), [(ROW_2, "forward"), (ROW_7, "left")])
def test_a_fall_is_seen_with_its_direction(parameters: PrimitiveParameters, direction: str) -> None:
    result = walk(parameters)
    assert result.fell
    assert result.fall_direction == direction
    assert 1 < result.fall_time < 4


def test_with_the_torque_of_table_3_it_falls() -> None:
    """The paper's own conclusion: the motors are too weak for this gait."""
    assert walk(ROW_1, torque_share=1.0).fell


def test_a_base_that_came_down_upright_has_fallen_too() -> None:
    heights = np.linspace(0.95, 0.05, 10)
    level = np.array([[0, 0, height, 1, 0, 0, 0] for height in heights])
    planar = np.array([[0, height, 0] for height in heights])
    for base in (level, planar):
        assert list(_fallen(base, standing_height=1.0)) == [False] * 6 + [True] * 4
        assert _direction(base) == "down"


def test_a_motion_beyond_all_bounds_is_an_error_and_no_fall() -> None:
    robot = load_robot("ar601m")
    stiff = dataclasses.replace(robot.parameters.contact, normal_stiffness=1e299)
    robot = dataclasses.replace(robot, parameters=dataclasses.replace(robot.parameters, contact=stiff))
    still = np.zeros((5, robot.dof))
    with pytest.raises(RobotError, match="grew beyond all bounds"):
        roll_out(robot, still, still, 1e-3)


def test_references_of_the_wrong_shape_are_refused() -> None:
    with pytest.raises(RobotError, match="give \\(steps, 12\\)"):
        roll_out(load_robot("ar601m"), np.zeros((5, 3)), np.zeros((5, 3)), 1e-3)
