"""Walking primitive of seed 003, section 4.1: an inverted pendulum in the sagittal plane, damped by its ankles.

The hips and knees follow angles over time. The ankles turn freely, so that the robot falls forward over its standing
leg onto the other, until at the end of the primitive a torque in both ankles brings it to rest. The next primitive is
the same with the legs exchanged.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from humanoid_description import Robot, RobotError
from humanoid_gait.primitives import MAX_SAMPLES, JointReference

Array = NDArray[np.float64]
SIDES = ("left", "right")


@dataclass(frozen=True)
class PlanarParameters:
    """Shape of the angles in Figs. 5 and 6 and the damping of the ankles.

    The paper found its angles empirically and prints no numbers. These were found by trying: the model of AR-601M walks
    with them at time steps from 0.1 to 1 ms, and with all of them changed at random by up to 5 %.
    """

    lifted_hip: float = np.radians(22.0)
    """Angle to which the stepping thigh is raised, forward, rad."""
    lifted_knee: float = np.radians(50.0)
    """Angle to which its knee is bent meanwhile, rad."""
    reach: float = np.radians(14.0)
    """Angle at which the leg is then stretched out forward, rad."""
    joining_knee: float = np.radians(15.0)
    """Angle to which the knee of the other leg is bent on its way forward, rad."""
    lifted: float = 0.4
    """When the foot is raised, s from the beginning of the primitive."""
    stretched: float = 0.7
    """When the leg is stretched out and the other begins to join it, s."""
    joined: float = 1.7
    """When hips and knees are at zero again and the damping begins, s."""
    period: float = 3.0
    """Of the primitive, s: "the duration of one walking primitive is 3 s, the time between stepping phases 1.3 s"."""
    ankle_stiffness: float = 400.0
    """Of each ankle while it damps, N m/rad."""
    ankle_damping: float = 100.0
    """Of each ankle while it damps, N m s/rad."""
    ankle_friction: float = 2.0
    """Of an ankle that turns freely, N m s/rad."""

    def __post_init__(self) -> None:
        """Refuse what is no primitive."""
        if not np.isfinite(dataclasses.astuple(self)).all():
            raise RobotError(f"{self}: all must be finite.")
        if not 0 < self.lifted < self.stretched < self.joined < self.period:
            raise RobotError(f"{self}: the times must follow each other: lifted, stretched, joined, period.")


def planar_walk(robot: Robot, parameters: PlanarParameters, count: int, dt: float) -> JointReference:
    """Angles of `count` primitives, the left leg first; those of the ankles are zero, as ankle_torque moves them."""
    if robot.parameters.base != "sagittal":
        raise RobotError(f"{robot.name}: is not held in the sagittal plane. Take ar601m_planar.")
    if count < 1 or not 0 < dt <= parameters.lifted / 4:
        raise RobotError(f"planar gait: {count} primitives at {dt} s. Ask for one or more, four samples per phase.")
    if count * parameters.period / dt > MAX_SAMPLES:
        raise RobotError(f"planar gait: {count} primitives at {dt} s are over {MAX_SAMPLES} samples. Ask for fewer.")
    time = np.arange(round(count * parameters.period / dt)) * dt
    done, within = np.divmod(time, parameters.period)
    legs = {"stepping": _stepping_leg(parameters, within), "joining": _joining_leg(parameters, within)}
    position = np.zeros((time.size, robot.dof))
    for index, side in enumerate(SIDES):
        steps = done % 2 == index
        for column, joint in enumerate(("hip_pitch", "knee")):
            angle = np.where(steps, legs["stepping"][column], legs["joining"][column])
            position[:, robot.joint_names.index(f"{side}_{joint}")] = angle
    ranges = robot.parameters.joints.values()
    low, high = np.array([joint.lower for joint in ranges]), np.array([joint.upper for joint in ranges])
    reachable = bool((position >= low - 1e-9).all() and (position <= high + 1e-9).all())
    return JointReference(dt, position, np.asarray(np.gradient(position, dt, axis=0)), reachable)


def ankle_torque(parameters: PlanarParameters, time: float, angle: float, speed: float) -> float:
    """Torque (N m) of an ankle at a time (s) of the walk, from its angle (rad) and speed (rad/s)."""
    if time % parameters.period < parameters.joined:
        return -parameters.ankle_friction * speed
    return -parameters.ankle_stiffness * angle - parameters.ankle_damping * speed


def _stepping_leg(parameters: PlanarParameters, time: Array) -> tuple[Array, Array]:
    """Hip and knee of the leg that steps: raised, stretched out, upright again."""
    lift = _rise(time, 0.0, parameters.lifted)
    stretch = _rise(time, parameters.lifted, parameters.stretched)
    stand = _rise(time, parameters.stretched, parameters.joined)
    forward = parameters.lifted_hip * lift + (parameters.reach - parameters.lifted_hip) * stretch
    return -(forward - parameters.reach * stand), parameters.lifted_knee * (lift - stretch)


def _joining_leg(parameters: PlanarParameters, time: Array) -> tuple[Array, Array]:
    """Hip and knee of the leg that joins it: the standing leg, whose knee bends while the foot comes forward."""
    middle = 0.5 * (parameters.stretched + parameters.joined)
    bend = _rise(time, parameters.stretched, middle) - _rise(time, middle, parameters.joined)
    return np.zeros_like(time), parameters.joining_knee * bend


def _rise(time: Array, start: float, end: float) -> Array:
    """From 0 to 1 between two times, at rest at both, as the feet of eq 1."""
    return np.asarray(0.5 * (1 - np.cos(np.pi * np.clip((time - start) / (end - start), 0, 1))))
