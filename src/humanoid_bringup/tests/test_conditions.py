"""One core, and an output of our own."""

from __future__ import annotations

import os

import pytest

from humanoid_bringup.bench.conditions import nothing_printed, one_core


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
