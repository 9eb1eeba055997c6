"""Recordings of tests."""

from __future__ import annotations

import numpy as np
import pytest

from humanoid_adapt.fall_test import FallTest
from humanoid_adapt.recording import Sample, TestRefused, record

TEST = FallTest("a", "both", "forward")


def samples(times: list[float]) -> list[Sample]:
    return [Sample(time, np.zeros(2), np.zeros(2), np.zeros(3), np.array([0, 0, 9.81]), {}) for time in times]


def test_samples_become_arrays() -> None:
    recording = record(TEST, 0.5, samples([0.0, 0.5, 1.0]))
    assert recording.position.shape == (3, 2)
    assert recording.foot_force == {}


@pytest.mark.parametrize(
    ("times", "ramp_start", "reason"),
    [([], 0.5, "cut short"), ([0.0, 0.2], 0.5, "cut short"), ([0.0, 1.0, 0.5, 2.0], 0.5, "time goes backwards")],
)
def test_what_is_no_recording_is_refused(times: list[float], ramp_start: float, reason: str) -> None:
    with pytest.raises(TestRefused, match=reason):
        record(TEST, ramp_start, samples(times))


def test_values_that_are_not_finite_are_refused() -> None:
    bad = samples([0.0, 0.5, 1.0])
    bad[1].position[0] = np.nan
    with pytest.raises(TestRefused, match="not finite"):
        record(TEST, 0.5, bad)
