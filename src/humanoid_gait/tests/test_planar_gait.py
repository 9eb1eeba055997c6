"""The planar primitive of seed 003."""

from __future__ import annotations

import numpy as np
import pytest

from humanoid_description import RobotError, load_robot
from humanoid_gait.planar_gait import PlanarParameters, ankle_torque, planar_walk

ROBOT = load_robot("ar601m_planar")
PARAMETERS = PlanarParameters()


def angle(sample: int, joint: str, count: int = 2) -> float:
    """Of a joint at a millisecond of the walk, in degrees."""
    walk = planar_walk(ROBOT, PARAMETERS, count, 1e-3)
    return float(np.degrees(walk.position[sample, ROBOT.joint_names.index(joint)]))


def test_the_phases_follow_each_other() -> None:
    assert angle(400, "left_hip_pitch") == pytest.approx(-22)  # negative pitch is forward
    assert angle(400, "left_knee") == pytest.approx(50)
    assert angle(700, "left_hip_pitch") == pytest.approx(-14)
    assert angle(700, "left_knee") == pytest.approx(0)
    assert angle(1200, "right_knee") == pytest.approx(15)
    assert planar_walk(ROBOT, PARAMETERS, 1, 1e-3).reachable


def test_a_primitive_begins_and_ends_upright_and_at_rest() -> None:
    walk = planar_walk(ROBOT, PARAMETERS, 3, 1e-3)
    assert len(walk.position) == 9000
    for sample in (0, 1700, 2500, 3000, 6000, 8999):
        np.testing.assert_allclose(walk.position[sample], 0, atol=1e-9)
        np.testing.assert_allclose(walk.velocity[sample], 0, atol=0.05)


def test_the_next_primitive_is_the_same_with_legs_exchanged() -> None:
    position = planar_walk(ROBOT, PARAMETERS, 2, 1e-3).position
    left = [index for index, name in enumerate(ROBOT.joint_names) if name.startswith("left")]
    right = [index for index, name in enumerate(ROBOT.joint_names) if name.startswith("right")]
    np.testing.assert_allclose(position[3000:, left], position[:3000, right], atol=1e-9)
    np.testing.assert_allclose(position[3000:, right], position[:3000, left], atol=1e-9)


def test_speeds_are_the_derivative_and_have_no_jumps() -> None:
    walk = planar_walk(ROBOT, PARAMETERS, 2, 1e-3)
    steps = 0.5 * (walk.velocity[1:] + walk.velocity[:-1]) * 1e-3
    assert np.abs(np.cumsum(steps, axis=0) - walk.position[1:]).max() < 1e-4
    assert np.abs(np.diff(walk.velocity, axis=0)).max() < 0.05  # 50 rad/s^2


@pytest.mark.parametrize("time", [0.0, 1.69, 3.5, 4.69])
def test_ankles_turn_freely_while_the_robot_steps(time: float) -> None:
    assert ankle_torque(PARAMETERS, time, 0.3, 0.0) == 0
    assert ankle_torque(PARAMETERS, time, 0.3, 2.0) == -4.0


@pytest.mark.parametrize("time", [1.71, 2.9, 4.71])
def test_ankles_damp_at_the_end_of_a_step(time: float) -> None:
    assert ankle_torque(PARAMETERS, time, 0.1, 0.0) == pytest.approx(-40)
    assert ankle_torque(PARAMETERS, time, 0.0, 0.1) == pytest.approx(-10)


def test_what_is_out_of_range_is_said() -> None:
    assert not planar_walk(ROBOT, PlanarParameters(lifted_knee=3.0), 1, 1e-2).reachable


@pytest.mark.parametrize(
    ("change", "message"), [({"reach": float("nan")}, "finite"), ({"joined": 3.0}, "follow each other")]
)
def test_bad_parameters_are_refused(change: dict[str, float], message: str) -> None:
    with pytest.raises(RobotError, match=message):
        PlanarParameters(**change)


def test_bad_requests_are_refused() -> None:
    with pytest.raises(RobotError, match="ar601m_planar"):
        planar_walk(load_robot("ar601m"), PARAMETERS, 1, 1e-3)
    with pytest.raises(RobotError, match="one or more"):
        planar_walk(ROBOT, PARAMETERS, 0, 1e-3)
    with pytest.raises(RobotError, match="Ask for fewer"):
        planar_walk(ROBOT, PARAMETERS, 10_000_000, 1e-3)
