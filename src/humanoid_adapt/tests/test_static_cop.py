"""The centre of pressure of a robot at rest."""

from __future__ import annotations

import numpy as np
import pytest

from humanoid_adapt.belief import Uncertainty, prior
from humanoid_adapt.foot_frame import FootFrame
from humanoid_adapt.static_cop import cop_rows, foot_cop, static_cop
from humanoid_description import Robot
from humanoid_sim.simulation import Simulation


def test_the_centre_of_pressure_of_a_force_is_where_it_acts(fibo: Robot) -> None:
    foot = fibo.parameters.feet["left"]
    point, force = np.array([0.02, -0.01, -foot.depth]), np.array([3.0, -2.0, 30.0])
    wrench = np.concatenate([force, np.cross(point, force)])
    np.testing.assert_allclose(foot_cop(foot, wrench), point[:2], atol=1e-12)


def test_a_standing_robots_pressure_is_below_its_centre_of_mass(fibo: Robot) -> None:
    simulation = Simulation(fibo)
    simulation.step(1500)
    wrenches = np.array([[simulation.observe("fibo_km").foot_force[side] for side in ("left", "right")]])
    for _ in range(50):
        simulation.step(10)
        seen = simulation.observe("fibo_km")
        wrenches = np.concatenate([wrenches, [[seen.foot_force[side] for side in ("left", "right")]]])
    mean = dict(zip(("left", "right"), wrenches.mean(axis=0), strict=True))
    frames = {side: FootFrame(fibo, side) for side in ("left", "right")}
    measured = static_cop(frames, seen.joint_position, np.zeros(20), mean, 0.5)
    assert measured is not None
    assert measured.shares["left"] == pytest.approx(0.5, abs=0.05)
    for side, frame in frames.items():
        np.testing.assert_allclose(measured.points[side], frame.com(seen.joint_position)[0][:2], atol=2e-3)
    belief = prior(fibo, Uncertainty())
    rows, _ = cop_rows(frames, belief.layout, measured)
    np.testing.assert_allclose(rows @ belief.mean / fibo.mass, 0.0, atol=2.5e-3)


def test_rows_have_the_slope_of_finite_differences(fibo: Robot) -> None:
    angles = 0.05 * np.sin(np.arange(20))
    wrenches = {"left": np.array([0, 0, 20, 0.1, 0.2, 0]), "right": np.array([0, 0, 14, 0.1, 0.1, 0])}
    frames = {side: FootFrame(fibo, side) for side in ("left", "right")}
    measured = static_cop(frames, angles, np.zeros(20), wrenches, 0.5)
    assert measured is not None
    layout = prior(fibo, Uncertainty()).layout
    rows, joints = cop_rows(frames, layout, measured)
    for joint in range(20):
        step = np.zeros(20)
        step[joint] = 1e-6
        rise = [frame.com(angles + step)[0] - frame.com(angles - step)[0] for frame in frames.values()]
        slope = fibo.mass * np.mean(rise, axis=0)[:2] / 2e-6
        np.testing.assert_allclose(joints[:, joint], slope, atol=2e-3)
    assert rows[0, layout.cop("left", 0)] == pytest.approx(fibo.mass * 20 / 34)


def test_a_robot_in_the_air_has_none(fibo: Robot) -> None:
    nothing = {"left": np.zeros(6)}
    assert static_cop({"left": FootFrame(fibo, "left")}, np.zeros(20), np.zeros(20), nothing, 0.5) is None
