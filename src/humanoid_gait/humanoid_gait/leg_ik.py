"""Leg inverse kinematics in closed form, for legs whose hip axes meet in one point and whose ankle axes do too.

The chain is yaw (z), roll (x), pitch (y) at the hip, pitch at the knee, pitch and roll at the ankle, so that
R_base_foot = Rz(q1) Rx(q2) Ry(q3 + q4 + q5) Rx(q6). All functions take many poses at once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from humanoid_description import Robot, RobotError

Array = NDArray[np.float64]
JOINTS = ("hip_yaw", "hip_roll", "hip_pitch", "knee", "ankle_pitch", "ankle_roll")
"""Joints of a leg from the hip down; a planar leg has the pitch joints only."""
PITCH_JOINTS = ("hip_pitch", "knee", "ankle_pitch")


@dataclass(frozen=True)
class Leg:
    """Geometry of one leg."""

    joint_names: tuple[str, ...]
    hip_in_base: Array
    """Where the hip's axes meet, m."""
    thigh: float
    """Hip to knee, m."""
    shank: float
    """Knee to ankle, m."""


def leg_of(robot: Robot, side: str) -> Leg:
    """Geometry of a robot's leg ('left' or 'right'), or RobotError if it has no closed form."""
    present = [joint for joint in JOINTS if f"{side}_{joint}" in robot.parameters.joints]
    if tuple(present) not in (JOINTS, PITCH_JOINTS):
        raise RobotError(f"{robot.name}: its {side} leg has the joints {present}; a closed form needs {list(JOINTS)}.")
    axes = {"yaw": (0, 0, 1), "roll": (1, 0, 0), "pitch": (0, 1, 0), "knee": (0, 1, 0)}
    links = {joint: robot.base_model.joints[f"{side}_{joint}"] for joint in present}
    poses = robot.poses({})
    place = {joint: poses[link.child][:3, 3] for joint, link in links.items()}
    for joint, link in links.items():
        if not np.allclose(link.axis, axes[joint.rpartition("_")[2]]):
            raise RobotError(f"{robot.name}: {side}_{joint} turns about {link.axis}, which has no closed form here.")
    hip, knee, ankle = place["hip_pitch"], place["knee"], place["ankle_pitch"]
    aligned = all(np.allclose(place[joint], hip) for joint in present if joint.startswith("hip"))
    aligned = aligned and all(np.allclose(place[joint], ankle) for joint in present if joint.startswith("ankle"))
    aligned = aligned and np.allclose([knee[:2], ankle[:2]], hip[:2])
    if not aligned:
        raise RobotError(f"{robot.name}: the axes of its {side} leg do not meet in hip and ankle: no closed form.")
    names = tuple(f"{side}_{joint}" for joint in present)
    return Leg(names, hip, float(hip[2] - knee[2]), float(knee[2] - ankle[2]))


def solve(leg: Leg, ankle_in_base: Array, R_base_foot: Array) -> tuple[Array, NDArray[np.bool_]]:
    """Joint angles that bring the ankle to a place and the foot to an attitude.

    A place beyond the leg's reach gives the straight or fully bent leg that points there.

    Args:
        leg: Geometry.
        ankle_in_base: Where the ankle's axes meet, m, shape (..., 3).
        R_base_foot: Attitude of the foot, shape (..., 3, 3).

    Returns:
        Angles of leg.joint_names, rad, shape (..., joints), and whether each place was within reach.
    """
    # From the ankle to the hip, as the foot sees it.
    r = np.einsum("...ji,...j->...i", R_base_foot, leg.hip_in_base - ankle_in_base)
    distance = np.linalg.norm(r, axis=-1)
    bend = (distance**2 - leg.thigh**2 - leg.shank**2) / (2 * leg.thigh * leg.shank)
    reachable = np.abs(bend) <= 1
    knee = np.arccos(np.clip(bend, -1, 1))
    ankle_roll = np.arctan2(r[..., 1], r[..., 2])
    lean = np.arctan2(leg.thigh * np.sin(knee), leg.shank + leg.thigh * np.cos(knee))
    ankle_pitch = -np.arctan2(r[..., 0], np.hypot(r[..., 1], r[..., 2])) - lean
    R = R_base_foot @ _about_x(-ankle_roll) @ _about_y(-knee - ankle_pitch)
    hip_yaw = np.arctan2(-R[..., 0, 1], R[..., 1, 1])
    hip_roll = np.arctan2(R[..., 2, 1], -R[..., 0, 1] * np.sin(hip_yaw) + R[..., 1, 1] * np.cos(hip_yaw))
    hip_pitch = np.arctan2(-R[..., 2, 0], R[..., 2, 2])
    angles = np.stack([hip_yaw, hip_roll, hip_pitch, knee, ankle_pitch, ankle_roll], axis=-1)
    if len(leg.joint_names) == len(PITCH_JOINTS):
        angles = angles[..., 2:5]
    return angles, reachable


def _about_x(angle: Array) -> Array:
    c, s, one, zero = np.cos(angle), np.sin(angle), np.ones_like(angle), np.zeros_like(angle)
    return _matrix([[one, zero, zero], [zero, c, -s], [zero, s, c]])


def _about_y(angle: Array) -> Array:
    c, s, one, zero = np.cos(angle), np.sin(angle), np.ones_like(angle), np.zeros_like(angle)
    return _matrix([[c, zero, s], [zero, one, zero], [-s, zero, c]])


def _matrix(rows: list[list[Array]]) -> Array:
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)
