"""Plans of primitives."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from humanoid_description import RobotError
from humanoid_gait.primitive_library import Move
from humanoid_gait.primitive_planner import Pose, Strides, arrival, plan_moves

STRIDES = Strides(forward=0.1, backward=0.07, sideways=0.05, turn=0.15)
POSES = st.tuples(st.floats(-2, 2), st.floats(-2, 2), st.floats(-7, 7))


@given(POSES, POSES)
def test_a_plan_arrives(start: Pose, goal: Pose) -> None:
    moves = plan_moves(start, goal, STRIDES)
    x, y, yaw = arrival(start, moves)
    assert (x, y) == (pytest.approx(goal[0], abs=1e-6), pytest.approx(goal[1], abs=1e-6))
    assert math.remainder(yaw - goal[2], 2 * math.pi) == pytest.approx(0, abs=1e-6)
    assert moves[0].name == "start"
    assert moves[-1].name == "stop"
    longest = {"forward": 0.1, "backward": 0.07, "side": 0.05, "turn": 0.15, "start": 0.0, "stop": 0.0}
    for move in moves:
        assert move.size <= longest[move.name.split("_")[0]] + 1e-6


def test_a_straight_way_leads_with_both_feet_in_turn() -> None:
    moves = plan_moves((0, 0, 0), (0.35, 0, 0), STRIDES)
    assert [move.name for move in moves] == ["start", *["forward"] * 4, "stop"]
    assert [move.lead for move in moves[1:-1]] == ["left", "right", "left", "right"]
    assert moves[1].size == pytest.approx(0.0875)


def test_near_goals_are_reached_without_turning_and_far_ones_walking_forward() -> None:
    beside = plan_moves((0, 0, 0), (0.0, 0.1, 0.0), STRIDES)
    assert {move.name for move in beside[1:-1]} == {"side_left"}
    behind = plan_moves((0, 0, 0), (-0.2, 0.0, 0.0), STRIDES)
    assert {move.name for move in behind[1:-1]} == {"backward"}
    far = plan_moves((0, 0, 0), (-12.0, 0.0, 0.0), STRIDES)
    assert "forward" in {move.name for move in far}
    assert plan_moves((1, 2, 3), (1, 2, 3), STRIDES) == [Move("start"), Move("stop")]


def test_what_leads_nowhere_is_refused() -> None:
    with pytest.raises(RobotError, match="finite"):
        plan_moves((0, 0, 0), (math.nan, 0, 0), STRIDES)
    with pytest.raises(RobotError, match="above zero"):
        Strides(0.1, 0.0, 0.05, 0.15)
