"""Figure 4 of seed 002."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from humanoid_gait.seed002 import TABLE_2, Table2, as_lift, constraint_errors, figure_4


@pytest.mark.parametrize("table", [TABLE_2, as_lift()])
def test_the_trajectories_meet_every_constraint(table: Table2) -> None:
    errors = constraint_errors(figure_4(table))
    assert list(errors) == [f"({number})" for number in range(1, 9)]
    assert max(errors.values()) < 1e-9


def test_constraint_errors_would_be_seen() -> None:
    figure = figure_4()
    assert constraint_errors(figure_4(Table2(Lao=0.081)))["(2)"] < 1e-9
    wrong = type(figure)(Table2(Lao=0.081), 4, figure.swings, figure.hip, figure.x_ed + 0.001, figure.x_sd)
    assert constraint_errors(wrong)["(2)"] == pytest.approx(0.001)
    assert constraint_errors(wrong)["(8)"] == pytest.approx(0.001)


def test_acceleration_is_continuous_at_all_times() -> None:
    figure = figure_4(steps=6)
    # Second differences of what is drawn, in ever smaller steps: the greatest jump of acceleration goes with the step.
    jumps = []
    for dt in (2e-4, 1e-4, 5e-5):
        time = np.arange(round(0.2 / dt), round(1.2 / dt)) * dt
        curves = [*figure.foot("right", time), *figure.foot("left", time), *figure.hips(time)]
        jumps.append([np.abs(np.diff(curve, 3)).max() / dt**2 for curve in curves])
    for coarse, fine in pairwise(jumps):
        for before, after in zip(coarse, fine, strict=True):
            assert after < 0.6 * before or after < 1e-3


def test_the_printed_height_of_the_foot_is_below_the_ground_and_the_lift_is_not() -> None:
    time = np.linspace(0.2, 1.0, 400)
    stands = TABLE_2.hgs + TABLE_2.lan
    assert figure_4().foot("right", time)[1].min() < stands - 0.015
    assert figure_4(as_lift()).foot("right", time)[1].min() > stands - 1e-9


def test_the_left_foot_is_the_right_one_a_step_later_and_the_hips_advance_steadily() -> None:
    figure = figure_4(steps=6)
    time = np.linspace(0.2, 0.9, 300)
    right, left = figure.foot("right", time), figure.foot("left", time + TABLE_2.Tc)
    for ours, theirs, ahead in zip(right, left, (TABLE_2.Ds, 0, 0), strict=True):
        np.testing.assert_allclose(ours + ahead, theirs, atol=1e-12)
    speed = figure.hips(time, 1)[0]
    assert (speed > 0.6).all()
    assert (speed < 1.0).all()
