"""Recordings of tests."""

from __future__ import annotations

import numpy as np
import pytest

from humanoid_adapt.fall_test import FallTest
from humanoid_adapt.recording import Sample, TestRefused, record

TEST = FallTest("a", "both", "forward")
JOINTS = ("hip", "knee")


def samples(times: list[float]) -> list[Sample]:
    return [Sample(time, np.zeros(2), np.zeros(2), np.zeros(3), np.array([0, 0, 9.81]), {}) for time in times]


def test_samples_become_arrays() -> None:
    recording = record(TEST, JOINTS, 0.1, samples([0.0, 0.1, 0.2]))
    assert recording.position.shape == (3, 2)
    assert recording.foot_force == {}


@pytest.mark.parametrize(
    ("times", "ramp_start", "reason"),
    [
        ([], 0.5, "cut short"),
        ([0.0, 0.2], 0.5, "cut short"),
        ([0.0, 1.0, 0.5, 2.0], 0.5, "time goes backwards"),
        ([0.0, 0.1, 0.5], 0.1, r"nothing was measured for 0\.40 s"),
    ],
)
def test_what_is_no_recording_is_refused(times: list[float], ramp_start: float, reason: str) -> None:
    with pytest.raises(TestRefused, match=reason):
        record(TEST, JOINTS, ramp_start, samples(times))


def test_values_that_are_not_finite_are_refused() -> None:
    bad = samples([0.0, 0.1, 0.2])
    bad[1].angular_velocity[0] = np.nan
    with pytest.raises(TestRefused, match="not finite"):
        record(TEST, JOINTS, 0.1, bad)


def test_an_answer_that_a_servo_left_out_is_bridged_by_a_straight_line() -> None:
    lossy = samples([0.0, 0.01, 0.04, 0.05])
    for index, angle in enumerate((np.nan, 1.0, np.nan, 2.0)):
        lossy[index].position[1] = angle
    np.testing.assert_allclose(record(TEST, JOINTS, 0.01, lossy).position[:, 1], [1.0, 1.0, 1.75, 2.0])


@pytest.mark.parametrize("silent", [slice(0, 30), slice(10, 40), slice(20, 50), slice(0, 50)])
def test_a_servo_that_is_silent_for_long_is_named(silent: slice) -> None:
    lossy = samples([0.01 * step for step in range(50)])
    for sample in lossy[silent]:
        sample.position[1] = np.nan
    with pytest.raises(TestRefused, match=r"joint knee was silent for 0\.[34]"):
        record(TEST, JOINTS, 0.1, lossy)
