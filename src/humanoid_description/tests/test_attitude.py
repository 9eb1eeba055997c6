"""The vertical from gyroscope and accelerometer."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from humanoid_description.attitude import Attitude
from humanoid_description.inertial import GRAVITY

UP = np.array([0.0, 0.0, 1.0])
BELIEVED = (0.7 * GRAVITY, 1.3 * GRAVITY)


def test_it_follows_a_turn_that_the_accelerometer_does_not_see() -> None:
    attitude, dt = Attitude(2.0, BELIEVED, UP), 1e-4
    spin = np.array([0.3, -0.5, 0.8])
    for _ in range(10_000):
        attitude.update(spin, np.array([0.0, 0.0, 100.0]), dt)  # a shaken accelerometer is not believed
    assert attitude.up == pytest.approx(Rotation.from_rotvec(spin).inv().apply(UP), abs=1e-4)


@pytest.mark.parametrize("settling_time", [0.5, 2.0])
def test_the_accelerometer_takes_out_what_was_wrong_in_the_settling_time(settling_time: float) -> None:
    attitude = Attitude(settling_time, BELIEVED, UP)
    lean = 0.01
    up = np.array([np.sin(lean), 0.0, np.cos(lean)])
    for _ in range(round(settling_time / 0.001)):
        attitude.update(np.zeros(3), GRAVITY * up, 0.001)
    assert attitude.up[0] == pytest.approx(lean * (1 - np.exp(-1)), rel=1e-2)


def test_it_begins_with_the_first_acceleration_that_is_believed() -> None:
    attitude = Attitude(1.0, BELIEVED)
    assert attitude.update(np.zeros(3), np.zeros(3), 0.0) == pytest.approx(UP)  # nothing was said yet
    lying = np.array([GRAVITY, 0.0, 0.0])
    assert attitude.update(np.zeros(3), lying, 0.01) == pytest.approx([1.0, 0.0, 0.0])


def test_the_level_frame_has_the_sensors_heading() -> None:
    R_world_sensor = Rotation.from_euler("ZYX", [0.0, 0.3, -0.2])
    attitude = Attitude(2.0, BELIEVED, R_world_sensor.inv().apply(UP))
    assert attitude.R_level_sensor == pytest.approx(R_world_sensor.as_matrix(), abs=1e-12)
