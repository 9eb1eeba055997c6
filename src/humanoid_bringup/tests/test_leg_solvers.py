"""Solvers of inverse kinematics side by side."""

from __future__ import annotations

import sys

import pytest

from humanoid_bringup.bench import leg_solvers
from humanoid_bringup.bench.leg_solvers import measure


@pytest.fixture(autouse=True)
def _few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Figures do not matter here."""
    monkeypatch.setattr(leg_solvers, "AT_LEAST", 0.0)
    monkeypatch.setattr(leg_solvers, "TARGETS", 20)


def test_every_robot_has_a_row_per_solver() -> None:
    rows = measure(["humanoid", "humanoid_one_by_one"], rounds=2)
    assert [(row.robot, row.solver) for row in rows] == [
        ("ar601m", "humanoid"),
        ("ar601m", "humanoid_one_by_one"),
        ("fibo_km", "humanoid"),
        ("fibo_km", "humanoid_one_by_one"),
    ]
    for row in rows:
        assert row.solutions_per_s > 0
        assert max(row.max_error_m, row.max_error_rad) < 1e-12


def test_a_solver_that_is_not_there_is_a_row_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "placo", None)
    monkeypatch.delitem(sys.modules, "humanoid_bringup.bench.placo_ik", raising=False)
    for row in measure(["placo"], rounds=1):
        assert row.reason is not None
        assert "placo" in row.reason
        assert row.solutions_per_s is None
