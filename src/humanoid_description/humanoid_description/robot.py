"""A robot: its folder read, checked and joined into one immutable value."""

from __future__ import annotations

import dataclasses
import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from humanoid_description.errors import RobotError, did_you_mean
from humanoid_description.inertial import Inertial, check_inertial, with_point_mass
from humanoid_description.parameters import RobotParameters, read_parameters
from humanoid_description.payload import Payload, parse_payload
from humanoid_description.sdf import write_sdf
from humanoid_description.three_mass import ThreeMass, project
from humanoid_description.urdf import UrdfModel, expand_xacro, parse_urdf, rewrite_urdf

if TYPE_CHECKING:
    from humanoid_description.kinematics import Kinematics

Posture = Mapping[str, float]
"""Angle per joint in rad; joints that are not named are at zero."""


@dataclass(frozen=True)
class Robot:
    """A robot's description. Changes give a new Robot; the old one stays what it was."""

    folder: Path
    parameters: RobotParameters = field(repr=False)
    base_urdf: str = field(repr=False)
    """URDF text as the folder gives it, without payloads or replaced inertials."""
    replaced: Mapping[str, Inertial]
    """Inertials that stand in place of the folder's."""
    payloads: tuple[Payload, ...]
    """Loads that hang on the links besides."""

    @property
    def name(self) -> str:
        """The robot's name."""
        return self.parameters.name

    @cached_property
    def base_model(self) -> UrdfModel:
        """What the folder's URDF says."""
        return parse_urdf(self.base_urdf, f"URDF of {self.name}")

    @cached_property
    def inertials(self) -> Mapping[str, Inertial]:
        """Inertial of every link, payloads included."""
        inertials = {**self.base_model.inertials, **self.replaced}
        for payload in self.payloads:
            inertials[payload.link] = with_point_mass(inertials[payload.link], payload.mass, payload.position_in_link)
        return inertials

    @cached_property
    def urdf(self) -> str:
        """URDF text with everything applied: what robot_state_publisher takes."""
        touched = {*self.replaced, *(payload.link for payload in self.payloads)}
        if not touched:
            return self.base_urdf
        return rewrite_urdf(self.base_urdf, {link: self.inertials[link] for link in touched}, self.payloads)

    @cached_property
    def sdf(self) -> str:
        """SDF text for Gazebo."""
        return write_sdf(self.urdf)

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Joints in the order of robot.yaml."""
        return tuple(self.parameters.joints)

    @property
    def dof(self) -> int:
        """Number of servo joints."""
        return len(self.parameters.joints)

    @cached_property
    def mass(self) -> float:
        """Total mass, kg."""
        return sum(inertial.mass for inertial in self.inertials.values())

    @cached_property
    def kinematics(self) -> Kinematics:
        """Poses and centre of mass by MuJoCo, which is only imported when it is asked for."""
        from humanoid_description.kinematics import Kinematics

        return Kinematics(self.urdf)

    @cached_property
    def height(self) -> float:
        """From the sole to the highest point with all joints at zero, m."""
        from humanoid_description.kinematics import vertical_extent

        low, high = vertical_extent(self.kinematics.poses({}), self.base_model.shapes)
        return high - low

    def com_in_base(self, posture: Posture) -> NDArray[np.float64]:
        """Centre of mass in the frame of the base link, m."""
        return self.kinematics.com_in_base(posture)

    def poses(self, posture: Posture) -> dict[str, NDArray[np.float64]]:
        """4 x 4 pose T_base_link of every link."""
        return self.kinematics.poses(posture)

    def three_mass(self, posture: Posture) -> ThreeMass:
        """Projection on left leg, right leg and body (m1, m2, m3 of seed 000)."""
        return project(self.inertials, self.poses(posture), self.parameters.legs)

    def with_payloads(self, payloads: Iterable[Payload]) -> Robot:
        """The robot with more loads on it."""
        payloads = tuple(payloads)
        for payload in payloads:
            if payload.link not in self.inertials:
                known = did_you_mean(payload.link, self.inertials)
                raise RobotError(f"payload on '{payload.link}': {self.name} has no such link. {known}")
        return dataclasses.replace(self, payloads=self.payloads + payloads)

    def without_payloads(self, payloads: Iterable[Payload]) -> Robot:
        """The robot with these loads taken off."""
        left = list(self.payloads)
        for payload in payloads:
            if payload not in left:
                carried = ", ".join(f"{load.link}:{load.mass:g} kg" for load in left) or "nothing"
                raise RobotError(f"payload on '{payload.link}': {self.name} does not carry it. It carries: {carried}.")
            left.remove(payload)
        return dataclasses.replace(self, payloads=tuple(left))

    def with_inertials(self, inertials: Mapping[str, Inertial]) -> Robot:
        """The robot with the inertials of some links replaced, all or none.

        The new values are those of the whole link: payloads that hang on it are part of them from now on.
        """
        for link, candidate in inertials.items():
            if link not in self.inertials:
                known = did_you_mean(link, self.inertials)
                raise RobotError(f"inertial of '{link}': {self.name} has no such link. {known} Nothing was changed.")
            check_inertial(link, candidate)
        payloads = tuple(payload for payload in self.payloads if payload.link not in inertials)
        return dataclasses.replace(self, replaced={**self.replaced, **inertials}, payloads=payloads)


def share_folder() -> Path:
    """Where this package's data are: the source tree, or share/ of an installation."""
    prefixes = [*os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep), sys.prefix]
    places = [
        Path(__file__).parents[1],
        *(Path(prefix) / "share" / "humanoid_description" for prefix in prefixes if prefix),
    ]
    for place in places:
        if (place / "robots").is_dir():
            return place
    raise RobotError("the folder 'robots' of humanoid_description is not found. Build and source the workspace.")


def robot_names() -> tuple[str, ...]:
    """Robots that come with the suite."""
    return tuple(sorted(folder.parent.name for folder in (share_folder() / "robots").glob("*/robot.yaml")))


def load_robot(name_or_folder: str | Path, payloads: Iterable[str | Payload] = ()) -> Robot:
    """Load a robot that comes with the suite by name, or any robot by its folder.

    A payload is a Payload, a text ``LINK:MASS:X,Y,Z`` (kg, m), or the name of one in robot.yaml.
    """
    folder = _folder(name_or_folder)
    parameters = read_parameters(folder / "robot.yaml")
    urdf = expand_xacro(folder / "robot.urdf.xacro", share_folder() / "macros", parameters.name)
    robot = Robot(folder, parameters, urdf, {}, ())
    _check_agreement(robot)
    for payload in payloads:
        robot = robot.with_payloads(_payloads(robot, payload))
    return robot


def _folder(name_or_folder: str | Path) -> Path:
    if str(name_or_folder) in robot_names():
        return share_folder() / "robots" / name_or_folder
    folder = Path(name_or_folder)
    if (folder / "robot.yaml").is_file():
        return folder.resolve()
    known = did_you_mean(str(name_or_folder), robot_names())
    raise RobotError(
        f"robot '{name_or_folder}': there is none of that name, and no such folder with a robot.yaml. {known}"
    )


def _payloads(robot: Robot, payload: str | Payload) -> tuple[Payload, ...]:
    if isinstance(payload, Payload):
        return (payload,)
    if ":" in payload:
        return (parse_payload(payload),)
    named = robot.parameters.payloads
    if payload not in named:
        remedy = "Write LINK:MASS:X,Y,Z in kg and m, or a name from robot.yaml. " + did_you_mean(payload, named)
        raise RobotError(f"payload '{payload}': {robot.name} has none of that name. {remedy}")
    return named[payload]


def _check_agreement(robot: Robot) -> None:
    """Refuse a robot.yaml and a URDF that do not describe the same robot."""
    file = robot.folder / "robot.yaml"
    model, parameters = robot.base_model, robot.parameters
    movable = {name: joint for name, joint in model.joints.items() if joint.kind == "revolute"}
    for name in movable:
        if name not in parameters.joints:
            raise RobotError(
                f"{file}: joints.{name}: is missing, but the URDF has this joint. Add its line to 'joints'."
            )
    for name, joint in parameters.joints.items():
        if name not in movable:
            raise RobotError(f"{file}: joints.{name}: the URDF has no such joint. {did_you_mean(name, movable)}")
        limits = (movable[name].lower, movable[name].upper)
        if not np.allclose(limits, (joint.lower, joint.upper), rtol=0, atol=1e-9):
            remedy = "Let the xacro read the limits from robot.yaml, as the limb macro does."
            raise RobotError(f"{file}: joints.{name}.range: the URDF has other limits, {limits} rad. {remedy}")
    mentions = [
        *((f"feet.{side}.link", foot.link) for side, foot in parameters.feet.items()),
        ("imu.link", parameters.imu.link),
        *((f"three_mass.{leg}", link) for leg, members in parameters.legs.items() for link in members),
        *((f"payloads.{name}", part.link) for name, parts in parameters.payloads.items() for part in parts),
    ]
    for place, link in mentions:
        if link not in model.inertials:
            raise RobotError(f"{file}: {place}: the URDF has no link '{link}'. {did_you_mean(link, model.inertials)}")
    shared = set(parameters.legs["left_leg"]) & set(parameters.legs["right_leg"])
    if shared:
        raise RobotError(f"{file}: three_mass: {sorted(shared)[0]} is in both legs. Name it in one of them.")
    for link, inertial in model.inertials.items():
        try:
            check_inertial(link, inertial)
        except RobotError as error:
            raise RobotError(f"{robot.folder / 'robot.urdf.xacro'}: {error}") from None
