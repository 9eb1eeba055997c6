"""What a reproduction says, to people and to machines."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest
from matplotlib.figure import Figure

from humanoid_bringup.reproduce.reproduction import Reproduction, Row


def draw(figure: Figure) -> None:
    figure.subplots().plot([0, 1], [1, 0])


AGREED = Row("speed", "3 m/s", "3.1 m/s", True, "word " * 40, {"speed_m_per_s": 3.1})
SHOWN = Row("colour", "red", "blue", None)
REPRODUCTION = Reproduction("Seed 9, Table 1", [AGREED, SHOWN], ["the moon is round"], draw, {"pattern": "SF"})


def test_one_changed_verdict_is_enough_and_what_is_only_shown_has_none() -> None:
    assert REPRODUCTION.agreed
    changed = dataclasses.replace(AGREED, agrees=False)
    assert not dataclasses.replace(REPRODUCTION, rows=[AGREED, SHOWN, changed]).agreed


def test_text_has_paper_beside_ours_beside_the_note() -> None:
    lines = dataclasses.replace(REPRODUCTION, rows=[AGREED, SHOWN, dataclasses.replace(AGREED, agrees=False)]).as_text()
    title, _, head, first, *rest = lines.splitlines()
    assert title == "Seed 9, Table 1"
    assert head.split() == ["paper", "ours", "agrees", "note"]
    assert first.startswith("speed   3 m/s  3.1 m/s  yes     word")
    column = head.index("note")
    assert all(line.startswith(" " * column + "word") for line in rest[:2])
    assert any(line.split() == ["colour", "red", "blue", "-"] for line in rest)
    assert "  NO  " in lines
    assert lines.endswith("Assumptions:\n- the moon is round")


def test_machines_get_the_same() -> None:
    answer = json.loads(json.dumps(REPRODUCTION.as_dict()))
    assert (answer["title"], answer["agreed"], answer["pattern"]) == ("Seed 9, Table 1", True, "SF")
    assert answer["assumptions"] == ["the moon is round"]
    assert answer["rows"][0] == {
        "what": "speed",
        "paper": "3 m/s",
        "ours": "3.1 m/s",
        "agrees": True,
        "note": AGREED.note,
        "speed_m_per_s": 3.1,
    }


def test_the_figure_is_a_png(tmp_path: Path) -> None:
    REPRODUCTION.save_figure(tmp_path / "figure.png")
    assert (tmp_path / "figure.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(FileNotFoundError):
        REPRODUCTION.save_figure(tmp_path / "nowhere" / "figure.png")
