"""Recordings of fall tests from messages, the same from a live robot and from a bag."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import Counter, deque
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from humanoid_adapt.bag import Undecodable, read_bag
from humanoid_adapt.fall_test import DIRECTIONS, SUPPORTS, FallTest
from humanoid_adapt.recording import LONGEST_GAP, Recording, Sample, TestRefused, record
from humanoid_description import Robot, RobotError
from humanoid_description.errors import did_you_mean

Array = NDArray[np.float64]
NEEDED = ("joint_states", "joint_trajectory", "imu/data", "fall_test/state")
"""Topics, relative to the robot's namespace, without which a test says nothing."""
FEET = {"foot/left/wrench": "left", "foot/right/wrench": "right"}
HEARD = (*NEEDED, *FEET)
"""What an estimate is made of."""
TOPICS = (*HEARD, "robot_description", "adapted_description", "inertials")
"""What is recorded of a robot."""
SAID = ("test", "support", "direction", "phase")
"""What a message of fall_test/state says."""
STRAGGLING = 0.2
"""s by which a message may come later than one with a newer stamp on another topic."""


def seconds(stamp: Any) -> float:
    """Time of a message's header, s."""
    return float(stamp.sec) + 1e-9 * float(stamp.nanosec)


def is_sound(topic: str, message: Any) -> bool:
    """Whether a message of HEARD has all that belongs to it; anybody can publish anything."""
    if topic == "joint_states":
        return len(message.name) == len(message.position)
    if topic == "joint_trajectory":
        return bool(message.points) and len(message.joint_names) == len(message.points[-1].positions)
    if topic == "fall_test/state":
        said = {entry.key: entry.value for entry in message.status[0].values} if message.status else {}
        return set(SAID) <= set(said) and said["support"] in SUPPORTS and said["direction"] in DIRECTIONS
    return True


class Stream:
    """Values of a topic by their stamps."""

    def __init__(self) -> None:
        self._times: list[float] = []
        self._values: list[Array] = []

    def add(self, time: float, value: Array) -> None:
        """Add a value; nothing is left of before the clock was set back."""
        if self._times and time < self._times[-1]:
            self._times.clear()
            self._values.clear()
        self._times.append(time)
        self._values.append(value)

    def at(self, time: float, oldest: float = -math.inf) -> Array | None:
        """The newest value that is as old as a time or older, but not from before the oldest time."""
        index = bisect_right(self._times, time)
        return self._values[index - 1] if index and self._times[index - 1] >= oldest else None

    def before(self, time: float) -> Array | None:
        """The newest value that is older than a time."""
        index = bisect_left(self._times, time)
        return self._values[index - 1] if index else None

    def forget(self, time: float) -> None:
        """Drop what is no longer the newest value at a time."""
        count = max(0, bisect_right(self._times, time) - 1)
        del self._times[:count], self._values[:count]


class Assembler:
    """Takes messages and gives a recording whenever a test is over, of the newest session: that of one `fall_test/run`.

    Topics overtake each other on their way. So samples are put together by the stamps of the messages, and a live
    listener and a reader of the bag get the same recordings.
    """

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self.recordings: list[Recording] = []
        self.refused: dict[str, str] = {}
        self.unsound: Counter[str] = Counter()
        """Messages by topic that were passed over because something is missing in them."""
        self.joints: set[str] = set()
        """Names of all joints that were heard of."""
        self.taken = 0
        """Messages of such topics so far."""
        self._columns = {name: column for column, name in enumerate(robot.joint_names)}
        self._joints: deque[tuple[float, Array]] = deque()
        self._commands, self._imu = Stream(), Stream()
        self._feet = {side: Stream() for side in FEET.values()}
        self._command = np.zeros(robot.dof)
        self._session = ""
        self._test: FallTest | None = None
        self._start = self._ramp_start = self._end = math.inf

    def take(self, topic: str, message: Any) -> None:
        """Take a message of a topic, relative to the robot's namespace."""
        if topic not in HEARD:
            return
        self.taken += 1
        if not is_sound(topic, message):
            self.unsound[topic] += 1
            return
        time = seconds(message.header.stamp)
        if topic == "joint_trajectory" and time == 0.0 and self._joints:
            time = self._joints[-1][0]  # whoever sent it does not say when: it came after these
        if math.isfinite(self._end) and not self._start <= time < self._end + STRAGGLING:
            self._finish()
        if topic == "joint_states":
            self._on_joint_states(time, message)
        elif topic == "joint_trajectory":
            self._on_command(time, message)
        elif topic == "imu/data":
            turning, acceleration = message.angular_velocity, message.linear_acceleration
            self._imu.add(time, np.concatenate([_array(turning), _array(acceleration)]))
        elif topic in FEET:
            force, torque = message.wrench.force, message.wrench.torque
            self._feet[FEET[topic]].add(time, np.concatenate([_array(force), _array(torque)]))
        elif topic == "fall_test/state":
            self._on_state(time, message)

    def _on_joint_states(self, time: float, message: Any) -> None:
        self.joints.update(message.name)
        position = np.full(self.robot.dof, np.nan)
        for name, angle in zip(message.name, message.position, strict=True):
            if name in self._columns:
                position[self._columns[name]] = angle
        self._joints.append((time, position))
        if self._test is None:  # what a test that begins may need
            while not time - STRAGGLING <= self._joints[0][0] <= time:
                self._joints.popleft()
            for stream in (self._commands, self._imu, *self._feet.values()):
                stream.forget(self._joints[0][0])

    def _on_command(self, time: float, message: Any) -> None:
        command = self._command.copy()
        for name, angle in zip(message.joint_names, message.points[-1].positions, strict=True):
            if name in self._columns:
                command[self._columns[name]] = angle
        self._command = command
        self._commands.add(time, command)

    def _on_state(self, time: float, message: Any) -> None:
        values = {entry.key: entry.value for entry in message.status[0].values}
        phase = values["phase"]
        if values.get("session", "") != self._session:  # the robot may carry something else by now
            self._session = values.get("session", "")
            self._test, self._start, self._ramp_start, self._end = None, math.inf, math.inf, math.inf
            self.recordings.clear()
            self.refused.clear()
        if phase == "rest":
            self.close()
            self._test = FallTest(values["test"], values["support"], values["direction"])
            self._start = time
        elif phase == "ramp":
            self._ramp_start = time
        elif phase != "fall" and self._test is not None:
            self._end = min(self._end, time)

    def _finish(self) -> None:
        test, start, ramp_start, end = self._test, self._start, self._ramp_start, self._end
        self._test, self._start, self._ramp_start, self._end = None, math.inf, math.inf, math.inf
        assert test is not None
        samples = [
            found for time, position in self._joints if start <= time < end for found in self._at(time, position)
        ]
        if not test.falls and samples:
            ramp_start = samples[-1].time
        try:
            self.recordings.append(record(test, self.robot.joint_names, ramp_start, samples))
        except TestRefused as reason:
            self.refused[test.name] = str(reason)

    def _at(self, time: float, position: Array) -> list[Sample]:
        """The sample of a time, unless nothing is known of command or IMU."""
        command, imu = self._commands.before(time), self._imu.at(time, time - LONGEST_GAP)
        if command is None or imu is None:
            return []
        felt = {side: stream.at(time) for side, stream in self._feet.items()}
        feet = {side: wrench for side, wrench in felt.items() if wrench is not None}
        return [Sample(time, position, command, imu[:3], imu[3:], feet)]

    def passed_over(self) -> str:
        """What is to be said of messages that were not sound; empty if there were none."""
        topics = ", ".join(f"{count} of {topic}" for topic, count in sorted(self.unsound.items()))
        return f"passed over as not sound: {topics}" if topics else ""

    def settle(self) -> None:
        """Wait no longer for messages of a test that is over."""
        if math.isfinite(self._end):
            self._finish()

    def close(self) -> None:
        """No more messages come: a test that is still under way was cut short."""
        if self._test is not None:
            self._finish()


def _array(vector: Any) -> Array:
    return np.array([vector.x, vector.y, vector.z])


def recordings_from_bag(robot: Robot, path: Path, namespace: str | None = None) -> Assembler:
    """All tests of one robot in a bag; RobotError if the bag is not of such tests."""
    messages = list(read_bag(path))
    topics = {message.topic for message in messages}
    space = _namespace(path, topics) if namespace is None else "/" + namespace.strip("/")
    missing = [name for name in NEEDED if f"{space}/{name}" not in topics]
    if missing:
        raise RobotError(
            f"bag {path}: has no topic {', '.join(f'{space}/{name}' for name in missing)}. "
            f"Record a fall test with './humanoid bag record'. It has: {', '.join(sorted(topics)) or 'nothing'}."
        )
    assembler = Assembler(robot)
    prefix = len(space) + 1
    for message in messages:
        topic = message.topic[prefix:]
        if message.topic.startswith(space + "/") and topic in HEARD:
            try:
                assembler.take(topic, message.decode())
            except Undecodable:
                assembler.unsound[topic] += 1
    assembler.close()
    _refuse_other_robot(robot, path, assembler.joints)
    if not assembler.recordings and not assembler.refused:
        raise RobotError(f"bag {path}: holds no fall test. Record one with './humanoid falltest'.")
    return assembler


def _namespace(path: Path, topics: set[str]) -> str:
    found = sorted(topic.removesuffix("/fall_test/state") for topic in topics if topic.endswith("/fall_test/state"))
    if len(found) > 1:
        raise RobotError(f"bag {path}: holds tests of several robots, {', '.join(found)}. Choose one with --namespace.")
    return found[0] if found else ""


def _refuse_other_robot(robot: Robot, path: Path, joints: set[str]) -> None:
    missing = sorted(set(robot.joint_names) - joints)
    if missing:
        remedy = did_you_mean(missing[0], sorted(joints))
        raise RobotError(
            f"bag {path}: is of another robot than {robot.name}: joint '{missing[0]}' is not in it. {remedy}"
        )
