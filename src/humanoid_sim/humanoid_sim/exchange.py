"""What passes between the shadow and the other engine at every step, compiled: in NumPy it took longer than the step.

A state is taken over, what it did not foresee is turned into forces, and forces at points are gathered into wrenches.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from humanoid_sim.compiling import compiled_loosely
from humanoid_sim.plant import Buffers, Plant

Array = NDArray[np.float64]
Indices = NDArray[np.int64]
_mj_mul_m: Any = types.ExternalFunction("mj_mulM", types.void(types.intp, types.intp, types.intp, types.intp))


class Motion(NamedTuple):
    """Where a robot is in the other engine, and how it moves."""

    base_position: Array
    """Of the base link's origin in the world, m."""
    base_quaternion_wxyz: Array
    linear_velocity: Array
    """Of the base link's origin, in world axes, m/s."""
    angular_velocity: Array
    """Of the base link, in world axes, rad/s."""
    joint_position: Array
    """rad, in the order of Robot.joint_names."""
    joint_velocity: Array
    """rad/s."""


@compiled_loosely
def take_state(
    qpos: Array, qvel: Array, base_qpos: int, base_dof: int, joint_qpos: Indices, joint_dof: Indices, motion: Motion
) -> bool:
    """Write a robot's motion into MuJoCo's positions and velocities.

    Args:
        qpos: MuJoCo's positions.
        qvel: MuJoCo's velocities.
        base_qpos: Where the base begins in qpos.
        base_dof: Where the base begins in qvel.
        joint_qpos: Where each joint is in qpos.
        joint_dof: Where each joint is in qvel.
        motion: Of the robot.

    Returns:
        Whether all of it is finite.
    """
    total = 0.0
    for i in range(3):
        qpos[base_qpos + i], qvel[base_dof + i] = motion.base_position[i], motion.linear_velocity[i]
        total += motion.base_position[i] + motion.linear_velocity[i] + motion.angular_velocity[i]
    for i in range(4):
        qpos[base_qpos + 3 + i] = motion.base_quaternion_wxyz[i]
        total += motion.base_quaternion_wxyz[i]
    # MuJoCo has the angular velocity in the axes of the body: the inverse rotation of a unit quaternion.
    w, x, y, z = qpos[base_qpos + 3], qpos[base_qpos + 4], qpos[base_qpos + 5], qpos[base_qpos + 6]
    wx, wy, wz = motion.angular_velocity[0], motion.angular_velocity[1], motion.angular_velocity[2]
    qvel[base_dof + 3] = (1 - 2 * (y * y + z * z)) * wx + 2 * (x * y + w * z) * wy + 2 * (x * z - w * y) * wz
    qvel[base_dof + 4] = 2 * (x * y - w * z) * wx + (1 - 2 * (x * x + z * z)) * wy + 2 * (y * z + w * x) * wz
    qvel[base_dof + 5] = 2 * (x * z + w * y) * wx + 2 * (y * z - w * x) * wy + (1 - 2 * (x * x + y * y)) * wz
    for i in range(joint_qpos.size):
        qpos[joint_qpos[i]], qvel[joint_dof[i]] = motion.joint_position[i], motion.joint_velocity[i]
        total += motion.joint_position[i] + motion.joint_velocity[i]
    return bool(np.isfinite(total))


@compiled_loosely
def weigh_surprise(
    plant: Plant, b: Buffers, predicted: Array, unexplained: Array, scratch: Array, dt: float, share: float
) -> None:
    """Turn velocities that were not foreseen into the forces that it takes, and average these.

    Args:
        plant: The scene.
        b: Its state, with the velocities that came about.
        predicted: Velocities that were foreseen.
        unexplained: The average, N and N m; changed.
        scratch: Shape (2, velocities).
        dt: Step in which they came about, s.
        share: Of the newest in the average.
    """
    for i in range(b.mass.size):
        # The step left its implicit terms in MuJoCo's matrix, which the next one computes anew.
        b.mass[i] = b.plain_mass[i]
    for i in range(predicted.size):
        scratch[0, i] = (b.qvel[i] - predicted[i]) / dt
    start = scratch.ctypes.data
    _mj_mul_m(plant.model, b.data, start + 8 * predicted.size, start)
    for i in range(predicted.size):
        unexplained[i] += share * (scratch[1, i] - unexplained[i])


@compiled_loosely
def add_wrench(R_world_body: Array, arms_in_body: Array, forces: Array, wrench: Array) -> None:
    """Add forces (N, world axes) at points in a body's frame (m) to the wrench at its origin, in world axes.

    Args:
        R_world_body: Rotation of the body, row by row, shape (9,).
        arms_in_body: Shape (points, 3).
        forces: Shape (points, 3).
        wrench: Force (N) and torque (N m); changed.
    """
    R = R_world_body
    for i in range(forces.shape[0]):
        px, py, pz = arms_in_body[i, 0], arms_in_body[i, 1], arms_in_body[i, 2]
        fx, fy, fz = forces[i, 0], forces[i, 1], forces[i, 2]
        x = R[0] * px + R[1] * py + R[2] * pz
        y = R[3] * px + R[4] * py + R[5] * pz
        z = R[6] * px + R[7] * py + R[8] * pz
        wrench[0] += fx
        wrench[1] += fy
        wrench[2] += fz
        wrench[3] += y * fz - z * fy
        wrench[4] += z * fx - x * fz
        wrench[5] += x * fy - y * fx
