"""Leg inverse kinematics in closed form, for legs whose hip axes meet in one point and whose ankle axes do too.

The chain is yaw, roll (x), pitch (y) at the hip, pitch at the knee, pitch and roll at the ankle. The yaw axis may lean
sideways by any angle, as NAO's by 45 degrees: with C = Rx(tilt), which turns z into that axis,
R_base_foot = C Rz(q1) Rx(q2 - tilt) Ry(q3 + q4 + q5) Rx(q6), so that a leaning hip is an upright one with another zero
of roll and needs no numerical steps. Joints may turn either way about their axes, and the knee may lie beside the line
from hip to ankle. A planar leg has the pitch joints only. All functions take many poses at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from humanoid_description import Robot, RobotError
from humanoid_description.urdf import UrdfJoint

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
SPATIAL, PLANAR = 6, 3  # joints of a leg
ROUNDING = 1e-9
"""How far rounding alone may put a pose out of reach or out of a planar leg's plane, or an angle out of its range."""


@dataclass(frozen=True)
class Leg:
    """Geometry of one leg."""

    joint_names: tuple[str, ...]
    """From the hip down: yaw, roll, pitch, knee, ankle pitch, ankle roll; of a planar leg the pitch joints."""
    hip_in_base: Array
    """Where the hip's axes meet, m."""
    thigh: float
    """Hip to knee, m."""
    shank: float
    """Knee to ankle, m."""
    tilt: float
    """Lean of the yaw axis about x, rad."""
    thigh_lean: float
    """Lean of the line from knee to hip about y with all joints at zero, rad."""
    shank_lean: float
    """Lean of the line from ankle to knee about y with all joints at zero, rad."""
    signs: Array
    """Per joint: +1 if it turns about +x, +y or the upward yaw axis, -1 if about the opposite."""
    lower: Array
    """Least angles, rad."""
    upper: Array
    """Greatest angles, rad."""


def leg_of(robot: Robot, side: str) -> Leg:
    """Geometry of a robot's leg ('left' or 'right'), or RobotError if it has no closed form."""

    def refuse(problem: str) -> NoReturn:
        remedy = "A closed form needs hip yaw, roll and pitch through one point, knee pitch, ankle pitch and roll."
        raise RobotError(f"{robot.name}: its {side} leg {problem}. {remedy}")

    foot = robot.parameters.feet[side].link
    carrier = {joint.child: joint for joint in robot.base_model.joints.values()}
    chain: list[UrdfJoint] = []
    link = foot
    while link in carrier:
        chain.insert(0, carrier[link])
        link = carrier[link].parent
    chain = [joint for joint in chain if joint.name in robot.parameters.joints]
    if len(chain) not in (SPATIAL, PLANAR):
        refuse(f"has the joints {', '.join(joint.name for joint in chain) or 'none'}")
    planar = len(chain) == PLANAR

    poses = robot.poses({})
    axes = np.array([poses[joint.child][:3, :3] @ joint.axis for joint in chain])
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    expected = np.tile([0.0, 1.0, 0.0], (len(chain), 1))
    tilt = 0.0
    if not planar:
        expected[[1, 5]] = 1.0, 0.0, 0.0
        yaw = axes[0] * (1 if axes[0, 2] > 0 else -1)
        tilt = float(np.arctan2(-yaw[1], yaw[2]))
        expected[0] = 0.0, -np.sin(tilt), np.cos(tilt)
    signs = np.where(np.einsum("ij,ij->i", axes, expected) > 0, 1.0, -1.0)

    hip, knee, ankle = (poses[joint.child][:3, 3] for joint in (chain if planar else chain[2:5]))
    ankle = np.array([ankle[0], poses[foot][1, 3], ankle[2]])
    hip = np.array([hip[0], ankle[1], hip[2]])
    through = [hip, knee, ankle] if planar else [hip, hip, hip, knee, ankle, ankle]
    for joint, axis, wanted, sign, point in zip(chain, axes, expected, signs, through, strict=True):
        if not np.allclose(axis, sign * wanted, atol=ROUNDING):
            refuse(f"turns {joint.name} about {axis.round(4)}")
        if not np.allclose(np.cross(axis, poses[joint.child][:3, 3] - point), 0, atol=ROUNDING):
            refuse(f"has the axis of {joint.name} beside the others")
    if not np.allclose(poses[foot], _at(ankle), atol=ROUNDING):
        refuse(f"has the frame of {foot} away from the ankle or turned")

    ranges = [robot.parameters.joints[joint.name] for joint in chain]
    return Leg(
        joint_names=tuple(joint.name for joint in chain),
        hip_in_base=hip,
        thigh=float(np.hypot(*(hip - knee)[[0, 2]])),
        shank=float(np.hypot(*(knee - ankle)[[0, 2]])),
        tilt=tilt,
        thigh_lean=float(np.arctan2(*(hip - knee)[[0, 2]])),
        shank_lean=float(np.arctan2(*(knee - ankle)[[0, 2]])),
        signs=signs,
        lower=np.array([joint.lower for joint in ranges]),
        upper=np.array([joint.upper for joint in ranges]),
    )


def solve(leg: Leg, ankle_in_base: Array, R_base_foot: Array) -> tuple[Array, Mask]:
    """Joint angles that bring the ankle to a place and the foot to an attitude.

    Of the solutions it is the one with the knee bent forward and the ankle rolled by less than a right angle.
    A place beyond reach gives the straight or fully bent leg that points there, with the foot in the attitude asked
    for: the nearest place that can be reached. Joint ranges are not regarded: see `exceeded`.

    Args:
        leg: Geometry.
        ankle_in_base: Where the ankle's axes meet, m, shape (..., 3).
        R_base_foot: Attitude of the foot, shape (..., 3, 3).

    Returns:
        Angles of leg.joint_names, rad, shape (..., joints), and whether each pose was within reach.
    """
    R = np.asarray(R_base_foot, dtype=float)
    planar = len(leg.joint_names) == PLANAR
    # From the ankle to the hip, as the foot sees it.
    to_hip = leg.hip_in_base - np.asarray(ankle_in_base, dtype=float)
    h0, h1, h2 = to_hip[..., 0:1], to_hip[..., 1:2], to_hip[..., 2:3]
    hip_in_foot = R[..., 0, :] * h0 + R[..., 1, :] * h1 + R[..., 2, :] * h2
    x, y, z = (hip_in_foot[..., axis][()] for axis in range(3))  # of a single pose, numbers
    in_plane = (np.abs(y) <= ROUNDING) & (np.abs(R[..., 1, 1] - 1) <= ROUNDING) if planar else np.True_
    if planar:
        ankle_roll = np.zeros_like(y)
    else:
        upward = np.where(z < 0, -1.0, 1.0)
        ankle_roll = np.arctan2(upward * y, upward * z)
        z = upward * np.hypot(y, z)

    cos_bend = (x**2 + z**2 - leg.thigh**2 - leg.shank**2) / (2 * leg.thigh * leg.shank)
    reachable = (np.abs(cos_bend) <= 1 + ROUNDING) & in_plane
    cos_bend = np.minimum(np.maximum(cos_bend, -1.0), 1.0)  # np.clip takes ten times as long for a single pose
    sin_bend = np.sqrt(1 - cos_bend**2)
    # Lean of the line from ankle to hip as the shank sees it, less that as the foot sees it.
    from_shank = leg.shank_lean - np.arctan2(leg.thigh * sin_bend, leg.shank + leg.thigh * cos_bend)
    ankle_pitch = from_shank - np.arctan2(x, z)
    knee = np.arccos(cos_bend) + leg.thigh_lean - leg.shank_lean

    # The foot's axes with the ankle's roll taken back, in components along x and along the leaning hip's left and up.
    c, s = np.cos(ankle_roll), np.sin(ankle_roll)
    ct, st = np.cos(leg.tilt), np.sin(leg.tilt)
    R_left, R_up = ct * R[..., 1, :] + st * R[..., 2, :], ct * R[..., 2, :] - st * R[..., 1, :]
    y_forward = c * R[..., 0, 1] - s * R[..., 0, 2]
    y_left = c * R_left[..., 1] - s * R_left[..., 2]
    y_up, z_up = c * R_up[..., 1] - s * R_up[..., 2], c * R_up[..., 2] + s * R_up[..., 1]
    hip_yaw = np.arctan2(-y_forward, y_left)
    hip_roll = np.arctan2(y_up, np.hypot(y_forward, y_left)) + leg.tilt
    hip_pitch = np.arctan2(-R_up[..., 0], z_up) - knee - ankle_pitch
    columns = [_wrapped(hip_pitch), knee, _wrapped(ankle_pitch)]
    if not planar:
        columns = [hip_yaw, hip_roll, *columns, ankle_roll]
    angles = np.empty((*np.shape(knee), len(columns)))
    for column, angle in enumerate(columns):
        angles[..., column] = angle
    return leg.signs * angles, reachable


def solve_within(leg: Leg, ankle_in_base: Array, R_base_foot: Array) -> Array:
    """Angles as `solve` gives them, or RobotError if a pose is out of reach or a joint out of its range."""
    angles, reachable = solve(leg, ankle_in_base, R_base_foot)
    if not reachable.all():
        raise RobotError(
            f"leg of {leg.joint_names[0]}: {np.sum(~reachable)} of {reachable.size} poses are out of reach, "
            f"which ends {leg.thigh + leg.shank:.3f} m from the hip. Ask for shorter or lower steps."
        )
    beyond = exceeded(leg, angles)
    if beyond.any():
        names = [name for column, name in enumerate(leg.joint_names) if beyond[..., column].any()]
        raise RobotError(f"leg: {', '.join(names)} would leave the range in robot.yaml. Ask for smaller steps.")
    return angles


def exceeded(leg: Leg, angles: Array) -> Mask:
    """Which angles (rad, shape (..., joints)) lie outside their joints' ranges."""
    return (angles < leg.lower - ROUNDING) | (angles > leg.upper + ROUNDING)


def _wrapped(angle: Array) -> Array:
    """The same angle from -pi to pi, where it was less than a turn outside."""
    return angle - 2 * np.pi * np.rint(angle / (2 * np.pi))


def _at(place: Array) -> Array:
    """Pose of a frame at a place, not turned."""
    pose = np.eye(4)
    pose[:3, 3] = place
    return pose
