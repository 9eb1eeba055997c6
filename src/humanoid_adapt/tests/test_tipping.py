"""The exact tipping condition."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from humanoid_adapt.fall_test import FallTest
from humanoid_adapt.limbs import as_array, ramp_vector
from humanoid_adapt.paper_geometry import exact_com
from humanoid_adapt.tipping import Tipping, edge_distance, sole_tilt
from humanoid_description import Robot, inertial, load_robot

TESTS = [FallTest("", "both", "forward"), FallTest("", "both", "backward"), FallTest("", "left", "right")]


@pytest.mark.parametrize("test", TESTS)
def test_the_condition_is_linear_in_masses_and_first_moments(fibo: Robot, test: FallTest) -> None:
    angles = 0.1 * np.sin(np.arange(fibo.dof))
    tipping = Tipping(fibo)
    row = tipping.row(test, angles)
    changed = fibo.with_inertials({"head": inertial(0.4, (0.01, 0.02, 0.03), np.full(3, 1e-4))})
    other = Tipping(changed)
    # The sole's tilt depends on the weight; the rest of the row does not depend on any mass.
    difference = sole_tilt(changed, test) - sole_tilt(fibo, test)
    expected = row.value(other.masses, other.moments) + difference * other.row(test, angles).height * changed.mass
    assert other.row(test, angles).value(other.masses, other.moments) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("test", TESTS)
def test_its_slope_in_the_joints_is_that_of_finite_differences(fibo: Robot, test: FallTest) -> None:
    angles = 0.1 * np.cos(np.arange(fibo.dof))
    tipping = Tipping(fibo)
    row = tipping.row(test, angles)
    for joint in range(fibo.dof):
        step = np.zeros(fibo.dof)
        step[joint] = 1e-5
        rise = tipping.beyond_edge(test, angles + step) - tipping.beyond_edge(test, angles - step)
        assert row.joints[joint] == pytest.approx(fibo.mass * rise / 2e-5, abs=1e-6)


def test_its_slope_in_the_edges_is_that_of_finite_differences(fibo: Robot) -> None:
    row = Tipping(fibo).row(TESTS[0], np.zeros(fibo.dof))
    assert row.edges == {("left", "front"): -fibo.mass / 2, ("right", "front"): -fibo.mass / 2}


def test_a_standing_robot_tips_at_the_closed_form(fibo: Robot) -> None:
    """All but the feet turns about the ankle: d and h from the angles are those of the part above the ankles."""
    tipping, stand = Tipping(fibo), np.zeros(fibo.dof)
    angles = [tipping.ramp_angle(test, stand) for test in TESTS[:2]]
    tilt = sole_tilt(fibo, TESTS[0])
    # The soles give way by the same tilt in both directions, about edges of a foot that is 31 mm deep.
    foot = fibo.parameters.feet["left"]
    forwards, height = exact_com(angles[0] + tilt, angles[1] + tilt, foot.front, foot.rear)
    above = [link for link in fibo.inertials if "foot" not in link]
    masses = np.array([fibo.inertials[link].mass for link in above])
    poses = fibo.poses({})
    centres = np.array([(poses[link] @ [*fibo.inertials[link].com_in_link, 1.0])[:3] for link in above])
    com = masses @ centres / masses.sum() - poses["left_foot"][:3, 3]
    assert forwards == pytest.approx(com[0], abs=1e-3)
    assert height == pytest.approx(com[2], abs=0.012)


@pytest.mark.parametrize("name", ["fibo_km", "nao", "ar601m"])
@pytest.mark.parametrize("test", TESTS)
def test_ramps_lean_towards_the_edge_for_every_robot(name: str, test: FallTest) -> None:
    robot = load_robot(name)
    stand = as_array(robot, robot.parameters.stand)
    tipping = Tipping(robot)
    assert float(tipping.row(test, stand).joints @ ramp_vector(robot, test.support_feet, test.direction)) > 0


@settings(max_examples=20)
@given(st.floats(-0.02, 0.02), st.floats(0.2, 0.4), st.floats(0.02, 0.06), st.floats(0.05, 0.1))
def test_the_closed_form_inverts_the_geometry(forwards: float, height: float, front: float, rear: float) -> None:
    length, lean = math.hypot(forwards, height), math.atan2(forwards, height)
    found = exact_com(math.asin(front / length) - lean, math.asin(rear / length) + lean, front, rear)
    assert found == pytest.approx((forwards, height), abs=1e-9)


def test_the_pendulum_rate_is_that_of_a_point_mass_on_a_stick(fibo: Robot) -> None:
    rate, travel = Tipping(fibo).rate(TESTS[0], np.zeros(fibo.dof))
    height = Tipping(fibo).row(TESTS[0], np.zeros(fibo.dof)).height
    assert rate < math.sqrt(9.81 / height)
    assert 0.5 * height < travel < height
    assert edge_distance(fibo.parameters.feet["left"], "backward") == 0.095
