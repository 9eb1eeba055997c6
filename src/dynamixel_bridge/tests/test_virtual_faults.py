"""Faults by chance, by the clock, and from a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from dynamixel_bridge.virtual_faults import Event, Faults, Mishaps, read_faults
from humanoid_description.errors import RobotError

ALL = Faults(lost=0.1, corrupted=0.1, late=0.1, duplicated=0.1, late_by=0.5)


def test_shares_are_met_and_repeat_by_seed() -> None:
    runs = []
    for seed in (1, 1, 2):
        mishaps = Mishaps(ALL, seed)
        runs.append([mishaps.on_answer(bytes(range(12))) for _ in range(10_000)])
        for what in ("lost", "late", "corrupted", "duplicated"):
            assert mishaps.counts[f"answers {what}"] == pytest.approx(1000, abs=150)
    assert runs[0] == runs[1] != runs[2]


def test_a_damaged_packet_differs_in_one_byte() -> None:
    mishaps = Mishaps(Faults(corrupted=1.0), 3)
    for _ in range(1000):
        heard = mishaps.on_request(bytes(9))
        assert sum(byte != 0 for byte in heard) == 1
        assert len(heard) == 9
    assert Mishaps(Faults(lost=1.0), 3).on_request(b"?") == b""
    assert Mishaps(Faults(), 3).on_answer(b"!") == [(0.0, b"!")]
    assert Mishaps(Faults(late=1.0), 3).on_answer(b"!") == [(0.02, b"!")]
    assert Mishaps(Faults(duplicated=1.0), 3).on_answer(b"!") == [(0.0, b"!")] * 2
    with pytest.raises(RobotError, match="more than 1"):
        Faults(late=0.6, lost=0.6)


def test_an_event_comes_and_goes() -> None:
    event = Event("unplug", 2.0, 1.0)
    assert [event.on(now) for now in (1.9, 2.0, 2.9, 3.0)] == [False, True, True, False]


def test_faults_are_read_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "faults.yaml"
    file.write_text("lost: 0.01\nlate_by: 0.03\nevents:\n  - {what: dead, servo: 5, at: 1, seconds: 2}\n")
    assert read_faults(file, [5]) == Faults(lost=0.01, late_by=0.03, events=(Event("dead", 1.0, 2.0, 5),))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("lost: 2", "lost: has the value 2"),
        ("lots: 0.1", "Did you mean 'lost'"),
        ("events: [{what: ded, at: 1, seconds: 1}]", "Did you mean 'dead'"),
        ("events: [{what: dead, at: 1, seconds: 1}]", "Name the id of the servo"),
        ("events: [{what: unplug, at: soon, seconds: 1}]", "does not read as a number"),
        ("events: [{what: unplug, servo: 5, at: 1, seconds: 1}]", "leave the servo out"),
        (
            "events: [{what: dead, servo: 99, at: 1, seconds: 1}]",
            r"servo: is 99\. The robot's servos have the ids 1, 2",
        ),
    ],
)
def test_a_bad_file_is_refused(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "faults.yaml"
    file.write_text(text)
    with pytest.raises(RobotError, match=message):
        read_faults(file, range(1, 21))
    with pytest.raises(RobotError, match="no such file"):
        read_faults(tmp_path / "none.yaml", [])
    with pytest.raises(RobotError, match="share from 0 to 1"):
        Faults(late=-1)
