"""Where the feet press the ground."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from humanoid_description import load_robot
from humanoid_gait.ankle_strategy import pressed
from humanoid_gait.dcm import natural_frequency
from humanoid_gait.gait_parameters import load_gait
from humanoid_gait.pattern import WALKING, WalkPattern

ROBOT = load_robot("fibo_km")
GAIT = load_gait(ROBOT)
SOLES = ROBOT.parameters.feet
USUAL = np.array([GAIT.zmp_forward, -GAIT.zmp_inward])
PATTERN = WalkPattern(GAIT, natural_frequency(0.25), np.zeros(2))
STAND = PATTERN.tick(0.01)
METRES = st.floats(-0.3, 0.3)


@given(METRES, METRES)
def test_all_the_weight_is_pressed_within_the_soles(forward: float, left: float) -> None:
    points = pressed(STAND, USUAL, np.array([forward, left]), SOLES)
    assert sum(share for share, _ in points.values()) == pytest.approx(1.0)
    for side, (share, point) in points.items():
        ahead, aside = point - STAND.feet[side][:2]
        assert share > 0.0
        assert -SOLES[side].rear <= ahead <= SOLES[side].front
        assert -SOLES[side].right - 1e-12 <= aside <= SOLES[side].left + 1e-12


@given(st.floats(-0.01, 0.01), st.floats(-0.01, 0.01))
def test_a_small_shift_moves_every_foots_point_by_just_that(forward: float, left: float) -> None:
    shift = np.array([forward, left])
    usual, shifted = (pressed(STAND, USUAL, each, SOLES) for each in (np.zeros(2), shift))
    for side in ("left", "right"):
        assert shifted[side][1] - usual[side][1] == pytest.approx(shift, abs=1e-12)
    assert shifted["left"][0] - usual["left"][0] == pytest.approx(left / GAIT.stance)


def test_a_foot_in_the_air_presses_nothing() -> None:
    pattern = WalkPattern(GAIT, natural_frequency(0.25), np.zeros(2))
    pattern.wanted = np.array([0.1, 0.0, 0.0])
    moment = pattern.tick(0.01)
    while moment.phase != WALKING or moment.load[moment.support] < 1.0:
        moment = pattern.tick(0.01)
    points = pressed(moment, USUAL, np.array([0.0, 0.01]), SOLES)
    assert list(points) == [moment.support]
    assert points[moment.support][0] == 1.0
