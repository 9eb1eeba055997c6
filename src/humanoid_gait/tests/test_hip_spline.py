"""Way of the hips."""

from __future__ import annotations

import numpy as np
import pytest

from humanoid_gait.foot_spline import Footprint
from humanoid_gait.hip_spline import GRAVITY, HipShape, PlannedStep, StepTimes, hip_way, pendulum_shares, resting

SHAPE = HipShape(0.4, 0.45, 0.25, 0.27)
LEFT, RIGHT = Footprint(0.0, 0.05, 0.0), Footprint(0.0, -0.05, 0.0)
AHEAD, BEYOND = Footprint(0.06, -0.05, 0.0, 0.02), Footprint(0.12, 0.05, 0.0, 0.04)
STEPS = [
    PlannedStep(RIGHT, LEFT, AHEAD, StepTimes(1.0, 0.3, 0.4)),
    PlannedStep(LEFT, AHEAD, BEYOND, StepTimes(1.7, 0.1, 0.4)),
]


def test_it_meets_constraints_7_and_8_and_comes_to_rest() -> None:
    way = hip_way(SHAPE, resting(SHAPE, LEFT, RIGHT), STEPS, 0.5)
    np.testing.assert_allclose(way.xy(1.0), [0, 0], atol=1e-12)
    np.testing.assert_allclose(way.xy(1.3), [0, 0.05 - 0.45 * 0.1], atol=1e-12)  # near the left foot, which carries
    np.testing.assert_allclose(way.xy(1.7), [0.4 * 0.06, 0.05 - 0.45 * 0.1], atol=1e-12)
    np.testing.assert_allclose(way.xy(1.8), [0.06 - 0.4 * 0.06, -0.05 + 0.45 * 0.1], atol=1e-12)
    np.testing.assert_allclose(way.xy(2.2), [0.06 + 0.4 * 0.06, -0.05 + 0.45 * 0.1], atol=1e-12)
    heights = {1.15: 0.25, 1.5: 0.27, 1.75: 0.01 + 0.25, 2.0: 0.02 + 0.27, 2.7: 0.03 + 0.25}
    for time, height in heights.items():
        assert way.z(time) == pytest.approx(height)
    np.testing.assert_allclose(way.xy(2.7), [0.09, 0], atol=1e-12)
    for order in (1, 2):
        np.testing.assert_allclose(way.xy(2.7, order), 0, atol=1e-9)
        assert way.z(2.7, order) == pytest.approx(0, abs=1e-9)


def test_a_new_way_goes_on_from_the_old_one_with_its_speed_and_acceleration() -> None:
    old = hip_way(SHAPE, resting(SHAPE, LEFT, RIGHT), STEPS, 0.5)
    other = PlannedStep(LEFT, AHEAD, Footprint(0.0, 0.09, 0.2), StepTimes(1.7, 0.1, 0.4))
    new = hip_way(SHAPE, old.state(1.7), [other], 0.5)
    for order in range(3):
        np.testing.assert_allclose(new.xy(1.7, order), old.xy(1.7, order), atol=1e-9)
        assert new.z(1.7, order) == pytest.approx(old.z(1.7, order), abs=1e-9)


def test_the_shares_are_those_of_a_pendulum_in_steady_walk() -> None:
    height, double, single = 0.25, 0.08, 0.3
    forward, side = pendulum_shares(height, double, single)
    w = np.sqrt(GRAVITY / height)
    # Forward: from -d to d over the foot; the rest of a step of length 1 at the speed it then has.
    c, s = np.cosh(w * single), np.sinh(w * single)
    speed = forward * (1 + c) * w / s
    assert -forward * c + speed / w * s == pytest.approx(forward)
    assert speed * double == pytest.approx(1 - 2 * forward)
    # Sideways: from d back to d.
    speed = side * (c - 1) * w / s
    assert side * c - speed / w * s == pytest.approx(side)
    assert speed * double == pytest.approx(1 - 2 * side)
