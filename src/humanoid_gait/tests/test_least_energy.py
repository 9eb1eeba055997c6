"""The motion of least electrical energy."""

from __future__ import annotations

import numpy as np
import pytest

from humanoid_description import RobotError, load_robot
from humanoid_gait.energy import Motion, energy, motor_torque
from humanoid_gait.least_energy import least_energy

ROBOT = load_robot("fibo_km")


def cubic(goal: dict[str, float], duration: float) -> Motion:
    time = np.linspace(0, duration, 61)
    reach = np.array([goal.get(name, 0.0) for name in ROBOT.joint_names])
    s = (time / duration)[:, None]
    speed, acceleration = 6 * reach * s * (1 - s) / duration, 6 * reach * (1 - 2 * s) / duration**2
    return Motion(time, reach * s**2 * (3 - 2 * s), speed, acceleration)


def needed(motion: Motion) -> float:
    return energy(ROBOT, motion.time, motor_torque(ROBOT, motion), motion.velocity).total


def test_it_needs_less_than_a_cubic_where_there_is_gravity() -> None:
    goal = {"left_shoulder_pitch": -1.5}
    assert needed(least_energy(ROBOT, {}, goal, 2.0)) < 0.9 * needed(cubic(goal, 2.0))


def test_without_gravity_it_is_the_cubic() -> None:
    # A turning inertia with fixed work has least heat where the integral of the squared acceleration is least.
    goal = {"head_yaw": 0.6}
    best, plain = least_energy(ROBOT, {}, goal, 1.0), cubic(goal, 1.0)
    assert needed(best) == pytest.approx(needed(plain), rel=2e-3)
    np.testing.assert_allclose(best.position, plain.position, atol=0.02)


def test_it_starts_and_ends_at_rest_within_the_limits() -> None:
    goal = {"left_shoulder_pitch": -1.0, "left_elbow": -1.0}
    motion = least_energy(ROBOT, {"head_yaw": 0.2}, {"head_yaw": 0.2, **goal}, 0.3)
    names = ROBOT.joint_names
    assert motion.position[-1, names.index("left_elbow")] == pytest.approx(-1.0)
    np.testing.assert_allclose(motion.velocity[[0, -1]], 0, atol=1e-9)
    np.testing.assert_array_equal(motion.position[:, names.index("head_yaw")], 0.2)
    assert np.abs(motion.velocity).max() <= 7.7 * (1 + 1e-5)
    slope = np.gradient(motion.position, motion.time, axis=0, edge_order=2)
    np.testing.assert_allclose(motion.velocity, slope, atol=0.05)


@pytest.mark.parametrize(("goal", "duration"), [({"head_yaw": 1.5}, 0.05), ({}, 1.0), ({"head_yaw": 0.1}, 0.0)])
def test_what_cannot_be_is_refused(goal: dict[str, float], duration: float) -> None:
    with pytest.raises(RobotError, match="least_energy"):
        least_energy(ROBOT, {}, goal, duration)
