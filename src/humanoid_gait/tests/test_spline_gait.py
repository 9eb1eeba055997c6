"""Walk by splines."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from humanoid_description import Robot, RobotError, load_robot
from humanoid_gait.primitives import JointReference
from humanoid_gait.spline_gait import SplineWalk, WalkStep, follow
from humanoid_gait.spline_parameters import default_parameters

ROBOTS = {name: load_robot(name) for name in ("fibo_km", "nao", "ar601m")}
FIBO = ROBOTS["fibo_km"]


def steps(walk: SplineWalk, commands: list[tuple[float, float, float]]) -> list[WalkStep]:
    """Steps by these commands, then to a stop."""
    made: list[WalkStep] = []
    for command in [*commands, *[(0.0, 0.0, 0.0)] * 3]:
        step = walk.next_step(*command, made[-1].ends if made else 0.0)
        if step is None:
            break
        made.append(step)
    return made


def soles(robot: Robot, reference: JointReference) -> np.ndarray:
    """Lowest height (m) of each foot's sole below the higher one's, over time: zero for a foot on level ground."""
    heights = []
    for angles in reference.position:
        poses = robot.poses(dict(zip(robot.joint_names, angles, strict=True)))
        lowest = [
            min((poses[foot.link] @ [*corner, 1])[2] for corner in foot.corners_in_foot)
            for foot in robot.parameters.feet.values()
        ]
        heights.append(lowest)
    return np.array(heights)


@pytest.mark.parametrize("name", ROBOTS)
def test_joint_accelerations_are_continuous_while_the_command_changes(name: str) -> None:
    robot = ROBOTS[name]

    def command(time: float) -> tuple[float, float, float]:
        return 0.08 * np.sin(time), 0.02 * np.cos(2 * time), 0.15 * np.sin(0.7 * time + 1)

    jumps = []
    for dt in (2e-3, 1e-3):
        reference = follow(SplineWalk(robot, default_parameters(robot)), command, 4.0, dt)
        assert reference.reachable
        jumps.append(np.abs(np.diff(reference.position, 3, axis=0)).max() / dt**2)
        moving = np.abs(reference.velocity).max(axis=1)
        assert max(moving[0], moving[-1]) < 1e-2
    assert jumps[1] < 0.6 * jumps[0]


def test_the_feet_land_where_the_command_leads() -> None:
    walk = SplineWalk(FIBO, default_parameters(FIBO))
    made = steps(walk, [(0.1, 0.0, 0.0)] * 10)
    left, right = made[-1].prints["left"], made[-1].prints["right"]
    assert left.x == pytest.approx(right.x)
    assert left.x == pytest.approx(10 * 0.1 * walk.parameters.period)
    assert left.y - right.y == pytest.approx(walk.parameters.stance)
    # Sideways and turning go with the outer foot, twice as far, so that feet do not come closer.
    walk = SplineWalk(FIBO, default_parameters(FIBO))
    made = steps(walk, [(0.0, -0.02, 0.0)] * 10)
    assert made[-1].prints["right"].y + 0.0425 == pytest.approx(-10 * 0.02 * walk.parameters.period)
    walk = SplineWalk(FIBO, default_parameters(FIBO))
    made = steps(walk, [(0.0, 0.0, 0.2)] * 10)
    assert made[-1].prints["left"].yaw == pytest.approx(10 * 0.2 * walk.parameters.period)
    for step in made:
        left, right = step.prints["left"], step.prints["right"]
        assert np.hypot(left.x - right.x, left.y - right.y) > 0.99 * walk.parameters.stance


def test_feet_alternate_and_it_stops_on_both() -> None:
    walk = SplineWalk(FIBO, default_parameters(FIBO))
    made = steps(walk, [(0.1, 0.0, 0.0)] * 3)
    assert [step.swinging for step in made] == ["right", "left", "right", "left"]
    assert [step.final for step in made] == [False, False, False, True]
    assert walk.next_step(0.0, 0.0, 0.0, 99.0) is None
    hips = made[-1].hip
    np.testing.assert_allclose(hips.xy(made[-1].rests), [0.15, 0.0], atol=1e-9)
    again = walk.next_step(0.1, 0.0, 0.0, 99.0)
    assert again is not None
    assert again.begins == 99.0
    np.testing.assert_allclose(again.hip.xy(99.0), [0.15, 0.0], atol=1e-9)


def test_the_foot_that_carries_is_flat_on_the_ground_and_none_is_below() -> None:
    reference = follow(SplineWalk(FIBO, default_parameters(FIBO)), lambda time: (0.1, 0.0, 0.1), 2.0, 0.02)
    heights = soles(FIBO, reference)
    lower = heights.min(axis=1)
    np.testing.assert_allclose(lower, -default_parameters(FIBO).hip_low, atol=1e-3)
    lift = default_parameters(FIBO).lift
    assert (heights.max(axis=1) - lower).max() == pytest.approx(lift, abs=0.1 * lift)


def test_hips_and_feet_follow_the_ground() -> None:
    def stairs(x: float, y: float, yaw: float) -> tuple[float, float]:
        return (0.01, -0.05) if x > 0.06 else (0.0, 0.0)

    walk = SplineWalk(FIBO, replace(default_parameters(FIBO), toe_off=0.1, heel_strike=0.1), stairs)
    made = steps(walk, [(0.1, 0.0, 0.0)] * 4)
    last = made[-1]
    for side, swing in last.swings.items():
        assert swing.pitch(swing.pitch.t[-1]) == pytest.approx(-0.05)
        expected = 0.01 + 0.031 * np.cos(0.05)
        assert swing.ankle(swing.ankle.t[-1])[2] == pytest.approx(expected), side
    assert last.hip.z(last.rests) == pytest.approx(0.01 + walk.parameters.hip_low)
    angles, possible = walk.joint_angles(last, np.array([last.rests]))
    assert possible
    poses = FIBO.poses(dict(zip(FIBO.joint_names, angles[0], strict=True)))
    np.testing.assert_allclose(np.arcsin(-poses["left_foot"][2, 0]), -0.05, atol=1e-9)


def test_commands_beyond_the_longest_step_are_shortened_and_those_that_are_none_refused() -> None:
    parameters = default_parameters(FIBO)
    made = steps(SplineWalk(FIBO, parameters), [(9.0, 9.0, 9.0)] * 2)
    assert made[0].prints["right"].yaw == 0.0  # the right foot is the inner one of this turn
    assert made[0].prints["right"].x == pytest.approx(parameters.max_step)
    assert made[1].prints["left"].yaw == pytest.approx(parameters.max_turn)
    walk = SplineWalk(FIBO, parameters)
    with pytest.raises(RobotError, match="finite"):
        walk.next_step(float("nan"), 0.0, 0.0, 0.0)
    assert walk.next_step(0.0, 0.0, 0.0, 0.0) is None
    with pytest.raises(RobotError, match="zero from the beginning"):
        follow(walk, lambda time: (0.0, 0.0, 0.0), 1.0, 1e-2)


def test_what_is_out_of_reach_is_said() -> None:
    tall = replace(default_parameters(FIBO), hip_low=0.29, hip_high=0.29)
    assert not follow(SplineWalk(FIBO, tall), lambda time: (0.1, 0.0, 0.0), 1.0, 1e-2).reachable
