"""The swinging foot: smooth, on time, and least in jerk."""

from __future__ import annotations

import numpy as np
import pytest

from humanoid_gait.swing import MinimumJerk, lift


def test_undisturbed_it_is_the_known_polynomial() -> None:
    motion = MinimumJerk(np.array([0.1]))
    for tick in range(1, 101):
        at = motion.move(np.array([0.4]), 0.5 - (tick - 1) * 0.005, 0.005)
        s = tick / 100
        assert at[0] == pytest.approx(0.1 + 0.3 * (10 * s**3 - 15 * s**4 + 6 * s**5), abs=1e-9)


def test_a_new_target_bends_the_way_without_a_jump() -> None:
    motion, dt = MinimumJerk(np.zeros(1)), 0.001
    positions, accelerations = [], []
    for tick in range(500):
        positions.append(motion.move(np.array([0.3 if tick < 200 else 0.2]), 0.5 - tick * dt, dt)[0])
        accelerations.append(motion.acceleration[0])
    assert positions[-1] == pytest.approx(0.2)
    assert np.diff(positions, 2) / dt**2 == pytest.approx(accelerations[1:-1], abs=0.3)
    assert np.abs(np.diff(accelerations)).max() < 0.3  # no step, where the greatest acceleration is 7 m/s^2


def test_it_ends_at_rest() -> None:
    motion = MinimumJerk(np.zeros(2))
    motion.move(np.array([1.0, 2.0]), 0.01, 0.01)
    assert motion.position == pytest.approx([1.0, 2.0])
    assert not motion.velocity.any()
    assert not motion.acceleration.any()


def test_a_lift_leaves_and_meets_the_ground_gently() -> None:
    s, h = np.linspace(0, 1, 201), 1e-5
    assert max(lift(share) for share in s) == pytest.approx(1.0) == lift(0.5)
    for end in (0.0, 1.0):
        assert lift(end) == 0.0
        assert abs(lift(end + h) - lift(end - h)) / (2 * h) < 1e-8
