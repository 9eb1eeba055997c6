"""Recordings from messages."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from humanoid_adapt.assembler import recordings_from_bag
from humanoid_adapt.bag import BagWriter, read_bag
from humanoid_adapt.bag_log import BagLog
from humanoid_adapt.routine import Routine
from humanoid_description import Robot, RobotError, load_robot

Run = tuple[Routine, BagLog, Path]


def copied(bag: Path, folder: Path, keep) -> Path:  # type: ignore[no-untyped-def]
    """The bag with only what is kept."""
    with BagWriter(folder) as writer:
        for message in read_bag(bag):
            if keep(message):
                writer.write(message.topic, message.type, message.time_ns, message.data)
    return folder


def test_a_bag_gives_what_the_live_run_gave(run: Run, fibo: Robot) -> None:
    routine, log, bag = run
    replayed = recordings_from_bag(fibo, bag).recordings
    assert len(replayed) == len(log.assembler.recordings) == len(routine.recordings)
    for ours, live, direct in zip(replayed, log.assembler.recordings, routine.recordings, strict=True):
        assert ours.test == live.test == direct.test
        np.testing.assert_array_equal(ours.position, live.position)
        np.testing.assert_array_equal(ours.time, live.time)
        assert ours.ramp_start == live.ramp_start
        assert set(map(tuple, direct.position)) <= set(map(tuple, live.position))


@pytest.mark.parametrize("topic", ["imu/data", "joint_states", "joint_trajectory", "fall_test/state"])
def test_a_bag_without_a_needed_topic_is_refused(run: Run, fibo: Robot, tmp_path: Path, topic: str) -> None:
    poor = copied(run[2], tmp_path / "poor", lambda message: not message.topic.endswith(topic))
    with pytest.raises(RobotError, match=f"has no topic .*{topic}"):
        recordings_from_bag(fibo, poor, "real")


def test_a_bag_that_ends_during_a_test_says_so(run: Run, fibo: Robot, tmp_path: Path) -> None:
    rest = next(m.time_ns for m in read_bag(run[2]) if m.topic.endswith("state") and b"rest" in m.data)
    short = copied(run[2], tmp_path / "short", lambda message: message.time_ns < rest + 2 * 10**8)
    assembled = recordings_from_bag(fibo, short)
    assert assembled.recordings == []
    assert "cut short" in next(iter(assembled.refused.values()))


def test_a_test_in_which_time_goes_backwards_says_so(run: Run, fibo: Robot, tmp_path: Path) -> None:
    """The recording's own order is kept by its log times; the stamps inside jump back."""
    messages = list(read_bag(run[2]))
    ramp = next(m.time_ns for m in messages if m.topic.endswith("state") and b"ramp" in m.data)
    with BagWriter(tmp_path / "back") as writer:
        for message in messages:
            late = ramp < message.time_ns < ramp + 10**8 and message.topic.endswith("joint_states")
            time_ns = message.time_ns + (5 * 10**8 if late else 0)
            writer.write(message.topic, message.type, time_ns, message.data)
    assembled = recordings_from_bag(fibo, tmp_path / "back")
    assert "time goes backwards" in next(iter(assembled.refused.values()))


def test_another_robots_bag_is_refused(run: Run) -> None:
    with pytest.raises(RobotError, match="another robot than nao"):
        recordings_from_bag(load_robot("nao"), run[2])


def test_a_bag_without_tests_is_refused(run: Run, fibo: Robot, tmp_path: Path) -> None:
    first = next(m.time_ns for m in read_bag(run[2]) if b"rest" in m.data)
    early = copied(run[2], tmp_path / "early", lambda message: message.time_ns < first)
    with pytest.raises(RobotError, match="holds no fall test"):
        recordings_from_bag(fibo, early)
