"""Seed 001, Figure 5."""

from __future__ import annotations

from pathlib import Path

import pytest

from humanoid_bringup.reproduce import switch_time


def test_the_papers_switch_comes_out(tmp_path: Path) -> None:
    reproduction = switch_time.reproduce(print)
    assert reproduction.agreed
    assert reproduction.rows[0].values["switch_s"] == pytest.approx(3.6)
    reproduction.save_figure(tmp_path / "figure.png")
    assert (tmp_path / "figure.png").stat().st_size > 10_000


def test_another_example_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(switch_time, "PAPER_SWITCH", 3.5)
    assert not switch_time.reproduce(print).agreed
