"""Simulators side by side."""

from __future__ import annotations

import sys

import pytest

from humanoid_bringup.bench import simulators
from humanoid_bringup.bench.simulators import measure


@pytest.fixture(autouse=True)
def _once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Figures do not matter here."""
    monkeypatch.setattr(simulators, "AT_LEAST", 0.0)


def test_the_laws_of_the_paper_keep_it_up_and_coulomb_contact_does_not() -> None:
    walk, native, kid, native_kid = measure(["humanoid", "mujoco"], rounds=1)
    assert (walk.engine, walk.contact, walk.robot, walk.pattern) == ("humanoid", "ours", "ar601m", "S")
    assert (native.engine, native.contact, native.pattern) == ("mujoco", "native", "F")
    assert (kid.robot, kid.pattern) == ("fibo_km", "S")
    assert walk.simulated_s == pytest.approx(9.0, abs=0.01)
    assert native.simulated_s < 9
    for row, baseline in ((walk, native), (kid, native_kid)):
        assert baseline.ratio_to_mujoco == 1
        assert row.ratio_to_mujoco == pytest.approx(row.real_time_factor / baseline.real_time_factor, rel=0.01)
        assert row.real_time_factor == pytest.approx(1e6 * row.dt_s / row.us_per_step, rel=0.01)


def test_all_rows_of_table_4_on_demand() -> None:
    walk, _ = measure(["humanoid"], rounds=2, full=True)
    assert walk.pattern == "SFSFFFFFS"
    assert walk.ratio_to_mujoco is None


def test_a_peer_that_is_not_there_is_a_row_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "dartpy", None)
    monkeypatch.delitem(sys.modules, "humanoid_bringup.bench.dart", raising=False)
    (row,) = measure(["dart"], rounds=1)
    assert row.reason is not None
    assert "dartpy" in row.reason
    assert row.us_per_step is row.pattern is None
