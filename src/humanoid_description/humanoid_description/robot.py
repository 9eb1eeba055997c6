"""A robot: its folder read, checked and joined into one immutable value."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from humanoid_description.errors import RobotError, did_you_mean
from humanoid_description.inertial import Inertial, check_inertial, with_point_mass
from humanoid_description.parameters import RobotParameters, read_parameters
from humanoid_description.payload import Payload, parse_payload
from humanoid_description.sdf import write_sdf
from humanoid_description.three_mass import ThreeMass, project
from humanoid_description.urdf import UrdfModel, parse_urdf
from humanoid_description.urdf_text import expand_xacro, rewrite_urdf

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

    def __getstate__(self) -> dict[str, object]:
        """What is sent to another process: not what was computed from it."""
        return {item.name: getattr(self, item.name) for item in dataclasses.fields(self)}

    def __hash__(self) -> int:
        """Agrees with equality."""
        return hash((self.folder, self.base_urdf, self.payloads))

    @property
    def name(self) -> str:
        """The robot's name."""
        return self.parameters.name

    @cached_property
    def base_model(self) -> UrdfModel:
        """What the folder's URDF says."""
        return parse_urdf(self.base_urdf, str(self.folder / "robot.urdf.xacro"))

    @cached_property
    def inertials(self) -> Mapping[str, Inertial]:
        """Inertial of every link, payloads included."""
        inertials = {**self.base_model.inertials, **self.replaced}
        for payload in self.payloads:
            inertials[payload.link] = with_point_mass(inertials[payload.link], payload.mass, payload.position_in_link)
        return MappingProxyType(inertials)

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

    def with_payloads(self, payloads: Iterable[str | Payload]) -> Robot:
        """The robot with more loads on it.

        A payload is a Payload, a text ``LINK:MASS:X,Y,Z`` (kg, m), or the name of one in robot.yaml.
        """
        loads = self._payloads(payloads)
        for load in loads:
            if load.link not in self.inertials:
                known = did_you_mean(load.link, self.inertials)
                raise RobotError(f"payload on '{load.link}': {self.name} has no such link. {known}")
        loaded = dataclasses.replace(self, payloads=self.payloads + loads)
        for link in {load.link for load in loads}:
            check_inertial(f"{link} with its payload", loaded.inertials[link])
        return loaded

    def without_payloads(self, payloads: Iterable[str | Payload]) -> Robot:
        """The robot with these loads taken off."""
        left = list(self.payloads)
        for payload in self._payloads(payloads):
            if payload not in left:
                carried = ", ".join(f"{load.link}:{load.mass:g} kg" for load in left) or "nothing"
                raise RobotError(f"payload on '{payload.link}': {self.name} does not carry it. It carries: {carried}.")
            left.remove(payload)
        return dataclasses.replace(self, payloads=tuple(left))

    def _payloads(self, payloads: Iterable[str | Payload]) -> tuple[Payload, ...]:
        if isinstance(payloads, (str, Payload)):
            raise RobotError(f"payloads: is {payloads!r}. Give a list of payloads.")
        loads: list[Payload] = []
        named = self.parameters.payloads
        for payload in payloads:
            if isinstance(payload, Payload):
                loads.append(payload)
            elif not isinstance(payload, str):
                raise RobotError(f"payload {payload!r}: is neither a Payload nor a text LINK:MASS:X,Y,Z.")
            elif ":" in payload:
                loads.append(parse_payload(payload))
            elif payload in named:
                loads += named[payload]
            else:
                remedy = "Write LINK:MASS:X,Y,Z in kg and m, or a name from robot.yaml. " + did_you_mean(payload, named)
                raise RobotError(f"payload '{payload}': {self.name} has none of that name. {remedy}")
        return tuple(loads)

    def with_inertials(self, inertials: Mapping[str, Inertial]) -> Robot:
        """The robot with the inertials of some links replaced, all or none.

        The new values are those of the whole link: payloads that hang on it are part of them from now on.
        """
        for link, candidate in inertials.items():
            try:
                if link not in self.inertials:
                    known = did_you_mean(link, self.inertials)
                    raise RobotError(f"inertial of '{link}': {self.name} has no such link. {known}")
                check_inertial(link, candidate)
            except RobotError as error:
                raise RobotError(f"{error} Nothing was changed.") from None
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
    """Load a robot that comes with the suite by name, or any robot by its folder; payloads as in with_payloads."""
    folder = _folder(name_or_folder)
    parameters = read_parameters(folder / "robot.yaml")
    urdf = expand_xacro(folder / "robot.urdf.xacro", share_folder() / "macros", parameters.name)
    robot = Robot(folder, parameters, urdf, {}, ())
    _check_agreement(robot)
    return robot.with_payloads(payloads)


def _folder(name_or_folder: str | Path) -> Path:
    if not isinstance(name_or_folder, (str, Path)):
        raise RobotError(f"robot {name_or_folder!r}: is not a name or folder. {did_you_mean('', robot_names())}")
    if str(name_or_folder) in robot_names():
        return share_folder() / "robots" / name_or_folder
    folder = Path(name_or_folder)
    with contextlib.suppress(OSError):  # a name too long for a file is no folder
        if (folder / "robot.yaml").is_file():
            return folder.resolve()
    known = did_you_mean(str(name_or_folder), robot_names())
    raise RobotError(
        f"robot '{name_or_folder}': there is none of that name, and no such folder with a robot.yaml. {known}"
    )


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
        servo, urdf = parameters.servos[joint.servo], movable[name]
        ours = (joint.lower, joint.upper, servo.stall_torque, servo.no_load_speed)
        theirs = (urdf.lower, urdf.upper, urdf.effort, urdf.velocity)
        if not np.allclose(ours, theirs, rtol=1e-9, atol=1e-9):
            remedy = "Let the xacro read the limits from robot.yaml, as the limb macro does."
            raise RobotError(f"{file}: joints.{name}: the URDF has other limits, {theirs} in SI units. {remedy}")
    mentions = [
        *((f"feet.{side}.link", foot.link) for side, foot in parameters.feet.items()),
        ("imu.link", parameters.imu.link),
        *((f"three_mass.{leg}", link) for leg, members in parameters.legs.items() for link in members),
        *((f"payloads.{name}", part.link) for name, parts in parameters.payloads.items() for part in parts),
    ]
    for place, link in mentions:
        if link not in model.inertials:
            raise RobotError(f"{file}: {place}: the URDF has no link '{link}'. {did_you_mean(link, model.inertials)}")
    members = [link for links in parameters.legs.values() for link in links]
    for link in members:
        if members.count(link) > 1:
            raise RobotError(f"{file}: three_mass: {link} is named twice. Name it in one leg, once.")
    if not all(parameters.legs.values()) or len(members) == len(model.inertials):
        raise RobotError(f"{file}: three_mass: a leg or the body has no link. Each of the three needs one or more.")
    for link, inertial in model.inertials.items():
        try:
            check_inertial(link, inertial)
        except RobotError as error:
            raise RobotError(f"{robot.folder / 'robot.urdf.xacro'}: {error}") from None
