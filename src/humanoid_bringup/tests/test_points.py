"""Seed 003, section 4.3: contact points."""

from __future__ import annotations

from pathlib import Path

from humanoid_bringup.reproduce import points
from humanoid_bringup.reproduce.variant import with_ground
from humanoid_description import load_robot


def test_eight_points_change_no_verdict_but_that_of_the_marginal_row(tmp_path: Path) -> None:
    reproduction = points.reproduce(print, rows=[3, 5, 9])
    robust, marginal, other, literal = reproduction.rows
    assert reproduction.agreed
    assert (robust.ours, other.ours) == ("S / S", "S / S")
    assert marginal.agrees is None
    assert "marginal" in marginal.note
    assert literal.agrees is None
    reproduction.save_figure(tmp_path / "points.png")


def test_a_changed_row_is_noticed() -> None:
    assert not points.reproduce(print, with_ground(load_robot("ar601m"), tangential_damping=2), rows=[1]).agreed
