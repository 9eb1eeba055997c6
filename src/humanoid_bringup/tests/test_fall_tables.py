"""Seed 000, Tables I-VII."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from humanoid_adapt import paper_tables
from humanoid_bringup.reproduce import fall_tables


@pytest.fixture(scope="module")
def tables() -> fall_tables.Reproduction:
    return fall_tables.reproduce(print)


def test_limbs_and_scenario_b_agree(tables: fall_tables.Reproduction, tmp_path: Path) -> None:
    assert tables.agreed
    assert [row.agrees for row in tables.rows].count(True) == 5
    assert {row.what.split(",")[0] for row in tables.rows} == {f"Table {number}" for number in paper_tables.TABLES}
    json.dumps(tables.as_dict())
    tables.save_figure(tmp_path / "tables.png")
    assert (tmp_path / "tables.png").stat().st_size > 10_000


def test_a_robot_of_other_masses_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    heavier = paper_tables.load_robot("fibo_km", ["left_shank:0.1:0,0,0"])
    monkeypatch.setattr(paper_tables, "scenario", lambda name: heavier)
    monkeypatch.setattr(fall_tables, "TABLES", {"I": paper_tables.table_i, "IV": paper_tables.table_iv})
    assert not fall_tables.reproduce(print).agreed
