"""Recordings of fall tests from messages, the same from a live robot and from a bag."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from humanoid_adapt.bag import BagMessage, read_bag
from humanoid_adapt.fall_test import FallTest
from humanoid_adapt.recording import Recording, Sample, TestRefused, record
from humanoid_description import Robot, RobotError
from humanoid_description.errors import did_you_mean

Array = NDArray[np.float64]
NEEDED = ("joint_states", "joint_trajectory", "imu/data", "fall_test/state")
"""Topics, relative to the robot's namespace, without which a test says nothing."""
FEET = {"foot/left/wrench": "left", "foot/right/wrench": "right"}
TOPICS = (*NEEDED, *FEET, "robot_description", "adapted_description", "inertials")
"""What is recorded of a robot."""


def seconds(stamp: Any) -> float:
    """Time of a message's header, s."""
    return float(stamp.sec) + 1e-9 * float(stamp.nanosec)


class Assembler:
    """Takes messages in their order and gives a recording whenever a test is over."""

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self.recordings: list[Recording] = []
        self.refused: dict[str, str] = {}
        self._columns = {name: column for column, name in enumerate(robot.joint_names)}
        self._command: Array | None = None
        self._imu: tuple[Array, Array] | None = None
        self._feet: dict[str, Array] = {}
        self._test: FallTest | None = None
        self._ramp_start = float("inf")
        self._samples: list[Sample] = []

    def take(self, topic: str, message: Any) -> None:
        """Take a message of a topic, relative to the robot's namespace."""
        if topic == "joint_states":
            self._on_joint_states(message)
        elif topic == "joint_trajectory":
            self._on_command(message)
        elif topic == "imu/data":
            turning, acceleration = message.angular_velocity, message.linear_acceleration
            self._imu = (
                np.array([turning.x, turning.y, turning.z]),
                np.array([acceleration.x, acceleration.y, acceleration.z]),
            )
        elif topic in FEET:
            force, torque = message.wrench.force, message.wrench.torque
            self._feet[FEET[topic]] = np.array([force.x, force.y, force.z, torque.x, torque.y, torque.z])
        elif topic == "fall_test/state":
            self._on_state(message)

    def _on_joint_states(self, message: Any) -> None:
        if self._test is None or self._command is None or self._imu is None:
            return
        position = np.full(self.robot.dof, np.nan)
        for name, angle in zip(message.name, message.position, strict=True):
            if name in self._columns:
                position[self._columns[name]] = angle
        self._samples.append(
            Sample(seconds(message.header.stamp), position, self._command, *self._imu, foot_force=dict(self._feet))
        )

    def _on_command(self, message: Any) -> None:
        command = np.zeros(self.robot.dof) if self._command is None else self._command.copy()
        for name, angle in zip(message.joint_names, message.points[-1].positions, strict=True):
            if name in self._columns:
                command[self._columns[name]] = angle
        self._command = command

    def _on_state(self, message: Any) -> None:
        status = message.status[0]
        values = {entry.key: entry.value for entry in status.values}
        phase = values["phase"]
        if phase == "rest":
            self._test = FallTest(values["test"], values["support"], values["direction"])
            self._samples, self._ramp_start = [], float("inf")
        elif phase == "ramp":
            self._ramp_start = seconds(message.header.stamp)
        elif phase != "fall" and self._test is not None:
            if not self._test.falls and self._samples:
                self._ramp_start = self._samples[-1].time
            self._finish()

    def _finish(self) -> None:
        test, self._test = self._test, None
        assert test is not None
        try:
            self.recordings.append(record(test, self._ramp_start, self._samples))
        except TestRefused as reason:
            self.refused[test.name] = str(reason)

    def close(self) -> None:
        """No more messages come: a test that is still under way was cut short."""
        if self._test is not None:
            self._finish()


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
    _refuse_other_robot(robot, path, messages, f"{space}/joint_states")
    assembler = Assembler(robot)
    prefix = len(space) + 1
    for message in messages:
        if message.topic.startswith(space + "/") and message.topic[prefix:] in (*NEEDED, *FEET):
            assembler.take(message.topic[prefix:], message.decode())
    assembler.close()
    if not assembler.recordings and not assembler.refused:
        raise RobotError(f"bag {path}: holds no fall test. Record one with './humanoid falltest'.")
    return assembler


def _namespace(path: Path, topics: set[str]) -> str:
    found = sorted(topic.removesuffix("/fall_test/state") for topic in topics if topic.endswith("/fall_test/state"))
    if len(found) > 1:
        raise RobotError(f"bag {path}: holds tests of several robots, {', '.join(found)}. Choose one with --namespace.")
    return found[0] if found else ""


def _refuse_other_robot(robot: Robot, path: Path, messages: Sequence[BagMessage], topic: str) -> None:
    first = next(message for message in messages if message.topic == topic).decode()
    missing = sorted(set(robot.joint_names) - set(first.name))
    if missing:
        remedy = did_you_mean(missing[0], first.name)
        raise RobotError(
            f"bag {path}: is of another robot than {robot.name}: joint '{missing[0]}' is not in it. {remedy}"
        )
