"""The clock and the verdict that are the same for all engines."""

from __future__ import annotations

import math

import numpy as np
import pytest

from humanoid_bringup.bench.task import (
    Outcome,
    armatures,
    follow,
    gains,
    in_order,
    pose,
    servo_gains,
    start_height,
)
from humanoid_description import load_robot
from humanoid_gait.primitives import JointReference


def reference(steps: int, dt: float = 0.01) -> JointReference:
    return JointReference(dt, np.zeros((steps, 12)), np.zeros((steps, 12)), reachable=True)


def tilted(angle: float) -> np.ndarray:
    c, s = math.cos(angle), math.sin(angle)
    return pose(np.array([[1, 0, 0], [0, c, -s], [0, s, c]]), np.array([1.0, 2.0, 3.0]))


def test_every_step_is_asked_for_once_and_in_order() -> None:
    asked: list[int] = []
    outcome = follow(reference(25), lambda start, stop: asked.extend(range(start, stop)), lambda: np.eye(4))
    assert asked == list(range(25))
    assert (outcome.fell, outcome.steps, len(outcome.cpu_times)) == (False, 25, 3)
    assert outcome.seconds == pytest.approx(0.25)


@pytest.mark.parametrize(("end", "fell"), [(np.radians(49), False), (np.radians(51), True), (math.nan, True)])
def test_a_fall_ends_it(end: float, fell: bool) -> None:
    now = [0]

    def advance(_: int, stop: int) -> None:
        now[0] = stop

    outcome = follow(reference(50), advance, lambda: tilted(end if now[0] >= 20 else 0.0))
    assert outcome.fell == fell
    assert outcome.steps == (20 if fell else 50)
    np.testing.assert_array_equal(outcome.base_in_world, [1, 2, 3])


def test_figures_follow_from_the_times() -> None:
    outcome = Outcome(False, 200, 1e-3, (1.5, 0.5), np.zeros(3))
    assert outcome.us_per_step == pytest.approx(1e4)
    assert outcome.real_time_factor == pytest.approx(0.1)


def test_the_lower_sole_starts_on_the_ground() -> None:
    robot = load_robot("ar601m")
    assert start_height(robot, np.zeros(12)) == pytest.approx(0.28 + 0.28 + 0.106 + 0.272)
    one_leg_bent = np.array([1.0 if name == "left_knee" else 0.0 for name in robot.joint_names])
    assert start_height(robot, one_leg_bent) == pytest.approx(0.28 + 0.28 + 0.106 + 0.272)


def test_gains_are_those_of_the_servo_laws() -> None:
    walker, kid = load_robot("ar601m"), load_robot("fibo_km")
    assert servo_gains(walker.parameters.servos["knee"]) == (5000, 100, math.inf)
    rx = kid.parameters.servos["rx28"]
    stiffness, damping, limit = servo_gains(rx)
    assert stiffness * rx.compliance_slope == pytest.approx(limit)
    assert damping * rx.no_load_speed == pytest.approx(limit)
    names = ["left_knee", "head_yaw"]
    np.testing.assert_allclose(gains(kid, names)[2], [6.23, 3.42])
    np.testing.assert_allclose(armatures(kid, names), [0.005, 0.003])


def test_a_reference_is_put_into_an_engines_order_and_back() -> None:
    robot = load_robot("ar601m")
    random = np.random.default_rng(0)
    ours = JointReference(1e-3, random.normal(size=(4, 12)), random.normal(size=(4, 12)), reachable=True)
    names = list(random.permutation(robot.joint_names))
    theirs = in_order(robot, ours, names)
    knee = robot.joint_names.index("left_knee")
    np.testing.assert_array_equal(theirs.position[:, names.index("left_knee")], ours.position[:, knee])
    np.testing.assert_array_equal(
        theirs.velocity[:, np.argsort([robot.joint_names.index(n) for n in names])], ours.velocity
    )
