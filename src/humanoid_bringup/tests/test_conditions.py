"""One core, and an output of our own."""

from __future__ import annotations

import os

import pytest

from humanoid_bringup.bench.conditions import nothing_printed, one_core, undisturbed


def test_the_process_keeps_to_one_core_and_gets_the_others_back() -> None:
    before = os.sched_getaffinity(0)
    with one_core():
        assert len(os.sched_getaffinity(0)) == 1
    assert os.sched_getaffinity(0) == before


def test_what_libraries_print_is_dropped(capfd: pytest.CaptureFixture[str]) -> None:
    print("before")
    with nothing_printed():
        os.write(1, b"processing torso\n")
    print("after")
    assert capfd.readouterr().out == "before\nafter\n"


def test_of_every_part_the_fastest_time_counts() -> None:
    assert undisturbed([(1.0, 4.0), (3.0, 1.0), (2.0, 2.0)]) == (1.0, 1.0)


def test_runs_with_different_parts_are_not_the_same_task() -> None:
    with pytest.raises(ValueError, match="longer"):
        undisturbed([(1.0,), (1.0, 1.0)])
