"""What is kept of a robot."""

from __future__ import annotations

import numpy as np
import pytest
from seen_robot import standing

from humanoid_bringup.viewer.robot_state import REMEMBERED, VARIABLES, JointMemory, RobotState
from humanoid_description import RobotError, load_robot

ROBOT = load_robot("fibo_km")


def test_variables_of_a_joint_come_from_their_messages() -> None:
    state = standing(ROBOT)
    state.hear_joints(2.0, 0.0, {"left_knee": (0.5, -1.0, 2.0), "no_joint": (1.0, 1.0, 1.0)})
    state.hear_reference({"left_knee": 0.6, "no_joint": 1.0})
    state.hear_temperature("left_knee", 41.0)
    assert state.joints["left_knee"] == {
        "reference": 0.6,
        "angle": 0.5,
        "speed": -1.0,
        "torque": 2.0,
        "temperature": 41.0,
    }
    assert state.posture["left_knee"] == 0.5


def test_before_its_description_a_robot_is_nothing_and_a_bad_one_changes_nothing() -> None:
    state = RobotState("r_ghost")
    state.hear_joints(1.0, 0.0, {"left_knee": (0.5, 0.0, 0.0)})
    assert state.posture == {}
    assert state.ghost
    with pytest.raises(RobotError):
        state.describe("<nothing/>")
    assert state.model is None


def test_a_tilted_base_has_fallen() -> None:
    state = standing(ROBOT)
    assert not state.fallen
    state.base.tell(np.zeros(3), np.array([0.0, np.sin(0.5), 0.0, np.cos(0.5)]))
    assert state.fallen


def test_the_memory_is_bounded_ordered_and_thinned_out() -> None:
    memory = JointMemory(["a", "b"])
    values = np.zeros((2, len(VARIABLES)))
    for number in range(REMEMBERED + 500):
        values[1, list(VARIABLES).index("angle")] = number
        memory.add(0.01 * number, values)
    times, angles = memory.series("b", "angle", 100_000)
    assert len(times) == REMEMBERED
    assert angles[-1] == REMEMBERED + 499
    assert (np.diff(times) > 0).all()
    assert len(memory.series("b", "angle", 300)[0]) <= 300
    memory.add(0.0, values)  # a reset
    assert memory.series("a", "angle", 300)[0].tolist() == [0.0]
