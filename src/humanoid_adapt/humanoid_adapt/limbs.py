"""Which joint does what: limbs of any humanoid found from its kinematic tree, turned by REP 103 axes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from humanoid_description import Robot, RobotError

Array = NDArray[np.float64]
AXES = {"roll": 0, "pitch": 1, "yaw": 2}
ALONG = 0.95
"""Least component of a joint's axis along x, y or z to count as roll, pitch or yaw joint."""
LEANS = {"forward": ("pitch", 1.0), "backward": ("pitch", -1.0), "left": ("roll", -1.0), "right": ("roll", 1.0)}
"""Turn of the body, REP 103, by which it leans in a direction."""


@lru_cache(maxsize=32)
def joint_axes(robot: Robot) -> dict[str, Array]:
    """Axis of every joint in the base's frame with all joints at zero."""
    poses = robot.poses({})
    joints = robot.base_model.joints
    return {name: poses[joints[name].child][:3, :3] @ joints[name].axis for name in robot.joint_names}


def chain(robot: Robot, link: str) -> list[str]:
    """Joints from a link up to the base."""
    carrier = {joint.child: joint for joint in robot.base_model.joints.values()}
    names = []
    while link in carrier:
        if carrier[link].name in robot.parameters.joints:
            names.append(carrier[link].name)
        link = carrier[link].parent
    return names


def joints_about(robot: Robot, names: list[str], turn: str) -> list[str]:
    """Those of the joints that turn about x ('roll'), y ('pitch') or z ('yaw')."""
    return [name for name in names if abs(joint_axes(robot)[name][AXES[turn]]) > ALONG]


def sign(robot: Robot, joint: str, turn: str) -> float:
    """+1 if a positive angle turns the outer link about the positive axis, -1 if about the negative one."""
    return float(np.sign(joint_axes(robot)[joint][AXES[turn]]))


def leg_joint(robot: Robot, side: str, part: str) -> str:
    """Joint of a leg: 'ankle_roll', 'ankle_pitch', 'knee', 'hip_pitch' or 'hip_roll'."""
    names = chain(robot, robot.parameters.feet[side].link)
    rolls, pitches = joints_about(robot, names, "roll"), joints_about(robot, names, "pitch")
    found = {
        "ankle_roll": rolls[:1],
        "hip_roll": rolls[1:2],
        "ankle_pitch": pitches[:1],
        "knee": pitches[1:2],
        "hip_pitch": pitches[2:3],
    }[part]
    if not found:
        raise RobotError(f"{robot.name}: its {side} leg has no {part.replace('_', ' ')} joint; such a test needs one.")
    return found[0]


def segments(robot: Robot) -> dict[str, tuple[str, ...]]:
    """Links of the base, the legs, the arms and the head: the places where a load can be."""
    carrier = {joint.child: joint.parent for joint in robot.base_model.joints.values()}
    root = robot.base_model.root
    members: dict[str, list[str]] = {root: []}
    for link in robot.inertials:
        top = link
        while carrier.get(top, root) != root:
            top = carrier[top]
        members.setdefault(top, []).append(link)
    named: dict[str, tuple[str, ...]] = {}
    for top, links in members.items():
        leg = next((name for name, own in robot.parameters.legs.items() if top in own), None)
        side = top.split("_")[0]
        arm = f"{side}_arm" if side in ("left", "right") else links[-1]
        named[leg or (root if top == root else arm)] = tuple(links)
    return named


def limb_joint(robot: Robot, segment: str, turn: str) -> str | None:
    """Uppermost joint of an arm, a leg or the head that turns it about an axis, if there is one."""
    links = segments(robot).get(segment, ())
    names = chain(robot, links[-1]) if links else []
    found = joints_about(robot, names, turn)
    return found[-1] if found else None


@lru_cache(maxsize=256)
def ramp_vector(robot: Robot, support: tuple[str, ...], direction: str) -> Array:
    """Change of every joint per rad by which the body leans in a direction over its ankles; zero for 'none'."""
    ramp = np.zeros(robot.dof)
    turn, towards = LEANS.get(direction, ("pitch", 0.0))
    for side in support if towards else ():
        joint = leg_joint(robot, side, f"ankle_{turn}")
        # The joint turns the foot against the body; the foot stays.
        ramp[robot.joint_names.index(joint)] = -towards * sign(robot, joint, turn)
    ramp.setflags(write=False)
    return ramp


def as_array(robot: Robot, posture: Mapping[str, float]) -> Array:
    """Posture (rad; joints not named at zero) in the order of Robot.joint_names."""
    return np.array([posture.get(name, 0.0) for name in robot.joint_names])
