"""Whether a robot's servos can follow a planned walk: range, speed, torque and acceleration against what each has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from humanoid_description import Robot, RobotError
from humanoid_description.inertial import GRAVITY
from humanoid_gait.energy import Motion, motor_torque
from humanoid_gait.gait_parameters import FILE, GaitParameters
from humanoid_gait.leg_ik import ROUNDING
from humanoid_gait.primitives import JointReference
from humanoid_gait.walker import Walker
from humanoid_gait.whole_body import WholeBody

Array = NDArray[np.float64]
TOUCHING = 1e-3
"""m by which a foot may be higher than the other and still carry."""


@dataclass(frozen=True)
class Demand:
    """What a walk asks of one joint, at most, and what its servo has."""

    joint: str
    speed: float
    """rad/s."""
    speed_limit: float
    torque: float
    """That holds the weight, moves the limbs and overcomes the servo's rotor and friction, N m."""
    torque_limit: float
    drive: float
    """Torque over stall torque plus speed over no-load speed, at the same instant: a motor has 1."""
    acceleration: float
    """rad/s^2."""
    acceleration_limit: float | None
    """None where it is not known."""
    beyond_range: float
    """By which the plan leaves the joint's range, rad; 0 if it does not."""

    @property
    def feasible(self) -> bool:
        """Whether the servo can follow."""
        return (
            self.speed <= self.speed_limit
            and self.torque <= self.torque_limit
            and self.drive <= 1.0
            and (self.acceleration_limit is None or self.acceleration <= self.acceleration_limit)
            and self.beyond_range == 0.0
        )


def planned_walk(
    robot: Robot, gait: GaitParameters, velocity: Sequence[float], seconds: float
) -> tuple[JointReference, Array]:
    """A walk as it is planned, and the torques (N m) that hold its postures; RobotError if it is beyond reach.

    Args:
        robot: To walk.
        gait: How.
        velocity: Forward, sideways (m/s), turn (rad/s).
        seconds: Of the walk; a step or more.
    """
    if seconds < gait.step_time:
        raise RobotError(f"walk: --seconds is {seconds:g}. A check needs a step or more, {gait.step_time:g} s.")
    walker = Walker(robot, gait, balance=False)
    walker.walk(velocity)
    angles, torques = [], []
    for tick in range(round(seconds / walker.period)):
        walker.tick()
        if not walker.placed.reachable:
            raise RobotError(
                f"walk: at {tick * walker.period:.2f} s a foot of {robot.name} is beyond its leg's reach. "
                f"Lower hip_height in {FILE}, or ask for less speed."
            )
        angles.append(walker.placed.position)
        torques.append(walker.placed.torque)
    position = np.array(angles)
    velocities = np.asarray(np.gradient(position, walker.period, axis=0))
    return JointReference(walker.period, position, velocities, True), np.array(torques)


def holding_torque(robot: Robot, position: Array) -> Array:
    """Torques (N m) that hold postures (rad, shape (samples, joints)) of an upright robot on the foot or feet below.

    The ground presses where the centre of mass is above a foot, or as near to that as feet and the line between them
    allow.
    """
    body, upward, weight = WholeBody(robot), np.array([0.0, 0.0, 1.0]), robot.mass * GRAVITY
    feet = robot.parameters.feet
    torque = np.empty_like(position)
    for sample, joints in enumerate(position):
        body.move(joints)
        soles = {side: body.foot(side)[0] - foot.depth * upward for side, foot in feet.items()}
        lowest = min(sole[2] for sole in soles.values())
        down = {side: sole for side, sole in soles.items() if sole[2] <= lowest + TOUCHING}
        if len(down) == 1:
            ((side, sole),) = down.items()
            foot, ahead, aside = feet[side], *(body.com - sole)[:2]
            beside = [np.clip(ahead, -foot.rear, foot.front), np.clip(aside, -foot.right, foot.left), 0.0]
            carried = {side: (weight, sole + np.array(beside))}
        else:
            left, right = down["left"], down["right"]
            between = left - right
            share = min(max(float((body.com - right) @ between / (between @ between)), 0.0), 1.0)
            carried = {"left": (share * weight, left), "right": ((1 - share) * weight, right)}
        torque[sample] = body.holding_torque(carried, upward)
    return torque


def demands(robot: Robot, reference: JointReference, holding: Array, torque_share: float = 1.0) -> list[Demand]:
    """What a walk asks of each joint.

    Args:
        robot: To walk.
        reference: Its joints over time.
        holding: Torques that hold the postures, N m, in the shape of the reference's.
        torque_share: Torque limit over the servos' own.
    """
    position, velocity = reference.position, reference.velocity
    acceleration = np.asarray(np.gradient(velocity, reference.dt, axis=0))
    time = reference.dt * np.arange(len(position), dtype=np.float64)
    at_rest = Motion(time, position, np.zeros_like(position), np.zeros_like(position))
    moving = motor_torque(robot, Motion(time, position, velocity, acceleration)) - motor_torque(robot, at_rest)
    torque = holding + moving
    result = []
    for column, (name, joint) in enumerate(robot.parameters.joints.items()):
        servo = robot.parameters.servos[joint.servo]
        stall = servo.stall_torque * torque_share
        lowest, highest = float(position[:, column].min()), float(position[:, column].max())
        beyond = max(joint.lower - lowest, highest - joint.upper)
        drive = torque[:, column] / stall + velocity[:, column] / servo.no_load_speed
        result.append(
            Demand(
                joint=name,
                speed=float(np.abs(velocity[:, column]).max()),
                speed_limit=min(servo.no_load_speed, servo.max_speed or np.inf),
                torque=float(np.abs(torque[:, column]).max()),
                torque_limit=stall,
                drive=float(np.abs(drive).max()),
                acceleration=float(np.abs(acceleration[:, column]).max()),
                acceleration_limit=servo.max_acceleration,
                beyond_range=beyond if beyond > ROUNDING else 0.0,
            )
        )
    return result
