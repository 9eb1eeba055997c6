"""Splines with continuous acceleration and given ends."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from humanoid_description import RobotError
from humanoid_gait.smooth_spline import smooth_spline


@given(
    st.lists(st.floats(0.02, 2), min_size=1, max_size=7),
    st.lists(st.floats(-3, 3), min_size=12, max_size=12),
)
def test_it_goes_through_the_points_with_the_ends_asked_for(gaps: list[float], numbers: list[float]) -> None:
    times = np.concatenate([[0.0], np.cumsum(gaps)])
    points, ends = np.array(numbers[: times.size]), numbers[8:]
    spline = smooth_spline(times, points, (ends[0], ends[1]), (ends[2], ends[3]))
    np.testing.assert_allclose(spline(times), points, atol=1e-9)
    for order, (first, last) in ((1, (ends[0], ends[2])), (2, (ends[1], ends[3]))):
        assert spline(times[0], order) == pytest.approx(first, abs=1e-6)
        assert spline(times[-1], order) == pytest.approx(last, abs=1e-6)
    # Knots are simple inside, so that only the third derivative jumps.
    assert len(np.unique(spline.t)) == spline.t.size - 6


def test_a_cubic_is_met_exactly() -> None:
    cubic = np.polynomial.Polynomial([0.3, -1.0, 0.7, 2.0])
    times = np.array([0.0, 0.3, 0.5, 1.1])
    ends = [(cubic.deriv(1)(t), cubic.deriv(2)(t)) for t in (0.0, 1.1)]
    between = np.linspace(0, 1.1, 50)
    np.testing.assert_allclose(smooth_spline(times, cubic(times), *ends)(between), cubic(between), atol=1e-12)


def test_several_columns_and_rest_at_the_ends() -> None:
    spline = smooth_spline([0, 1], [[0, 1, 2], [1, 1, 0]])
    np.testing.assert_allclose(spline(0.5), [0.5, 1, 1])
    for order in (1, 2):
        np.testing.assert_allclose(spline([0, 1], order), 0, atol=1e-12)


@pytest.mark.parametrize(("times", "points"), [([0.0], [1.0]), ([0.0, 0.0], [1.0, 2.0]), ([0.0, 1.0], [1.0])])
def test_what_is_no_way_is_refused(times: list[float], points: list[float]) -> None:
    with pytest.raises(RobotError, match="spline"):
        smooth_spline(times, points)
