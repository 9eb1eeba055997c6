"""Whether a robot's servos can follow a planned walk: speed, torque and acceleration against what each can give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from humanoid_description import Robot
from humanoid_gait.gait_parameters import GaitParameters
from humanoid_gait.walker import Walker


@dataclass(frozen=True)
class Demand:
    """What a walk asks of one joint, at most, and what its servo has."""

    joint: str
    speed: float
    """rad/s."""
    speed_limit: float
    torque: float
    """That holds the weight, N m; what the swinging asks for comes on top."""
    torque_limit: float
    drive: float
    """Torque over stall torque plus speed over no-load speed, at the same instant: a motor has 1."""
    acceleration: float
    """rad/s^2."""
    acceleration_limit: float | None
    """None where it is not known."""

    @property
    def feasible(self) -> bool:
        """Whether the servo can follow."""
        return self.drive <= 1.0 and (self.acceleration_limit is None or self.acceleration <= self.acceleration_limit)


def demands(
    robot: Robot, gait: GaitParameters, velocity: Sequence[float], seconds: float, torque_share: float = 1.0
) -> list[Demand]:
    """What a walk asks of each joint.

    Args:
        robot: To walk.
        gait: How.
        velocity: Forward, sideways (m/s), turn (rad/s).
        seconds: Of the walk.
        torque_share: Torque limit over the servos' own.
    """
    walker = Walker(robot, gait, balance=False)
    walker.walk(velocity)
    angles, torques = [], []
    for _ in range(round(seconds / walker.period)):
        walker.tick()
        angles.append(walker.placed.position)
        torques.append(np.abs(walker.placed.torque))
    speed = np.abs(np.gradient(angles, walker.period, axis=0))
    acceleration = np.abs(np.diff(angles, 2, axis=0)) / walker.period**2
    torque = np.array(torques)
    result = []
    for column, (name, joint) in enumerate(robot.parameters.joints.items()):
        servo = robot.parameters.servos[joint.servo]
        stall = servo.stall_torque * torque_share
        drive = torque[:, column] / stall + speed[:, column] / servo.no_load_speed
        result.append(
            Demand(
                joint=name,
                speed=float(speed[:, column].max()),
                speed_limit=servo.no_load_speed,
                torque=float(torque[:, column].max()),
                torque_limit=stall,
                drive=float(drive.max()),
                acceleration=float(acceleration[:, column].max()),
                acceleration_limit=servo.max_acceleration,
            )
        )
    return result
