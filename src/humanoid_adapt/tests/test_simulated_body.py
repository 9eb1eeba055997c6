"""A simulated robot for fall tests."""

from __future__ import annotations

import numpy as np
import pytest

from humanoid_adapt.simulated_body import PERIOD, SimulatedBody
from humanoid_description import Robot


def test_it_speaks_in_whole_counts_with_its_own_zeros(fibo: Robot) -> None:
    zeros = 0.01 * np.sin(np.arange(fibo.dof))
    body = SimulatedBody(fibo, 0, zeros, force_scale=1.5)
    for _ in range(30):
        body.command(np.full(fibo.dof, 0.0123), torque=True)
    sample = body.sample()
    count = fibo.parameters.servos["rx28"].resolution
    assert count is not None
    np.testing.assert_allclose(
        (sample.position - zeros) / count, np.round((sample.position - zeros) / count), atol=1e-9
    )
    np.testing.assert_allclose(sample.command, count * round(0.0123 / count))
    weight = sum(force[2] for force in sample.foot_force.values())
    assert weight == pytest.approx(1.5 * 9.81 * fibo.mass, rel=0.05)


def test_time_goes_on_when_it_is_picked_up(fibo: Robot) -> None:
    body = SimulatedBody(fibo, 0)
    body.command(np.zeros(fibo.dof), torque=True)
    before = body.sample().time
    body.pick_up()
    assert body.sample().time == pytest.approx(before + PERIOD)


def test_a_soft_robot_falls(fibo: Robot) -> None:
    body = SimulatedBody(fibo, 0)
    for _ in range(150):
        body.command(np.full(fibo.dof, 0.1), torque=False)
    assert abs(body.sample().linear_acceleration[2]) < 9.0
