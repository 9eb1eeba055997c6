"""Whole-body motions stored as files: postures and times, in YAML or in XML as seed 001 keeps them.

A robot's motions are in the folder `motions` of its own folder. Joints that a point does not name stay where the point
before had them, those of the first point at the robot's stand; a joint is at rest at a point that gives it no speed.
Points may be so close that the servos cannot keep up: a thrust is written that way.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from humanoid_description import Robot, RobotError
from humanoid_description.command import Trajectory
from humanoid_description.errors import did_you_mean
from humanoid_description.interpolation import WAYS, reference_limits
from humanoid_description.strict_yaml import read_yaml
from humanoid_description.urdf import numbers

SUFFIXES = (".yaml", ".xml")


@dataclass(frozen=True)
class StoredMotion:
    """A motion of one kind of robot."""

    name: str
    summary: str
    interpolation: str
    """Between its points, for TrajectoryFollower."""
    trajectory: Trajectory


@dataclass(frozen=True)
class _Point:
    """A point as the file has it, in SI units."""

    place: str
    """Of the point in the file."""
    time: float
    angles: Mapping[str, float]
    speeds: Mapping[str, float]


def motion_names(robot: Robot) -> tuple[str, ...]:
    """Motions in the robot's folder."""
    files = (robot.folder / "motions").glob("*")
    return tuple(sorted(file.stem for file in files if file.suffix in SUFFIXES))


def load_motion(robot: Robot, name_or_file: str | Path) -> StoredMotion:
    """A motion of the robot's folder by name, or of any file, checked against the robot."""
    candidates = [robot.folder / "motions" / f"{name_or_file}{suffix}" for suffix in SUFFIXES]
    file = next((candidate for candidate in (*candidates, Path(name_or_file)) if candidate.is_file()), None)
    if file is None:
        known = did_you_mean(str(name_or_file), motion_names(robot))
        raise RobotError(
            f"motion '{name_or_file}': {robot.name} has none of that name, and there is no such file. {known}"
        )
    if file.suffix not in SUFFIXES:
        raise RobotError(f"{file}: is neither .yaml nor .xml. Store motions in one of these forms.")
    return _read_yaml(robot, file) if file.suffix == ".yaml" else _read_xml(robot, file)


def _read_yaml(robot: Robot, file: Path) -> StoredMotion:
    top = read_yaml(file)
    name, summary = top.text("name"), top.text("summary")
    interpolation = top.text("interpolation", tuple(WAYS)) if "interpolation" in top else "cubic"
    _refuse_other_robot(robot, file, top.text("robot"))
    points = []
    for index, entry in enumerate(top.section_list("points")):
        angles = entry.number_map("angles", "angle") if "angles" in entry else {}
        speeds = entry.number_map("speeds", "angular speed") if "speeds" in entry else {}
        points.append(_Point(f"points[{index}]", entry.number("time", "time", low=0.0), angles, speeds))
        entry.finish()
    top.finish()
    return StoredMotion(name, summary, interpolation, _trajectory(robot, file, points))


def _read_xml(robot: Robot, file: Path) -> StoredMotion:
    """Motion in the form of seed 001: angles in degrees and degrees per second, times in seconds."""
    try:
        root = ET.fromstring(file.read_text(encoding="utf-8"))
    except (ET.ParseError, OSError, UnicodeError) as error:
        raise RobotError(f"{file}: is not valid XML: {error}.") from error
    _check_element(file, root, "motion", {"name", "robot"}, {"summary", "interpolation"})
    interpolation = root.get("interpolation", "two_interval")
    if interpolation not in WAYS:
        raise RobotError(f"{file}: interpolation: is '{interpolation}'. {did_you_mean(interpolation, WAYS)}")
    _refuse_other_robot(robot, file, root.get("robot", ""))
    points = []
    for index, element in enumerate(root):
        place = f"point[{index}]"
        _check_element(file, element, "point", {"time"}, set())
        angles: dict[str, float] = {}
        speeds: dict[str, float] = {}
        for joint in element:
            _check_element(file, joint, "joint", {"name", "angle"}, {"speed"})
            name = joint.get("name", "")
            if name in angles:
                raise RobotError(f"{file}: {place}: names {name} twice. Name each joint once.")
            for key, target in (("angle", angles), ("speed", speeds)):
                if key in joint.attrib:
                    (value,) = numbers(f"{file}: {place}: {key} of {name}", joint.get(key), 1)
                    target[name] = float(np.radians(value))
        (time,) = numbers(f"{file}: {place}: time", element.get("time"), 1)
        points.append(_Point(place, time, angles, speeds))
    return StoredMotion(root.get("name", ""), root.get("summary", ""), interpolation, _trajectory(robot, file, points))


def _check_element(file: Path, element: ET.Element, tag: str, needed: set[str], allowed: set[str]) -> None:
    if element.tag != tag:
        raise RobotError(
            f"{file}: <{element.tag}> stands where <{tag}> is due. A motion has points, points have joints."
        )
    for key in element.attrib:
        if key not in needed | allowed:
            raise RobotError(f"{file}: <{tag}>: '{key}' is not known. {did_you_mean(key, needed | allowed)}")
    for key in sorted(needed - set(element.attrib)):
        raise RobotError(f"{file}: <{tag}>: '{key}' is missing. Add it.")


def _refuse_other_robot(robot: Robot, file: Path, named: str) -> None:
    if named != robot.name:
        raise RobotError(f"{file}: robot: is '{named}', not {robot.name}. Motions are not made for other robots.")


def _trajectory(robot: Robot, file: Path, points: list[_Point]) -> Trajectory:
    """The points as a trajectory of all joints they name, within the joints' ranges and the servos' speeds."""
    joints, limits = robot.parameters.joints, reference_limits(robot.parameters)
    fastest = dict(zip(robot.joint_names, limits.speed, strict=True))
    if not points:
        raise RobotError(f"{file}: points: are none. Give one or more.")
    for point in points:
        for name in (*point.angles, *point.speeds):
            if name not in joints:
                raise RobotError(f"{file}: {point.place}: joint '{name}' does not exist. {did_you_mean(name, joints)}")
    named = {name for point in points for name in (*point.angles, *point.speeds)}
    names = tuple(name for name in robot.joint_names if name in named)
    angles = {name: robot.parameters.stand.get(name, 0.0) for name in names}
    time, rows, speeds = 0.0, [], []
    for point in points:
        if point.time <= time:
            raise RobotError(
                f"{file}: {point.place}.time: is {point.time:g} s, not after {time:g} s. Order the points."
            )
        for name, angle in point.angles.items():
            joint, place = joints[name], f"{file}: {point.place}.angles.{name}"
            if not joint.lower - 1e-9 <= angle <= joint.upper + 1e-9:
                ends = f"{np.degrees(joint.lower):.0f} to {np.degrees(joint.upper):.0f} degrees"
                raise RobotError(f"{place}: is {np.degrees(angle):.1f} degrees, outside its range. Stay within {ends}.")
        for name, speed in point.speeds.items():
            if abs(speed) > fastest[name]:
                raise RobotError(f"{file}: {point.place}.speeds.{name}: is faster than its servo. Give less.")
        time, angles = point.time, {**angles, **point.angles}
        rows.append([angles[name] for name in names])
        speeds.append([point.speeds.get(name, 0.0) for name in names])
    times = np.array([point.time for point in points])
    return Trajectory(names, times, np.array(rows), np.array(speeds), False)
