"""The contact law, against an independent NumPy version and its own physics."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from humanoid_description.parameters import Contact
from humanoid_sim.contact import GRAVITY, contact_vector, foot_wrench, point_force, point_law

# Seed 003, Table 2.
TABLE_2 = Contact("linear", 1_000_000, 10_000, 1000, 10)
S1 = contact_vector(TABLE_2, 65.0, 4)[None, :]
HUNT_CROSSLEY = dataclasses.replace(TABLE_2, law="hunt_crossley")
S2 = contact_vector(HUNT_CROSSLEY, 65.0, 4)[None, :]
HERTZ = contact_vector(dataclasses.replace(HUNT_CROSSLEY, exponent=1.5), 65.0, 4)[None, :]
every_law = pytest.mark.parametrize("parameters", [S1, S2, HERTZ], ids=["S1", "S2", "n=1.5"])
depth = st.floats(1e-6, 2e-3)
speed = st.floats(-2, 2)


def reference_force(
    parameters: NDArray[np.float64], position: NDArray[np.float64], velocity: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Eqs 3-5 in plain NumPy, written from the paper."""
    law, k, b, bt, mu, n = parameters[0]
    z, zd = -position[2], -velocity[2]
    if z <= 0:
        return np.zeros(3)
    normal = k * z + b * zd if law == 0 else k * z**n + b * z**n * zd
    normal = max(normal, 0.0)
    tangential = -bt * (1 if law == 0 else z) * velocity[:2]
    size = np.linalg.norm(tangential)
    if size > mu * normal:
        tangential *= mu * normal / size
    return np.array([*tangential, normal])


@every_law
@given(z=st.floats(-1e-3, 2e-3), vx=speed, vy=speed, vz=speed)
def test_compiled_and_plain_agree(parameters: NDArray[np.float64], z: float, vx: float, vy: float, vz: float) -> None:
    ours = point_force(parameters, 0, -z, vx, vy, vz)
    expected = reference_force(parameters, np.array([0, 0, -z]), np.array([vx, vy, vz]))
    np.testing.assert_allclose(ours, expected, rtol=1e-12, atol=1e-12)


@every_law
@given(z=depth, rate=speed)
def test_derivatives_are_those_of_the_force(parameters: NDArray[np.float64], z: float, rate: float) -> None:
    _, by_depth, by_rate, _ = point_law(parameters, 0, z, rate)
    step = 1e-4 * z
    for difference, derivative in (
        (
            point_law(parameters, 0, z + step, rate)[0] - point_law(parameters, 0, z - step, rate)[0],
            by_depth * 2 * step,
        ),
        (point_law(parameters, 0, z, rate + 1e-6)[0] - point_law(parameters, 0, z, rate - 1e-6)[0], by_rate * 2e-6),
    ):
        assert difference == pytest.approx(derivative, rel=1e-5, abs=1e-6)


@every_law
@given(z=depth, vx=speed, vy=speed, vz=speed)
def test_a_contact_never_creates_energy(
    parameters: NDArray[np.float64], z: float, vx: float, vy: float, vz: float
) -> None:
    """Power on the body plus growth of the spring's energy is never above zero."""
    fx, fy, fz = point_force(parameters, 0, -z, vx, vy, vz)
    spring_power = parameters[0, 1] * z ** parameters[0, 5] * -vz
    assert fx * vx + fy * vy + fz * vz + spring_power <= 1e-9 * (1 + abs(spring_power))


@given(z=depth, vx=speed, vy=speed, vz=speed)
def test_it_pushes_and_stays_within_friction(z: float, vx: float, vy: float, vz: float) -> None:
    for parameters in (S1, S2, HERTZ):
        fx, fy, fz = point_force(parameters, 0, -z, vx, vy, vz)
        assert fz >= 0
        assert np.hypot(fx, fy) <= 10 * fz * (1 + 1e-12)
        assert fx * vx <= 0


def test_above_ground_there_is_nothing() -> None:
    assert point_force(S1, 0, 0.0, 1.0, 1.0, -1.0) == (0.0, 0.0, 0.0)


def test_both_readings_agree_at_the_depth_of_single_support() -> None:
    sink = 65 * GRAVITY / (4 * 1e6)
    assert sink == pytest.approx(0.16e-3, rel=0.01)
    for nonlinear in (S2, HERTZ):
        for quantity in (0, 2, 3):  # force, its derivative by rate, tangential damping
            linear = point_law(S1, 0, sink, 0.1)[quantity]
            assert point_law(nonlinear, 0, sink, 0.1)[quantity] == pytest.approx(linear, rel=1e-9)


def test_more_points_share_the_load() -> None:
    eight = contact_vector(TABLE_2, 65.0, 8)[None, :]
    assert 2 * point_law(eight, 0, 1e-4, 0.1)[0] == pytest.approx(point_law(S1, 0, 1e-4, 0.1)[0])


@given(st.tuples(*[st.floats(-0.5, 0.5)] * 6), st.floats(-0.3, 0.3))
def test_the_wrench_is_the_sum_over_points(motion: tuple[float, ...], tilt: float) -> None:
    points = np.array([[0.1, 0.05, -0.1], [0.1, -0.05, -0.1], [-0.1, -0.05, -0.1], [-0.1, 0.05, -0.1]])
    rotation = np.array([[np.cos(tilt), 0, np.sin(tilt)], [0, 1, 0], [-np.sin(tilt), 0, np.cos(tilt)]])
    origin, linear, angular = np.array([0.3, 0.2, 0.0995]), np.array(motion[:3]), np.array(motion[3:])
    wrench = foot_wrench(np.tile(S1, (4, 1)), points, rotation, origin, linear, angular)
    expected = np.zeros(6)
    for point in points:
        arm = rotation @ point
        force = reference_force(S1, origin + arm, linear + np.cross(angular, arm))
        expected += [*force, *np.cross(arm, force)]
    np.testing.assert_allclose(wrench, expected, rtol=1e-11, atol=1e-9)
