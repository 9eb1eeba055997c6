"""Forces, zero moment point and support polygon."""

from __future__ import annotations

import numpy as np
import pytest
from seen_robot import standing

from humanoid_bringup.viewer.balance_view import balance_view
from humanoid_bringup.viewer.robot_state import FootForce, RobotState
from humanoid_description import load_robot

ROBOT = load_robot("fibo_km")


def test_a_robot_at_rest_has_its_pressure_between_its_feet_and_its_centre_of_mass_above_the_support() -> None:
    state = standing(ROBOT)
    view = balance_view(state)
    assert view is not None
    assert view.zmp is not None
    left, right = (sole.mean(axis=0) for sole in view.soles.values())
    assert min(left[1], right[1]) < view.zmp[1] < max(left[1], right[1])
    assert view.zmp[2] == pytest.approx(0.0, abs=1e-6)
    low, high = view.support.min(axis=0), view.support.max(axis=0)
    assert (low[:2] < view.com[:2]).all()
    assert (view.com[:2] < high[:2]).all()
    assert sum(view.loads.values()) == pytest.approx(1.0)
    assert sum(part.mass for part in view.masses.masses) == pytest.approx(ROBOT.mass)


def test_a_torque_moves_the_pressure_by_its_lever() -> None:
    state = standing(ROBOT)
    foot = state.feet["left"]
    before = balance_view(state).forces["left"][0]
    state.feet["left"] = FootForce(foot.link, foot.force, np.array([0.0, -0.02 * foot.force[2], 0.0]))
    np.testing.assert_allclose(balance_view(state).forces["left"][0] - before, [0.02, 0.0, 0.0], atol=1e-9)


def test_in_the_air_there_is_no_pressure_and_no_support() -> None:
    state = standing(ROBOT)
    for side, foot in state.feet.items():
        state.feet[side] = FootForce(foot.link, np.zeros(3), np.zeros(3))
    view = balance_view(state)
    assert view.zmp is None
    assert len(view.support) == 0


def test_the_newest_model_is_what_counts() -> None:
    state = standing(ROBOT)
    before = balance_view(state).com
    state.adapt(ROBOT.with_payloads(["left_forearm:0.5:0,0,0"]).urdf)
    assert balance_view(state).com[1] > before[1] + 0.005
    assert balance_view(RobotState("unknown")) is None
