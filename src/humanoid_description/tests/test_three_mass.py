"""The three-mass projection."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from humanoid_description import Payload, Robot, robot_names


@settings(max_examples=30)
@given(st.integers(0, 2**32), st.floats(0.01, 1), st.sampled_from(robot_names()))
def test_it_keeps_total_mass_and_com(robots: dict[str, Robot], seed: int, load: float, name: str) -> None:
    robot = robots[name].with_payloads([Payload("left_foot", load, (0.1, 0.0, 0.0))])
    angles = np.random.default_rng(seed).random(robot.dof)
    limits = robot.parameters.joints.values()
    posture = dict(
        zip(
            robot.joint_names,
            [j.lower + a * (j.upper - j.lower) for j, a in zip(limits, angles, strict=True)],
            strict=True,
        )
    )
    masses = robot.three_mass(posture).masses
    assert sum(part.mass for part in masses) == pytest.approx(robot.mass, rel=1e-12)
    com = sum((part.mass * part.com_in_base for part in masses), np.zeros(3)) / robot.mass
    np.testing.assert_allclose(com, robot.com_in_base(posture), atol=1e-12)


def test_a_leg_moves_only_its_own_mass(robots: dict[str, Robot]) -> None:
    robot = robots["fibo_km"]
    before, after = robot.three_mass({}), robot.three_mass({"left_knee": 1.0})
    assert after.left_leg.com_in_base[0] < before.left_leg.com_in_base[0]
    np.testing.assert_array_equal(after.right_leg.com_in_base, before.right_leg.com_in_base)
    np.testing.assert_array_equal(after.body.com_in_base, before.body.com_in_base)
