"""Seed 002, Figure 4."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from humanoid_bringup.reproduce import spline_steps
from humanoid_gait import seed002


def test_every_constraint_is_met_smoothly(tmp_path: Path) -> None:
    reproduction = spline_steps.reproduce(print)
    assert reproduction.agreed
    assert len(reproduction.rows) == 9
    reproduction.save_figure(tmp_path / "figure.png")
    assert (tmp_path / "figure.png").stat().st_size > 10_000


def test_a_foot_that_misses_its_place_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = seed002.figure_4()
    other = dataclasses.replace(drawn.table, Ds=drawn.table.Ds + 1e-6)
    monkeypatch.setattr(spline_steps, "figure_4", lambda: dataclasses.replace(drawn, table=other))
    reproduction = spline_steps.reproduce(print)
    assert not reproduction.agreed
    assert [row.agrees for row in reproduction.rows][1] is False
