"""Commands to a robot, checked before anything moves. Pure: robot_interface.py turns messages into these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from humanoid_description.errors import RobotError, did_you_mean
from humanoid_description.inertial import Inertial
from humanoid_description.parameters import Joint
from humanoid_description.payload import Payload
from humanoid_description.urdf import UrdfModel, parse_urdf

MAX_POINTS = 10_000
"""A trajectory longer than this is taken for a mistake: at 100 points a second it would last 100 s."""


class CommandRefused(RobotError):
    """A command that is not carried out; the text says why."""


@dataclass(frozen=True)
class Trajectory:
    """Where joints shall be at which time; joints that are not named keep what they do."""

    joint_names: tuple[str, ...]
    times: NDArray[np.float64]
    """Since the command was given, increasing, s, shape (points,)."""
    positions: NDArray[np.float64]
    """Within the joints' limits, rad, shape (points, joints)."""
    velocities: NDArray[np.float64] | None
    """Within the joints' limits, rad/s, shape (points, joints); None if the command names none."""
    limited: bool
    """Whether a value had to be brought back into its limits."""


@dataclass(frozen=True)
class Push:
    """A push on a link, in world axes."""

    link: str
    force: NDArray[np.float64]
    """N, at the link's centre of mass."""
    torque: NDArray[np.float64]
    """N m."""


@dataclass(frozen=True)
class Load:
    """What a simulated robot shall carry on a link, in place of what it carried there."""

    link: str
    payload: Payload | None
    """None for nothing."""


def checked_trajectory(
    joints: Mapping[str, Joint],
    speed_limits: Mapping[str, float],
    joint_names: Sequence[str],
    times: Sequence[float],
    positions: Sequence[Sequence[float]],
    velocities: Sequence[Sequence[float]],
) -> Trajectory:
    """Trajectory within the joints' limits (rad, and rad/s in `speed_limits`), or CommandRefused."""
    if not joint_names:
        raise CommandRefused("joint_trajectory: names no joint. Fill joint_names.")
    for name in joint_names:
        if name not in joints:
            raise CommandRefused(f"joint_trajectory: joint '{name}' does not exist. {did_you_mean(name, joints)}")
    if len(set(joint_names)) != len(joint_names):
        raise CommandRefused("joint_trajectory: names a joint twice. Name each joint once.")
    if not 0 < len(times) <= MAX_POINTS:
        raise CommandRefused(f"joint_trajectory: has {len(times)} points. Send 1 to {MAX_POINTS}.")
    moments = np.asarray(times, dtype=float)
    if not np.isfinite(moments).all() or moments[0] < 0 or (np.diff(moments) <= 0).any():
        raise CommandRefused("joint_trajectory: times are not increasing from 0 on. Order time_from_start.")
    width = len(joint_names)
    wanted = _table("positions", positions, width)
    speeds = _table("velocities", velocities, width) if any(len(row) for row in velocities) else None
    lower, upper = (np.array([getattr(joints[name], end) for name in joint_names]) for end in ("lower", "upper"))
    within = np.clip(wanted, lower, upper)
    limited = not np.array_equal(within, wanted)
    if speeds is not None:
        fastest = np.array([speed_limits[name] for name in joint_names])
        slowed = np.clip(speeds, -fastest, fastest)
        limited = limited or not np.array_equal(slowed, speeds)
        speeds = slowed
    return Trajectory(tuple(joint_names), moments, within, speeds, limited)


def _table(what: str, rows: Sequence[Sequence[float]], width: int) -> NDArray[np.float64]:
    for index, row in enumerate(rows):
        if len(row) != width:
            raise CommandRefused(f"joint_trajectory: point {index} has {len(row)} {what}. Give one per joint, {width}.")
    table = np.asarray(rows, dtype=float)
    if not np.isfinite(table).all():
        raise CommandRefused(f"joint_trajectory: {what} hold a value that is not finite. Send numbers only.")
    return table


def checked_push(links: Mapping[str, Inertial], link: str, force: Sequence[float], torque: Sequence[float]) -> Push:
    """Push on a link (N, N m), or CommandRefused."""
    if link not in links:
        raise CommandRefused(f"push: link '{link}' does not exist. {did_you_mean(link, links)}")
    if len(force) != 3 or len(torque) != 3 or not np.isfinite([*force, *torque]).all():
        raise CommandRefused("push: force and torque are not three finite numbers each. Send numbers only.")
    return Push(link, np.asarray(force, dtype=float), np.asarray(torque, dtype=float))


def checked_load(links: Mapping[str, Inertial], link: str, mass: float, position_in_link: Sequence[float]) -> Load:
    """Load of a mass (kg) at a place (m) on a link, none for a mass of zero, or CommandRefused."""
    if link not in links:
        raise CommandRefused(f"payload: link '{link}' does not exist. {did_you_mean(link, links)}")
    try:
        return Load(link, None if mass == 0 else Payload(link, mass, tuple(position_in_link)))
    except RobotError as error:
        raise CommandRefused(str(error)) from error


def checked_inertials(model: UrdfModel, present: Mapping[str, Inertial], urdf: str) -> dict[str, Inertial]:
    """Inertials that an adapted URDF of the same robot changes, or CommandRefused.

    Robot.with_inertials checks their physics.

    Args:
        model: The robot as it was described.
        present: Its inertials now.
        urdf: The adapted text.
    """
    try:
        adapted = parse_urdf(urdf, "adapted_description")
    except RobotError as error:
        raise CommandRefused(str(error)) from error
    for what, theirs, ours in (("links", adapted.inertials, present), ("joints", adapted.joints, model.joints)):
        odd = sorted(set(theirs) ^ set(ours))
        if odd:
            raise CommandRefused(f"adapted_description: is of another robot, its {what} differ: {', '.join(odd)}.")
    for name, joint in model.joints.items():
        if adapted.joints[name] != joint:
            raise CommandRefused(f"adapted_description: joint {name} differs. Only inertials can be adapted.")
    return {link: inertial for link, inertial in adapted.inertials.items() if inertial != present[link]}
