"""Seed 003, Table 4; that all of it comes out at the reference step is seen when README.md's command is run."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from humanoid_bringup.reproduce import table4
from humanoid_bringup.reproduce.variant import with_ground
from humanoid_description import load_robot


def test_nine_of_nine_at_the_fast_step(tmp_path: Path) -> None:
    seen: list[str] = []
    reproduction = table4.reproduce(seen.append, steps=["fast"])
    answer = reproduction.as_dict()
    assert reproduction.agreed
    assert answer["pattern"] == answer["paper"] == "SFSFFFFFS"
    rows = answer["rows"]
    assert [row["ours"] for row in rows] == list("SFSFFFFFS")
    assert {rows[row - 1]["fall_direction"] for row in table4.LONG_PERIODS} == {"left"}
    assert 0.85 * 90 <= rows[0]["first_step_ankle_torque_nm"] <= 1.15 * 90
    assert len(seen) == 9
    reproduction.save_figure(tmp_path / "table4.png")


def test_a_fall_the_other_way_and_another_torque_are_noticed() -> None:
    robot = load_robot("ar601m")
    walked = table4.walk_row(robot, 7)
    forward = dataclasses.replace(walked, result=dataclasses.replace(walked.result, fall_direction="forward"))
    upright = dataclasses.replace(table4.walk_row(robot, 1), ankle_torque=50.0)
    assert table4._row("fast", walked).agrees is True
    assert table4._row("fast", forward).agrees is False
    assert table4._row("fast", upright).agrees is False


def test_ground_of_twice_the_grip_breaks_it() -> None:
    """A simulator in which every robot falls would agree in six rows: the check must be able to fail."""
    slippery = with_ground(load_robot("ar601m"), tangential_damping=2)
    reproduction = table4.reproduce(print, slippery, steps=["fast"])
    assert not reproduction.agreed
    assert reproduction.as_dict()["pattern"] != table4.PAPER


def test_rows_walk_the_same_at_both_steps() -> None:
    robot = load_robot("ar601m")
    for row in (1, 2, 5):
        fast, reference = table4.walk_row(robot, row, "fast"), table4.walk_row(robot, row, "reference")
        assert fast.verdict == reference.verdict == table4.PAPER[row - 1]
        assert fast.result.fall_direction == reference.result.fall_direction
        assert abs(fast.ankle_torque - reference.ankle_torque) < 2
