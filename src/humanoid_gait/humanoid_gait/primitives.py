"""Walking primitives of seed 003, section 4.2: a step with one leg, a pause, the other leg joins it, a pause."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from humanoid_description import Robot, RobotError
from humanoid_gait.leg_ik import leg_of, solve

Array = NDArray[np.float64]
MAX_SAMPLES = 5_000_000


@dataclass(frozen=True)
class PrimitiveParameters:
    """Parameters of eqs 1 and 2."""

    step: float
    """a: length of a step, m."""
    lift: float
    """h: greatest height of the moving foot, m."""
    torso_height: float
    """z0: of the torso's origin above the ground, m."""
    period: float
    """T: duration of a step, s."""
    pause: float
    """Time to let oscillations die out after each step, s."""


@dataclass(frozen=True)
class JointReference:
    """Joint angles over time, at a constant step."""

    dt: float
    """s."""
    position: Array
    """rad, shape (samples, joints), in the order of Robot.joint_names."""
    velocity: Array
    """rad/s, same shape."""
    reachable: bool
    """Whether every pose was within the legs' reach and the joints' ranges."""


def forward_walk(robot: Robot, parameters: PrimitiveParameters, count: int, dt: float) -> JointReference:
    """Reference of `count` primitives forward, the left leg first, from feet side by side."""
    for name, value in dataclasses.asdict(parameters).items():
        positive = name in ("period", "torso_height")
        if not np.isfinite(value) or (value <= 0 if positive else value < 0 and name != "step"):
            bound = ", above zero" if positive else "" if name == "step" else ", not below zero"
            raise RobotError(f"primitive: {name} is {value}. Give a finite number{bound}.")
    if count < 1:
        raise RobotError(f"primitive: {count} of them. Ask for one or more.")
    if not 0 < dt <= parameters.period / 4:
        raise RobotError(f"primitive: dt is {dt} s. Give one above zero with at least four samples per step.")
    duration = 2 * (parameters.period + parameters.pause)
    if count * duration / dt > MAX_SAMPLES:
        raise RobotError(f"primitive: {count} of {duration} s at {dt} s are over {MAX_SAMPLES} samples. Ask for fewer.")
    time = np.arange(round(count * duration / dt) + 1) * dt
    done, within = np.divmod(time, duration)
    done, within = np.where(done >= count, count - 1, done), np.where(done >= count, duration, within)
    left, left_lift = _foot(parameters, within)
    right, right_lift = _foot(parameters, within - parameters.period - parameters.pause)
    torso = 0.5 * (left + right)
    base = done * parameters.step
    position = np.zeros((time.size, robot.dof))
    reachable = True
    spacing = leg_of(robot, "left").hip_in_base[1] - leg_of(robot, "right").hip_in_base[1]
    for side, forward, lift, sign in (("left", left, left_lift, 1), ("right", right, right_lift, -1)):
        leg = leg_of(robot, side)
        ankle_in_base = np.stack(
            [
                base + forward - (base + torso),
                np.full(time.size, sign * spacing / 2),
                lift + robot.parameters.feet[side].depth - parameters.torso_height,
            ],
            axis=-1,
        )
        angles, within_reach = solve(leg, ankle_in_base, np.broadcast_to(np.eye(3), (time.size, 3, 3)))
        reachable = reachable and bool(within_reach.all())
        for column, name in enumerate(leg.joint_names):
            position[:, robot.joint_names.index(name)] = angles[:, column]
    for name, angle in robot.parameters.stand.items():
        if not any(part in name for part in ("hip", "knee", "ankle")):
            position[:, robot.joint_names.index(name)] = angle
    ranges = robot.parameters.joints.values()
    low, high = np.array([joint.lower for joint in ranges]), np.array([joint.upper for joint in ranges])
    reachable = reachable and bool((position >= low - 1e-9).all() and (position <= high + 1e-9).all())
    velocity = np.asarray(np.gradient(position, dt, axis=0))
    return JointReference(dt, position, velocity, reachable)


def _foot(parameters: PrimitiveParameters, time: Array) -> tuple[Array, Array]:
    """Way (m) and height (m) of a foot that starts to move at time zero (eq 1)."""
    phase = np.pi * np.clip(time / parameters.period, 0, 1)
    return 0.5 * parameters.step * (1 - np.cos(phase)), 0.5 * parameters.lift * (1 - np.cos(2 * phase))
