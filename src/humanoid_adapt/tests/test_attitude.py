"""The vertical from gyroscope and accelerometer."""

from __future__ import annotations

import numpy as np

from humanoid_adapt.attitude import Attitude


def test_it_follows_a_turn_that_the_accelerometer_does_not_see() -> None:
    attitude = Attitude()
    attitude.update(0.0, np.zeros(3), np.array([0.0, 0.0, 9.81]))
    for step in range(1, 101):
        up = attitude.update(0.001 * step, np.array([0.0, 0.5, 0.0]), np.zeros(3))
    np.testing.assert_allclose(up, [-np.sin(0.05), 0.0, np.cos(0.05)], atol=1e-4)


def test_it_comes_back_to_the_accelerometer() -> None:
    attitude = Attitude()
    attitude.update(0.0, np.zeros(3), np.array([9.81, 0.0, 0.0]))
    for step in range(1, 2000):
        up = attitude.update(0.01 * step, np.zeros(3), np.array([0.0, 0.0, 9.81]))
    np.testing.assert_allclose(up, [0.0, 0.0, 1.0], atol=1e-6)


def test_a_sensor_that_says_nothing_yet_is_taken_for_upright() -> None:
    np.testing.assert_array_equal(Attitude().update(0.0, np.zeros(3), np.zeros(3)), [0.0, 0.0, 1.0])
