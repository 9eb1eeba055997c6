"""The pendulum's closed forms against its differential equations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

from humanoid_gait.dcm import ZmpLine, com_after, dcm_after, dcm_before, natural_frequency, steering_shift

metres = st.floats(-0.2, 0.2)
points = st.tuples(metres, metres).map(np.array)
lines = st.builds(ZmpLine, points, points, st.floats(0.05, 0.6))
OMEGA = natural_frequency(0.25)


def test_the_closed_forms_solve_the_equations_of_motion() -> None:
    line = ZmpLine(np.array([0.02]), np.array([-0.05]), 0.4)
    com, velocity = 0.01, 0.12

    def pendulum(time: float, state: np.ndarray) -> list[float]:
        return [state[1], OMEGA**2 * (state[0] - line.at(time)[0])]

    exact = solve_ivp(pendulum, (0, 0.4), [com, velocity], rtol=1e-11, atol=1e-13, dense_output=True)
    dcm = np.array([com + velocity / OMEGA])
    for time in np.linspace(0, 0.4, 9):
        c, v = exact.sol(time)
        assert com_after(line, np.array([com]), dcm, OMEGA, time)[0] == pytest.approx(c, abs=1e-9)
        assert dcm_after(line, dcm, OMEGA, time)[0] == pytest.approx(c + v / OMEGA, abs=1e-9)


@given(lines, points)
def test_backwards_undoes_forwards(line: ZmpLine, dcm: np.ndarray) -> None:
    assert dcm_before(line, dcm_after(line, dcm, OMEGA, line.seconds), OMEGA) == pytest.approx(dcm, abs=1e-12)


@given(st.lists(lines, min_size=1, max_size=3), points, points)
def test_a_shifted_pattern_leads_the_dcm_where_it_shall_be(
    pattern: list[ZmpLine], dcm: np.ndarray, end: np.ndarray
) -> None:
    shift = steering_shift(pattern, dcm, end, OMEGA)
    for line in pattern:
        dcm = dcm_after(ZmpLine(line.start + shift, line.end + shift, line.seconds), dcm, OMEGA, line.seconds)
    assert dcm == pytest.approx(end, abs=1e-9)


def test_a_higher_pendulum_is_slower() -> None:
    assert natural_frequency(9.81) == pytest.approx(1.0)
    assert natural_frequency(0.2) > natural_frequency(0.3)
