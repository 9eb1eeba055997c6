"""Recordings from messages."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from humanoid_adapt.assembler import HEARD, Assembler, recordings_from_bag
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


def test_topics_may_overtake_each_other(run: Run, fibo: Robot) -> None:
    """A live listener and a recorder hear topics in different orders; the stamps say what belongs together."""
    messages = [message for message in read_bag(run[2]) if message.topic.removeprefix("/real/") in HEARD]
    late = {"/real/imu/data": 3 * 10**7, "/real/joint_trajectory": 5 * 10**7, "/real/fall_test/state": 10**8}
    one, other = Assembler(fibo), Assembler(fibo)
    for message in messages:
        one.take(message.topic.removeprefix("/real/"), message.decode())
    for message in sorted(messages, key=lambda message: message.time_ns + late.get(message.topic, 0)):
        other.take(message.topic.removeprefix("/real/"), message.decode())
    assert one.taken == other.taken == len(messages)
    one.settle()
    other.settle()
    assert len(one.recordings) == len(other.recordings) == 6
    for first, second in zip(one.recordings, other.recordings, strict=True):
        for name in ("time", "position", "command", "angular_velocity", "linear_acceleration"):
            np.testing.assert_array_equal(getattr(first, name), getattr(second, name))
        assert first.ramp_start == second.ramp_start


def test_a_command_without_a_stamp_counts_from_when_it_came(run: Run, fibo: Robot) -> None:
    stamped, unstamped = Assembler(fibo), Assembler(fibo)
    for message in read_bag(run[2]):
        topic = message.topic.removeprefix("/real/")
        stamped.take(topic, message.decode())
        decoded = message.decode()
        if topic == "joint_trajectory":
            decoded.header.stamp.sec = decoded.header.stamp.nanosec = 0
        unstamped.take(topic, decoded)
    for first, second in zip(stamped.recordings, unstamped.recordings, strict=True):
        np.testing.assert_array_equal(first.command, second.command)


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
