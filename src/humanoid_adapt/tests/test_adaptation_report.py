"""The result as plain values."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from humanoid_adapt.adaptation_report import as_json
from humanoid_adapt.bag_log import BagLog
from humanoid_adapt.estimator import estimate
from humanoid_adapt.routine import Routine
from humanoid_adapt.tip import tips_of
from humanoid_description import Robot


def test_it_is_json_with_means_deviations_and_residuals(run: tuple[Routine, BagLog, Path], fibo: Robot) -> None:
    found = estimate(fibo, tips_of(run[0].recordings, fibo)[0])
    answer = json.loads(json.dumps(as_json(found)))
    assert len(answer["tests"]) == 6
    assert sum(answer["places"].values()) == pytest.approx(1.0, abs=0.01)
    assert sum(part["mass_kg"] for part in answer["three_masses"]) == pytest.approx(answer["mass_kg"])
    assert all(sd > 0 for sd in answer["com_sd_m"])
