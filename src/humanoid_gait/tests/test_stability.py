"""The zero moment point against closed forms, and that of planned walks inside their support."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from humanoid_description import Robot, RobotError, load_robot
from humanoid_description.inertial import GRAVITY
from humanoid_gait.gait_parameters import load_gait
from humanoid_gait.stability import WholeMotion, distance_inside, stability, zmp_of_links, zmp_of_masses

PERIOD = 0.01
TICKS = np.arange(5) * PERIOD
SQUARE = np.array([[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]])


@pytest.fixture(scope="module")
def fibo() -> Robot:
    return load_robot("fibo_km")


def standing(robot: Robot, T_plan_base: np.ndarray) -> WholeMotion:
    """A motion of a robot that holds its posture."""
    stand = [robot.parameters.stand.get(name, 0.0) for name in robot.joint_names]
    return WholeMotion(np.tile(stand, (len(T_plan_base), 1)), T_plan_base, PERIOD)


def pushed(acceleration: np.ndarray, height: float) -> np.ndarray:
    """Poses of a base that starts at rest and is accelerated (m/s^2)."""
    T = np.tile(np.eye(4), (len(TICKS), 1, 1))
    T[:, :3, 3] = 0.5 * TICKS[:, None] ** 2 * acceleration + [0.1, -0.2, height]
    return T


@given(st.tuples(*[st.floats(-3.0, 3.0)] * 3))
def test_a_body_that_does_not_turn_has_the_point_of_the_pendulum(acceleration: tuple[float, float, float]) -> None:
    robot = load_robot("nao")
    pull = np.array(acceleration)
    T_plan_base = pushed(pull, height=0.4)
    com = T_plan_base[:, :3, 3] + robot.com_in_base(robot.parameters.stand)
    # m c'' = f + m g with f through the point: p = c - z c'' / (g + z'').
    expected = com[1:-1, :2] - com[1:-1, 2:] * pull[:2] / (GRAVITY + pull[2])
    assert zmp_of_links(robot, standing(robot, T_plan_base)) == pytest.approx(expected, abs=1e-9)
    assert zmp_of_masses(np.array([robot.mass]), com[:, None], PERIOD) == pytest.approx(expected, abs=1e-9)
    three = robot.three_mass(robot.parameters.stand).masses
    positions = np.array([T_plan_base[:, :3, 3] + mass.com_in_base for mass in three]).swapaxes(0, 1)
    weights = np.array([mass.mass for mass in three])
    assert zmp_of_masses(weights, positions, PERIOD) == pytest.approx(expected, abs=1e-9)


def test_only_the_links_feel_the_inertia_of_a_turn_about_the_centre_of_mass(fibo: Robot) -> None:
    turning = 2.0  # rad/s^2 about y
    T_plan_base = pushed(np.zeros(3), height=0.3)
    com_in_base = fibo.com_in_base(fibo.parameters.stand)
    com = T_plan_base[0, :3, 3] + com_in_base
    for pose, time in zip(T_plan_base, TICKS, strict=True):
        angle = 0.5 * turning * time**2
        c, s = math.cos(angle), math.sin(angle)
        pose[:3, :3] = [[c, 0, s], [0, 1, 0], [-s, 0, c]]
        pose[:3, 3] = com - pose[:3, :3] @ com_in_base
    zmp = zmp_of_links(fibo, standing(fibo, T_plan_base))
    poses = fibo.poses(fibo.parameters.stand)
    inertia = 0.0  # about y through the centre of mass
    for link, body in fibo.inertials.items():
        R, place = poses[link][:3, :3], poses[link][:3, :3] @ body.com_in_link + poses[link][:3, 3] - com_in_base
        inertia += (R @ body.inertia_about_com @ R.T)[1, 1] + body.mass * (place[0] ** 2 + place[2] ** 2)
    # The ground's torque turns the body: M = I a = -m g (p - c).
    assert zmp[0, 0] - com[0] == pytest.approx(-inertia * turning / (fibo.mass * GRAVITY), rel=1e-3)
    assert zmp[0, 1] == pytest.approx(com[1], abs=1e-6)


@given(st.floats(-1.0, 3.0), st.floats(-1.0, 3.0))
def test_the_distance_from_a_square_is_known(x: float, y: float) -> None:
    beyond = max(abs(x - 1.0), abs(y - 1.0)) - 1.0
    outside = math.hypot(max(abs(x - 1.0) - 1.0, 0.0), max(abs(y - 1.0) - 1.0, 0.0))
    expected = -beyond if beyond <= 0.0 else -outside
    assert distance_inside(SQUARE, np.array([x, y])) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("name", "velocity", "margin"),
    [
        ("fibo_km", (0.1, 0.0, 0.0), 0.004),
        ("fibo_km", (0.2, 0.0, 0.15), 0.004),
        ("fibo_km", (0.0, 0.05, 0.0), 0.001),
        ("nao", (0.15, 0.0, 0.0), 0.02),
        ("ar601m", (0.25, 0.0, 0.0), 0.04),
    ],
)
def test_a_planned_walk_keeps_its_point_inside_the_support(
    name: str, velocity: tuple[float, float, float], margin: float
) -> None:
    robot = load_robot(name)
    found = stability(robot, load_gait(robot), velocity, 3.0)
    assert found.one_mass.least > margin
    assert found.three_masses.least > margin
    assert found.all_links.least > margin
    assert found.all_links.inside == 1.0


def test_too_short_a_walk_is_refused(fibo: Robot) -> None:
    with pytest.raises(RobotError, match=r"stability: 0\.02 s are no walk"):
        stability(fibo, load_gait(fibo), (0.1, 0.0, 0.0), 0.02)
