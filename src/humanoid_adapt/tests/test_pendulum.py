"""LIPM and three masses, eqs 1-7."""

from __future__ import annotations

import math

import numpy as np
import pytest

from humanoid_adapt.pendulum import (
    falling_angles,
    lipm_acceleration,
    lipm_force,
    lipm_moment_change,
    three_mass_torques,
    torque_free_residuals,
)

MASSES = np.array([0.74, 0.743, 1.95])
PLACES = np.array([[0.16, 0.04, -0.01], [0.16, -0.04, -0.01], [0.38, 0.01, -0.005]])


def test_without_moment_the_lipm_falls_with_g_over_l() -> None:
    assert lipm_acceleration(3.4, 0.3, 0.01, 0.0, 0.0) == pytest.approx(9.81 * 0.01 / 0.3)
    assert lipm_acceleration(3.4, 0.3, 0.01, 0.0, -3.4 * 9.81 * 0.01) == pytest.approx(0.0)
    assert lipm_force(3.4, 2.0) == 6.8
    assert lipm_moment_change(0.3, 6.8) == pytest.approx(2.04)


def test_three_masses_at_rest_need_the_torque_of_their_weight() -> None:
    about_z, about_y = three_mass_torques(MASSES, PLACES, np.zeros((3, 3)))
    com = MASSES @ PLACES / MASSES.sum()
    assert about_z == pytest.approx(MASSES.sum() * 9.81 * com[1])
    assert about_y == pytest.approx(-MASSES.sum() * 9.81 * com[2])


def test_eqs_6_and_7_are_eqs_4_and_5_without_torque_at_constant_height() -> None:
    accelerations = np.random.default_rng(0).normal(size=(3, 3))
    accelerations[:, 0] = 0.0
    torques = three_mass_torques(MASSES, PLACES, accelerations)
    residuals = torque_free_residuals(MASSES, PLACES, accelerations)
    assert residuals == pytest.approx((-torques[0], torques[1]))


def test_one_mass_and_three_masses_with_one_centre_fall_alike() -> None:
    com = MASSES @ PLACES / MASSES.sum()
    three = falling_angles(MASSES, PLACES, 0.035, 0.095)
    assert three == pytest.approx(falling_angles(MASSES.sum(keepdims=True), com[None], 0.035, 0.095))
    assert math.degrees(three[0]) > 0
