"""The vertical from gyroscope and accelerometer."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from humanoid_gait.attitude import SETTLING_TIME, Attitude


def test_it_follows_a_turn() -> None:
    attitude, dt = Attitude(), 1e-4
    spin = np.array([0.3, -0.5, 0.8])
    for _ in range(10_000):
        attitude.update(spin, np.array([0.0, 0.0, 100.0]), dt)  # a shaken accelerometer is not believed
    up_in_base = Rotation.from_rotvec(spin).inv().apply([0, 0, 1])
    assert attitude.up_in_base == pytest.approx(up_in_base, abs=1e-4)


def test_the_accelerometer_takes_out_what_was_wrong() -> None:
    attitude = Attitude()
    up = np.array([0.2, -0.1, 0.97])
    up /= np.linalg.norm(up)
    for _ in range(round(5 * SETTLING_TIME / 0.01)):
        attitude.update(np.zeros(3), 9.81 * up, 0.01)
    assert attitude.up_in_base == pytest.approx(up, abs=3e-3)


def test_the_level_frame_has_the_bases_heading() -> None:
    attitude = Attitude()
    R_world_base = Rotation.from_euler("ZYX", [0.0, 0.3, -0.2])
    attitude.up_in_base = R_world_base.inv().apply([0, 0, 1])
    assert attitude.R_level_base == pytest.approx(R_world_base.as_matrix(), abs=1e-12)
