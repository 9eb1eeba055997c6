"""The centre of pressure under a robot at rest: it lies below the centre of mass, without any fall."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from humanoid_adapt.belief import Layout
from humanoid_adapt.foot_frame import FootFrame
from humanoid_description.inertial import GRAVITY
from humanoid_description.parameters import Foot

Array = NDArray[np.float64]
LIGHT = 1.0
"""N below which a foot does not count as loaded."""


@dataclass(frozen=True)
class StaticCop:
    """Where the ground carries a robot at rest."""

    points: Mapping[str, Array]
    """x and y in the frame of each loaded foot, m."""
    shares: Mapping[str, float]
    """Share of the weight on each loaded foot."""
    angles: Array
    """Joint angles, rad."""
    angle_sd: Array
    """Their standard deviations, rad."""
    seconds: float
    """For how long it was at rest."""


def foot_cop(foot: Foot, wrench: Array) -> Array:
    """Centre of pressure on a sole, m in the foot's frame, from force (N) and torque (N m) at the foot's origin."""
    fx, fy, fz, tx, ty, _ = wrench
    return np.array([-(ty + foot.depth * fx) / fz, (tx - foot.depth * fy) / fz])


def static_cop(
    frames: Mapping[str, FootFrame], angles: Array, angle_sd: Array, wrenches: Mapping[str, Array], seconds: float
) -> StaticCop | None:
    """Centre of pressure of a robot on level feet from their mean wrenches over a time; None if no foot is loaded."""
    loaded = {side: wrench for side, wrench in wrenches.items() if wrench[2] > LIGHT}
    if not loaded:
        return None
    total = sum(wrench[2] for wrench in loaded.values())
    shares = {side: float(wrench[2] / total) for side, wrench in loaded.items()}
    points = {}
    for reference in loaded:
        frame = frames[reference]
        _, origins = frame.link_poses(angles)
        points[reference] = np.zeros(2)
        for side, wrench in loaded.items():
            foot = frames[side].foot
            place = origins[frame.links.index(foot.link), :2] + foot_cop(foot, wrench)
            points[reference] += shares[side] * place
    return StaticCop(points, shares, angles, angle_sd, seconds)


def cop_rows(frames: Mapping[str, FootFrame], layout: Layout, measured: StaticCop) -> tuple[Array, Array]:
    """Two rows in kg m, along x and y, whose value is zero, and the derivative of each by the joint angles.

    Like a tipping condition with the centre of pressure in place of the edge. With both feet down it is the mean of
    what either sees, as neither lies quite flat.
    """
    rows, joints = zip(
        *(_rows(frames[side], layout, measured, point) for side, point in measured.points.items()), strict=True
    )
    return np.mean(rows, axis=0), np.mean(joints, axis=0)


def _rows(frame: FootFrame, layout: Layout, measured: StaticCop, point: Array) -> tuple[Array, Array]:
    """The rows as one foot sees them."""
    robot = frame.robot
    rotations, origins = frame.link_poses(measured.angles)
    _, jacobian = frame.com(measured.angles)
    foot = frame.foot
    halves = ((foot.front + foot.rear) / 2, (foot.left + foot.right) / 2)
    middles = ((foot.front - foot.rear) / 2, (foot.left - foot.right) / 2)
    sink = robot.mass * GRAVITY / (2 * len(measured.shares) * robot.parameters.contact.normal_stiffness)
    rows, joints = np.zeros((2, layout.size)), np.zeros((2, robot.dof))
    for axis in range(2):
        # Soft ground gives way on the side of the pressure. Two feet side by side do not tilt sideways.
        side_by_side = axis == 1 and len(measured.shares) > 1
        off = 0.0 if side_by_side else (point[axis] - middles[axis]) / halves[axis]
        across = np.eye(3)[axis]
        across[2] = sink / (2 * halves[axis]) * float(np.clip(off, -1.0, 1.0))
        level = point[axis] - across[2] * foot.depth
        rows[axis, layout.masses] = origins @ across - level
        rows[axis, layout.moments] = (across @ rotations).ravel()
        joints[axis] = robot.mass * (across @ jacobian)
        rows[axis, layout.zeros] = -joints[axis]
        for side, share in measured.shares.items():
            rows[axis, layout.cop(side, axis)] = robot.mass * share
    return rows, joints
