"""Seed 001, Figure 2."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path

import numpy as np
import pytest

from humanoid_bringup.reproduce import servo_step
from humanoid_bringup.reproduce.servo_step import JOINT, Answer, answer_of_law, limited
from humanoid_bringup.reproduce.variant import with_servos
from humanoid_description import load_robot

ROBOT = limited(load_robot("fibo_km"))


def test_both_limits_come_out_by_the_law_and_in_the_engine(tmp_path: Path) -> None:
    reproduction = servo_step.reproduce(print)
    assert reproduction.agreed
    assert [row.agrees for row in reproduction.rows].count(True) == 6
    reproduction.save_figure(tmp_path / "servo_step.png")


def test_a_slower_servo_is_noticed() -> None:
    slow = with_servos(ROBOT, [JOINT], lambda servo: dataclasses.replace(servo, max_acceleration=math.radians(1200)))
    reproduction = servo_step.reproduce(print, slow)
    assert not reproduction.agreed
    assert "1200 deg/s^2" in reproduction.as_text()


@pytest.mark.parametrize("step", [10.0, 50.0, 56.0])
def test_a_short_step_reaches_the_speed_of_the_closed_form(step: float) -> None:
    angle = answer_of_law(ROBOT, step).angle
    assert np.diff(angle).max() / 1e-3 == pytest.approx(math.sqrt(1400 * step), rel=0.02)


def test_derivatives_of_a_parabola_are_those_of_its_samples() -> None:
    time = np.arange(1001) * 1e-3
    speed, acceleration = Answer(700 * time**2).derivatives()
    between = 1400 * 1e-3**2 / 8  # degrees that a line between two samples is off the parabola, at most
    assert acceleration == pytest.approx(1400, abs=4 * between * 30**2)
    assert speed == pytest.approx(1400 * (29 - 0.5) / 30, abs=2 * between * 30)
