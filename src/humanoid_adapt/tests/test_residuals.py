"""How models predict tests."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from humanoid_adapt.bag_log import BagLog
from humanoid_adapt.residuals import tip_residuals
from humanoid_adapt.routine import Routine
from humanoid_adapt.tip import tips_of
from humanoid_description import Robot


def test_the_true_inertials_predict_the_tests_better_than_the_drawing(
    run: tuple[Routine, BagLog, Path], fibo: Robot, loaded: Robot
) -> None:
    tips, _ = tips_of(run[0].recordings, fibo)
    found = tip_residuals(fibo, loaded.inertials, tips, np.zeros(len(tips)))
    assert [residual.name for residual in found] == [tip.test.name for tip in tips]
    before, after = (np.array([getattr(one, when) for one in found]) for when in ("before_deg", "after_deg"))
    assert np.sqrt(np.mean(after**2)) < 0.5 * np.sqrt(np.mean(before**2))
    same = tip_residuals(fibo, fibo.inertials, tips, np.zeros(len(tips)))
    assert all(one.before_deg == one.after_deg for one in same)
