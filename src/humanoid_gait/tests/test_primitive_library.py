"""Walking primitives as a library."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from humanoid_description import Robot, RobotError, load_robot
from humanoid_gait.primitive_library import DIRECTIONS, Move, Primitive, join, make_primitive
from humanoid_gait.primitives import PrimitiveParameters

AR601M, NAO = load_robot("ar601m"), load_robot("nao")
PARAMETERS = {
    "ar601m": PrimitiveParameters(step=0.1, lift=0.1, torso_height=0.85, period=0.5, pause=1.0),
    "nao": PrimitiveParameters(step=0.03, lift=0.02, torso_height=0.35, period=0.3, pause=0.5),
}
SIZES = {
    "forward": 0.03,
    "backward": 0.02,
    "side_left": 0.015,
    "side_right": 0.015,
    "turn_left": 0.15,
    "turn_right": 0.15,
}


def feet(robot: Robot, posture: np.ndarray) -> np.ndarray:
    """Pose of the right foot as the left one sees it."""
    poses = robot.poses(dict(zip(robot.joint_names, posture, strict=True)))
    return np.linalg.inv(poses["left_foot"]) @ poses["right_foot"]


@pytest.mark.parametrize("robot", [AR601M, NAO], ids=["ar601m", "nao"])
@pytest.mark.parametrize("name", DIRECTIONS)
def test_a_step_primitive_ends_as_it_began_with_the_feet_apart_between(robot: Robot, name: str) -> None:
    parameters, move = PARAMETERS[robot.name], Move(name, SIZES[name])
    primitive = make_primitive(robot, parameters, move)
    half = parameters.period + parameters.pause
    first, between, last = primitive.at(np.array([0.0, half - 1e-3, 2 * half]))
    np.testing.assert_allclose(last, first, atol=1e-12)
    # While it pauses, one foot is ahead by what the body is displaced in the whole primitive.
    forward, left, turn = move.displacement
    apart = np.linalg.inv(feet(robot, first)) @ feet(robot, between)
    half_stance = robot.poses({})["left_foot"][1, 3]
    chord = 2 * half_stance * np.sin(abs(turn) / 2)
    assert np.linalg.norm(apart[:2, 3]) == pytest.approx(np.hypot(forward, left) + chord, rel=1e-6)
    assert abs(np.arctan2(apart[1, 0], apart[0, 0])) == pytest.approx(abs(turn), abs=1e-9)


def test_the_lead_foot_goes_first() -> None:
    time = np.array([0.25])
    lifted = {}
    for lead in ("left", "right"):
        posture = make_primitive(AR601M, PARAMETERS["ar601m"], Move("forward", 0.1, lead)).at(time)[0]
        lifted[lead] = feet(AR601M, posture)[2, 3]
    assert lifted["left"] == pytest.approx(-0.1)
    assert lifted["right"] == pytest.approx(0.1)
    turn = make_primitive(AR601M, PARAMETERS["ar601m"], Move("turn_right", 0.1, "left")).at(time)[0]
    assert feet(AR601M, turn)[2, 3] == pytest.approx(0.1)  # the outer foot, whatever is asked


def test_joined_primitives_begin_and_end_in_the_stand_with_continuous_acceleration() -> None:
    moves = [Move("start"), Move("forward", 0.1), Move("side_left", 0.05), Move("turn_right", 0.1), Move("stop")]
    stand = [AR601M.parameters.stand.get(name, 0.0) for name in AR601M.joint_names]
    jumps = []
    for dt in (4e-3, 2e-3):
        reference = join([make_primitive(AR601M, PARAMETERS["ar601m"], move) for move in moves], dt)
        np.testing.assert_allclose(reference.position[[0, -1]], [stand, stand], atol=1e-12)
        assert len(reference.position) == pytest.approx((2 * 1.5 + 3 * 3.0) / dt, abs=2)
        jumps.append(np.abs(np.diff(reference.position, 3, axis=0)).max() / dt**2)
    assert jumps[1] < 0.6 * jumps[0]


def test_what_does_not_join_is_refused() -> None:
    start, forward = (make_primitive(AR601M, PARAMETERS["ar601m"], Move(name, 0.1)) for name in ("start", "forward"))
    with pytest.raises(RobotError, match="'forward' does not begin where"):
        join([make_primitive(AR601M, replace(PARAMETERS["ar601m"], torso_height=0.8), Move("start")), forward], 1e-2)
    jerky = Primitive(Move("forward", 0.1), 1.0, lambda time: forward.at(time + 0.1))
    with pytest.raises(RobotError, match="at rest"):
        join([start, jerky], 1e-2)
    # The paper's cosine is at rest at its ends, but not without force.
    cosine = Primitive(Move("forward", 0.1), 3.0, lambda time: forward.at(0 * time) + 0.1 * (1 - np.cos(time))[:, None])
    with pytest.raises(RobotError, match="at rest"):
        join([cosine], 1e-2)
    with pytest.raises(RobotError, match="one or more"):
        join([], 1e-2)


def test_steps_out_of_reach_and_unknown_moves_are_refused() -> None:
    far = make_primitive(AR601M, PARAMETERS["ar601m"], Move("forward", 0.9))
    with pytest.raises(RobotError, match="out of reach"):
        join([far], 1e-2)
    with pytest.raises(RobotError, match="Did you mean 'forward'"):
        Move("forwards", 0.1)
    with pytest.raises(RobotError, match="Give a size"):
        Move("forward", -0.1)
