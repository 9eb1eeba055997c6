"""Any motion of a robot on its feet, recorded with what the feet feel; nobody needs to fall."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from humanoid_adapt.assembler import FEET, Stream, is_sound, seconds
from humanoid_adapt.bag import read_bag
from humanoid_adapt.recording import bridged
from humanoid_description import Robot, RobotError

Array = NDArray[np.float64]
LONGEST_GAP = 0.05
"""s between samples beyond which speeds and accelerations are not known."""


@dataclass(frozen=True)
class Motion:
    """What was measured; joint arrays in the order of Robot.joint_names."""

    name: str
    time: Array
    """s, increasing, shape (samples,)."""
    position: Array
    """rad, shape (samples, joints)."""
    foot_force: Mapping[str, Array]
    """N and N m in each foot's frame, shape (samples, 6) per side."""

    def __post_init__(self) -> None:
        """Refuse what says nothing."""
        where = f"motion {self.name}"
        if set(self.foot_force) != set(FEET.values()):
            raise RobotError(
                f"{where}: needs the forces under both feet. Record foot/left/wrench and foot/right/wrench."
            )
        if self.time.size < 2 or any(
            len(array) != self.time.size for array in (self.position, *self.foot_force.values())
        ):
            raise RobotError(f"{where}: has {self.time.size} samples. Record some seconds.")
        if (np.diff(self.time) <= 0).any():
            raise RobotError(f"{where}: time goes backwards in it. Record it again with one clock.")
        if np.diff(self.time).max() > LONGEST_GAP:
            gap = float(np.diff(self.time).max())
            raise RobotError(f"{where}: nothing was measured for {gap:.2f} s. Record at 50 Hz or more, without a gap.")
        if not all(np.isfinite(array).all() for array in (self.position, *self.foot_force.values())):
            raise RobotError(f"{where}: holds values that are not finite. Check the sensors.")


def is_motion(path: Path) -> bool:
    """Whether a bag has joints and feet but no fall test."""
    topics = {message.topic for message in read_bag(path)}
    ends = {
        name for topic in topics for name in (*FEET, "joint_states", "fall_test/state") if topic.endswith("/" + name)
    }
    return ends == {*FEET, "joint_states"}


def motion_from_bag(robot: Robot, path: Path, namespace: str | None = None) -> Motion:
    """All that a bag says of a robot's motion; RobotError if it is not of one."""
    messages = list(read_bag(path))
    spaces = sorted(
        {one.topic.removesuffix("/joint_states") for one in messages if one.topic.endswith("/joint_states")}
    )
    if namespace is not None:
        spaces = ["/" + namespace.strip("/")]
    if len(spaces) != 1:
        remedy = "Choose one with --namespace." if spaces else "Record them with './humanoid bag record'."
        raise RobotError(f"bag {path}: has joint_states of {len(spaces)} robots. {remedy}")
    feet = {side: Stream() for side in FEET.values()}
    joints: list[tuple[float, Array]] = []
    named: set[str] = set()
    for message in messages:
        topic = message.topic.removeprefix(spaces[0] + "/")
        if topic == "joint_states":
            states = message.decode()
            if not is_sound(topic, states):
                continue
            angles = dict(zip(states.name, states.position, strict=True))
            named |= set(angles)
            position = np.array([angles.get(name, np.nan) for name in robot.joint_names])
            joints.append((seconds(states.header.stamp), position))
        elif topic in FEET:
            stamped = message.decode()
            force, torque = stamped.wrench.force, stamped.wrench.torque
            wrench = np.array([force.x, force.y, force.z, torque.x, torque.y, torque.z])
            feet[FEET[topic]].add(seconds(stamped.header.stamp), wrench)
    missing = sorted(set(robot.joint_names) - named)
    if missing:
        raise RobotError(f"bag {path}: is of another robot than {robot.name}: '{missing[0]}' is not in it.")
    felt = {side: [stream.at(time) for time, _ in joints] for side, stream in feet.items()}
    whole = [all(wrenches[index] is not None for wrenches in felt.values()) for index in range(len(joints))]
    if not any(whole):
        raise RobotError(f"bag {path}: has no foot/left/wrench and foot/right/wrench. A motion tells through the feet.")
    times = np.array([time for (time, _), known in zip(joints, whole, strict=True) if known])
    measured = np.array([angles for (_, angles), known in zip(joints, whole, strict=True) if known])
    return Motion(
        path.name,
        times,
        bridged(f"motion {path.name}", robot.joint_names, times, measured, LONGEST_GAP),
        {
            side: np.array([w for w, known in zip(wrenches, whole, strict=True) if known])
            for side, wrenches in felt.items()
        },
    )
