"""How hard a robot can be pushed."""

from __future__ import annotations

import pytest

from humanoid_bringup.bench import push
from humanoid_bringup.bench.push import Row, largest_push, push_table
from humanoid_description import load_robot


def test_a_push_that_is_survived_is_found_and_a_harder_one_fells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(push, "STEP", 0.15)
    monkeypatch.setattr(push, "LARGEST", 0.9)
    row = largest_push(load_robot("fibo_km"), "standing", True, 180.0, range(1))
    assert 0.15 <= row.impulse_per_kg < 0.9


def test_the_table_has_all_sides_and_states() -> None:
    rows = push_table(load_robot("fibo_km"), 2, range(1), largest=0.0)
    assert len(rows) == 8
    assert rows[0] == Row("standing", False, 0.0, 0.0)
    assert {row.direction_deg for row in rows} == {0.0, 180.0}
