"""A walk from beginning to end in one compiled loop, and what became of it."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from humanoid_description import Robot, RobotError
from humanoid_sim.engine import EXPLICIT, IMPLICIT, advance_many
from humanoid_sim.plant import RobotPart
from humanoid_sim.scene import Scene, World, height_on_soles
from humanoid_sim.simulation import FALLEN_TILT, beyond_bounds, check_step, has_fallen

Array = NDArray[np.float64]
LOOK_EVERY = 0.5
"""s after which it is looked whether the robot has fallen; what comes then is not simulated."""


@dataclass(frozen=True)
class Rollout:
    """What became of a walk."""

    fell: bool
    fall_time: float | None
    """s."""
    fall_direction: str | None
    """'forward', 'backward', 'left' or 'right', as the robot sees it; 'down' if its legs gave way under it."""
    distance: float
    """Way of the base over the ground in x, m."""
    yaw_drift: float
    """Turn of the base, rad."""
    torque: Array
    """Of every servo over time, N m, shape (steps, joints)."""
    base: Array
    """Place (m) and attitude quaternion wxyz of the base over time, shape (steps, 7); planar robots: x, z, pitch."""
    real_time_factor: float


def roll_out(
    robot: Robot,
    position: Array,
    velocity: Array,
    dt: float,
    *,
    explicit: bool = False,
    torque_share: float = math.inf,
    points_per_foot: int = 4,
) -> Rollout:
    """Let a robot follow joint references on flat ground, from the first posture on.

    Args:
        robot: To walk.
        position: Joint angles, rad, shape (steps, joints).
        velocity: Joint speeds, rad/s, same shape.
        dt: Time step of references and simulation, s.
        explicit: Take the explicit step, the reference.
        torque_share: Torque limit over the servos' stall torque.
        points_per_foot: Contact points along the rim of each sole.
    """
    if position.shape != velocity.shape or position.shape[1:] != (robot.dof,) or not len(position):
        raise RobotError(
            f"references: have the shapes {position.shape} and {velocity.shape}; give (steps, {robot.dof})."
        )
    check_step(dt, explicit)
    part = RobotPart(robot.name, robot, (0.0, 0.0, 0.0))
    scene = Scene([part], World(), torque_share, points_per_foot)
    scene.place(part, dict(zip(robot.joint_names, position[0], strict=True)))
    steps, nq = len(position), scene.model.nq
    trace = np.zeros((steps, nq + robot.dof))
    weights = EXPLICIT if explicit else IMPLICIT
    advance_many(scene.plant, scene.buffers, weights, dt, 0, position, velocity, trace)  # load what is compiled
    standing_height = height_on_soles(robot, robot.parameters.stand)
    columns = slice(part.base_qpos, part.base_qpos + (7 if robot.parameters.base == "free" else 3))
    started = time.process_time()
    done, upright = 0, True
    while done < steps and upright:
        piece = slice(done, min(steps, done + max(1, round(LOOK_EVERY / dt))))
        count = piece.stop - done
        advanced = advance_many(
            scene.plant,
            scene.buffers,
            weights,
            dt,
            count,
            position[piece],
            velocity[piece],
            trace[piece],
        )
        done += advanced
        if advanced < count:
            raise beyond_bounds(done * dt)
        upright = not _fallen(trace[done - 1 : done, columns], standing_height).any()
    spent = time.process_time() - started
    trace = trace[:done]
    base = trace[:, columns]
    fallen = np.flatnonzero(_fallen(base, standing_height))
    return Rollout(
        fell=bool(fallen.size),
        fall_time=float(fallen[0] * dt) if fallen.size else None,
        fall_direction=_direction(base) if fallen.size else None,
        distance=float(base[-1, 0] - base[0, 0]),
        yaw_drift=_yaw(base[-1]),
        torque=trace[:, nq:],
        base=base,
        real_time_factor=done * dt / max(spent, 1e-9),
    )


def _up_in_base(base: Array) -> Array:
    """The vertical as the base sees it, over time."""
    if base.shape[1] == 3:
        pitch = base[:, 2]
        return np.stack([-np.sin(pitch), np.zeros_like(pitch), np.cos(pitch)], axis=-1)
    w, x, y, z = base[:, 3:].T
    return np.stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], axis=-1)


def _fallen(base: Array, standing_height: float) -> NDArray[np.bool_]:
    """Whether it has, over time."""
    return has_fallen(_up_in_base(base)[:, 2], base[:, 1 if base.shape[1] == 3 else 2], standing_height)


def _direction(base: Array) -> str:
    """Of a fall: a robot that falls forward sees the vertical behind it."""
    up = _up_in_base(base)
    tilted = up[up[:, 2] < math.cos(FALLEN_TILT)]
    if not len(tilted):
        return "down"
    x, y, _ = tilted[0]
    if abs(x) >= abs(y):
        return "forward" if x < 0 else "backward"
    return "left" if y < 0 else "right"


def _yaw(base: Array) -> float:
    if base.size == 3:
        return 0.0
    w, x, y, z = base[3:]
    return math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
