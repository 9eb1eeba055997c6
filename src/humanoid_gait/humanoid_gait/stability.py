"""How surely a planned walk stands: its zero moment point by three models, and how far inside the support it is.

The models know more and more of the robot: one mass at its centre of mass (the pendulum that the pattern is made of),
three masses (both legs and the rest, seed 000), and all links with their inertias, by MuJoCo's inverse dynamics.
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from humanoid_description import Robot, RobotError
from humanoid_description.inertial import GRAVITY
from humanoid_description.support_polygon import support_polygon
from humanoid_gait.gait_parameters import GaitParameters
from humanoid_gait.pattern import Planned
from humanoid_gait.planar_pose import place
from humanoid_gait.walker import Walker

Array = NDArray[np.float64]
LEAST_TICKS = 3
"""That an acceleration is taken from."""


@dataclass(frozen=True)
class WholeMotion:
    """A robot's joints and base, one row per tick."""

    joints: Array
    """rad, in the order of Robot.joint_names."""
    T_plan_base: Array
    """Shape (ticks, 4, 4), m."""
    period: float
    """s between ticks."""


@dataclass(frozen=True)
class Margin:
    """Distance of the zero moment point from the edge of the support; below zero it is outside."""

    least: float
    """m."""
    mean: float
    """m."""
    inside: float
    """Share of the time."""


@dataclass(frozen=True)
class Stability:
    """Margins by what the model of the robot knows."""

    one_mass: Margin
    three_masses: Margin
    all_links: Margin


def zmp_of_masses(masses: Array, positions: Array, period: float) -> Array:
    """Zero moment point (x, y in m) of moving point masses, at every tick but the first and the last.

    Eqs 4 and 5 of seed 000 without torque: for one mass at constant height, that of the linear inverted pendulum.

    Args:
        masses: kg, shape (k,).
        positions: m above and along flat ground, shape (ticks, k, 3).
        period: s between ticks.
    """
    acceleration = np.diff(positions, 2, axis=0) / period**2
    here = positions[1:-1]
    weight = masses * (acceleration[:, :, 2] + GRAVITY)
    moment = weight[:, :, None] * here[:, :, :2] - (masses * here[:, :, 2])[:, :, None] * acceleration[:, :, :2]
    return np.asarray(moment.sum(axis=1) / weight.sum(axis=1)[:, None])


def zmp_of_links(robot: Robot, motion: WholeMotion) -> Array:
    """Zero moment point (x, y in m) of all links with their inertias, at every tick but the first and the last."""
    model = copy.copy(robot.kinematics.model)
    model.opt.gravity[:] = 0.0, 0.0, -GRAVITY
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    data = mujoco.MjData(model)
    addresses = [model.joint(name).qposadr[0] for name in robot.joint_names]
    places = np.zeros((len(motion.joints), model.nq))
    places[:, :3] = motion.T_plan_base[:, :3, 3]
    for row, T_plan_base in zip(places, motion.T_plan_base, strict=True):
        mujoco.mju_mat2Quat(row[3:7], T_plan_base[:3, :3].ravel())
    places[:, addresses] = motion.joints
    velocities = np.zeros((len(places) - 1, model.nv))
    for velocity, before, after in zip(velocities, places, places[1:], strict=False):
        mujoco.mj_differentiatePos(model, velocity, motion.period, before, after)
    zmp = np.zeros((len(places) - 2, 2))
    for index, (before, after) in enumerate(itertools.pairwise(velocities)):
        data.qpos[:] = places[index + 1]
        data.qvel[:] = 0.5 * (before + after)
        data.qacc[:] = (after - before) / motion.period
        mujoco.mj_inverse(model, data)
        # What the ground must give: a force, and a torque about the base's origin in its axes.
        force, base = data.qfrc_inverse[:3], data.qpos[:3]
        torque = motion.T_plan_base[index + 1, :3, :3] @ data.qfrc_inverse[3:6] + np.cross(base, force)
        zmp[index] = -torque[1] / force[2], torque[0] / force[2]
    return zmp


def distance_inside(polygon: Array, point: Array) -> float:
    """Distance (m) of a point from the nearest edge of a convex polygon, counter-clockwise; below zero outside."""
    edges = np.roll(polygon, -1, axis=0) - polygon
    to_point = point - polygon
    across = edges[:, 0] * to_point[:, 1] - edges[:, 1] * to_point[:, 0]
    lines = across / np.linalg.norm(edges, axis=1)
    if lines.min() >= 0.0:
        return float(lines.min())
    along = np.clip(np.sum(edges * to_point, axis=1) / np.sum(edges**2, axis=1), 0.0, 1.0)
    return -float(np.linalg.norm(to_point - along[:, None] * edges, axis=1).min())


def stability(robot: Robot, gait: GaitParameters, velocity: Sequence[float], seconds: float) -> Stability:
    """Margins of a walk as it is planned, from standing.

    Args:
        robot: To walk.
        gait: How.
        velocity: Forward, sideways (m/s), turn (rad/s).
        seconds: Of the walk.
    """
    walker = Walker(robot, gait, balance=False)
    walker.walk(velocity)
    ticks = round(seconds / walker.period)
    if ticks < LEAST_TICKS:
        raise RobotError(f"stability: {seconds} s are no walk. Give {LEAST_TICKS * walker.period} s or more.")
    joints, T_plan_base, supports = [], np.zeros((ticks, 4, 4)), []
    for pose in T_plan_base:
        walker.tick()
        joints.append(walker.placed.position)
        pose[:3, :3], pose[:3, 3], pose[3, 3] = walker.placed.R_plan_base, walker.placed.base, 1.0
        supports.append(_support(robot, walker.planned))
    motion = WholeMotion(np.array(joints), T_plan_base, walker.period)
    masses = [robot.three_mass(dict(zip(robot.joint_names, row.tolist(), strict=True))).masses for row in joints]
    weights = np.array([mass.mass for mass in masses[0]])
    in_base = np.array([[mass.com_in_base for mass in three] for three in masses])
    three = np.einsum("tij,tkj->tki", T_plan_base[:, :3, :3], in_base) + T_plan_base[:, None, :3, 3]
    one = np.einsum("k,tki->ti", weights / weights.sum(), three)[:, None]
    return Stability(
        _margin(zmp_of_masses(weights.sum(keepdims=True), one, walker.period), supports),
        _margin(zmp_of_masses(weights, three, walker.period), supports),
        _margin(zmp_of_links(robot, motion), supports),
    )


def _support(robot: Robot, planned: Planned) -> Array:
    """Support polygon of an instant of a plan, m."""
    corners = [
        place(planned.feet[side], np.array(corner[:2]))
        for side, foot in robot.parameters.feet.items()
        if planned.load[side] > 0.0
        for corner in foot.corners_in_foot
    ]
    return support_polygon(np.array(corners))


def _margin(zmp: Array, supports: Sequence[Array]) -> Margin:
    distances = np.array([distance_inside(*pair) for pair in zip(supports[1:-1], zmp, strict=True)])
    return Margin(float(distances.min()), float(distances.mean()), float(np.mean(distances >= 0.0)))
