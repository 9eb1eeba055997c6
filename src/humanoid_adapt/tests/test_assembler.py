"""Recordings from messages."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from humanoid_adapt.assembler import HEARD, Assembler, recordings_from_bag
from humanoid_adapt.bag import TYPES, BagMessage, BagWriter, encode, read_bag
from humanoid_adapt.bag_log import BagLog
from humanoid_adapt.routine import Routine
from humanoid_adapt.tip import tips_of
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


def lossy(message: BagMessage, count: int) -> bytes:
    """Joint states in which one servo is left out of every seventh message, as the bridge does on a bad line."""
    if not message.topic.endswith("joint_states") or count % 7:
        return message.data
    states = message.decode()
    kept = [index for index in range(len(states.name)) if index != count // 7 % len(states.name)]
    states.name = [states.name[index] for index in kept]
    states.position = states.position[kept]
    return encode(states)


def test_servos_that_leave_out_answers_do_not_spoil_a_test(run: Run, fibo: Robot, tmp_path: Path) -> None:
    with BagWriter(tmp_path / "lossy") as writer:
        for count, message in enumerate(read_bag(run[2])):
            writer.write(message.topic, message.type, message.time_ns, lossy(message, count))
    assembled = recordings_from_bag(fibo, tmp_path / "lossy")
    assert assembled.refused == {}
    for ours, whole in zip(assembled.recordings, run[1].assembler.recordings, strict=True):
        np.testing.assert_array_equal(ours.time, whole.time)
        np.testing.assert_allclose(ours.position, whole.position, atol=np.radians(1.0))
        assert 0 < np.count_nonzero(ours.position != whole.position) < 0.02 * whole.position.size
    tips, refused = tips_of(assembled.recordings, fibo)
    assert refused == {}
    for ours, whole in zip(tips, tips_of(run[1].assembler.recordings, fibo)[0], strict=True):
        np.testing.assert_allclose(ours.angles, whole.angles, atol=np.radians(0.1))


def test_messages_that_are_not_sound_are_passed_over_and_counted(run: Run, fibo: Robot, tmp_path: Path) -> None:
    """An empty trajectory, angles without names, a state of nothing, and bytes that are no message."""
    begun = next(m.time_ns for m in read_bag(run[2]) if m.topic.endswith("state") and b"ramp" in m.data)
    spoil = {"/real/joint_trajectory": "points", "/real/joint_states": "name", "/real/fall_test/state": "status"}
    spoilt = dict.fromkeys([*spoil, "/real/imu/data"], 0)
    with BagWriter(tmp_path / "unsound") as writer:
        for message in read_bag(run[2]):
            if message.time_ns >= begun and spoilt.get(message.topic) == 0:
                spoilt[message.topic] += 1
                decoded = message.decode()
                if message.topic in spoil:
                    setattr(decoded, spoil[message.topic], [])
                data = encode(decoded) if message.topic in spoil else message.data[:7]
                writer.write(message.topic, message.type, message.time_ns, data)
                if message.topic.endswith("state"):
                    writer.write(message.topic, message.type, message.time_ns, message.data)
            else:
                writer.write(message.topic, message.type, message.time_ns, message.data)
    assembled = recordings_from_bag(fibo, tmp_path / "unsound")
    assert assembled.unsound == dict.fromkeys((topic.removeprefix("/real/") for topic in spoilt), 1)
    assert len(assembled.recordings) == 6


def test_a_new_session_puts_the_tests_of_the_one_before_aside(run: Run, fibo: Robot) -> None:
    """The same tests twice, each run under its own session, as `fall_test/run` begins one."""
    assembler = Assembler(fibo)
    key_value = TYPES.types["diagnostic_msgs/msg/KeyValue"]
    messages = [message for message in read_bag(run[2]) if message.topic.removeprefix("/real/") in HEARD]
    last = next(m.time_ns for m in messages if m.topic.endswith("state") and b"left_left" in m.data)
    for session, end in (("first", math.inf), ("second", last)):
        for message in messages:
            decoded = message.decode()
            if message.topic.endswith("fall_test/state"):
                decoded.status[0].values.append(key_value(key="session", value=session))
            if message.time_ns <= end:
                assembler.take(message.topic.removeprefix("/real/"), decoded)
        assembler.settle()
    assert [recording.test.name for recording in assembler.recordings] == ["both_forward", "both_backward"]


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
