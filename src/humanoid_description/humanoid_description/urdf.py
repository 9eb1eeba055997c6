"""URDF text: made from xacro, read for links, joints, shapes and inertials, and rewritten with new inertials."""

from __future__ import annotations

import contextlib
import threading
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import xacro
import yaml
from numpy.typing import NDArray

from humanoid_description.errors import RobotError
from humanoid_description.inertial import Inertial, inertial
from humanoid_description.payload import Payload

# xacro keeps the file it works on in module variables.
_XACRO_LOCK = threading.Lock()


@dataclass(frozen=True)
class Shape:
    """A primitive on a link."""

    kind: str
    """'box', 'cylinder' (axis along z) or 'sphere'."""
    size: tuple[float, ...]
    """Box: x, y, z. Cylinder: radius, length. Sphere: radius. All in m."""
    T_link_shape: NDArray[np.float64]


@dataclass(frozen=True)
class UrdfJoint:
    """A joint as the URDF has it."""

    name: str
    kind: str
    parent: str
    child: str
    axis: tuple[float, ...]
    lower: float
    upper: float
    effort: float
    velocity: float


@dataclass(frozen=True)
class UrdfModel:
    """What the suite reads of a URDF."""

    root: str
    """The link that no joint carries."""
    inertials: Mapping[str, Inertial]
    """Per link, in document order."""
    shapes: Mapping[str, tuple[Shape, ...]]
    """Collision shapes per link."""
    joints: Mapping[str, UrdfJoint]


def expand_xacro(file: Path, macros: Path, name: str) -> str:
    """URDF text of a robot.urdf.xacro; `macros` is where the shared macros are, `name` becomes the robot's name."""
    if not file.is_file():
        raise RobotError(f"{file}: there is no such file. A robot's folder holds robot.yaml and robot.urdf.xacro.")
    try:
        with _XACRO_LOCK, _fast_yaml():
            document = xacro.process_file(str(file), mappings={"macros": str(macros)})
    except Exception as error:  # xacro passes on whatever the evaluated expressions raise
        what, _, where = str(error).partition("\n")
        if what.startswith("robot.yaml: "):  # our macros say so themselves when a number is missing there
            raise RobotError(f"{file.parent}/{what.strip()}") from error
        place = " ".join(where.split())
        raise RobotError(f"{file}: xacro cannot expand it: {what.strip()} {place}. Correct that expression.") from error
    root = document.documentElement
    root.setAttribute("name", name)
    robot = ET.fromstring(root.toxml())
    ET.indent(robot)
    return _to_text(robot)


@contextlib.contextmanager
def _fast_yaml() -> Iterator[None]:
    """Let xacro parse YAML in C: in pure Python, its way, that is a third of its whole time."""
    slow = yaml.SafeLoader
    yaml.SafeLoader = yaml.CSafeLoader  # type: ignore[misc, assignment]
    try:
        yield
    finally:
        yaml.SafeLoader = slow  # type: ignore[misc]


def parse_urdf(text: str, origin: str) -> UrdfModel:
    """Read URDF text; `origin` names it in errors."""
    try:
        robot = ET.fromstring(text)
    except ET.ParseError as error:
        raise RobotError(f"{origin}: is not valid XML: {error}.") from error
    if robot.tag != "robot":
        raise RobotError(f"{origin}: its root element is <{robot.tag}>. A URDF starts with <robot>.")
    _refuse_twice(origin, "link '{}' appears twice", (link.get("name", "") for link in robot.findall("link")))
    _refuse_twice(origin, "joint '{}' appears twice", (joint.get("name", "") for joint in robot.findall("joint")))
    links = {link.get("name", ""): link for link in robot.findall("link")}
    joints = {joint.name: joint for joint in (_joint(origin, element) for element in robot.findall("joint"))}
    for joint in joints.values():
        for end in (joint.parent, joint.child):
            if end not in links:
                raise RobotError(f"{origin}: joint {joint.name}: its link '{end}' does not exist. Add the link.")
    _refuse_twice(origin, "link '{}' is carried by two joints", (joint.child for joint in joints.values()))
    roots = set(links) - {joint.child for joint in joints.values()}
    if len(roots) != 1:
        found = ", ".join(sorted(roots)) or "none"
        raise RobotError(f"{origin}: links that no joint carries: {found}. There must be exactly one, the base.")
    return UrdfModel(
        root=roots.pop(),
        inertials={name: _inertial(origin, name, link) for name, link in links.items()},
        shapes={name: tuple(_shapes(origin, name, link)) for name, link in links.items()},
        joints=joints,
    )


def _refuse_twice(origin: str, problem: str, names: Iterable[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise RobotError(f"{origin}: {problem.format(name)}. Keep one of them.")
        seen.add(name)


def rewrite_urdf(text: str, inertials: Mapping[str, Inertial], payloads: Iterable[Payload]) -> str:
    """URDF text with the given inertials in place of its own; payloads are drawn as spheres."""
    robot = ET.fromstring(text)
    for link in robot.findall("link"):
        if link.get("name") in inertials:
            _write_inertial(link, inertials[link.get("name", "")])
    for payload in payloads:
        carrier = next(link for link in robot.findall("link") if link.get("name") == payload.link)
        _draw_payload(carrier, payload)
    ET.indent(robot)
    return _to_text(robot)


def _to_text(robot: ET.Element) -> str:
    return '<?xml version="1.0"?>\n' + ET.tostring(robot, encoding="unicode") + "\n"


def _vector(text: str | None, default: str) -> tuple[float, ...]:
    return tuple(float(number) for number in (text or default).split())


def pose_of(element: ET.Element | None) -> NDArray[np.float64]:
    """4 x 4 pose of an <origin>; identity if there is none. rpy turns about the fixed x, y, z axes."""
    pose = np.eye(4)
    if element is None:
        return pose
    pose[:3, 3] = _vector(element.get("xyz"), "0 0 0")
    (cr, cp, cy), (sr, sp, sy) = (f(_vector(element.get("rpy"), "0 0 0")) for f in (np.cos, np.sin))
    pose[:3, :3] = (
        np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
        @ np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
        @ np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    )
    return pose


def _child(origin: str, name: str, element: ET.Element, tag: str) -> ET.Element:
    child = element.find(tag)
    if child is None:
        raise RobotError(f"{origin}: {element.tag} {name}: has no <{tag}>. Add one.")
    return child


def _joint(origin: str, element: ET.Element) -> UrdfJoint:
    name, kind = element.get("name", ""), element.get("type", "")
    parent = _child(origin, name, element, "parent").get("link", "")
    child = _child(origin, name, element, "child").get("link", "")
    if kind == "fixed":
        return UrdfJoint(name, kind, parent, child, (0.0, 0.0, 0.0), 0.0, 0.0, 0.0, 0.0)
    if kind != "revolute":
        remedy = "Joints of a servo robot are 'revolute' (or 'fixed')."
        raise RobotError(f"{origin}: joint {name}: has the type '{kind}'. {remedy}")
    limit = _child(origin, name, element, "limit")
    axis = element.find("axis")
    try:
        bounds = [float(limit.attrib[key]) for key in ("lower", "upper", "effort", "velocity")]
        direction = _vector(None if axis is None else axis.get("xyz"), "1 0 0")
    except (KeyError, ValueError) as error:
        raise RobotError(
            f"{origin}: joint {name}: <limit> or <axis>: {error}. Give four limits and an axis."
        ) from error
    return UrdfJoint(name, kind, parent, child, direction, *bounds)


def _inertial(origin: str, name: str, link: ET.Element) -> Inertial:
    element = _child(origin, name, link, "inertial")
    mass, tensor = (_child(origin, name, element, tag) for tag in ("mass", "inertia"))
    try:
        moments = {key: float(tensor.attrib[key]) for key in ("ixx", "iyy", "izz")}
        products = {key: float(tensor.get(key, "0")) for key in ("ixy", "ixz", "iyz")}
        value = float(mass.attrib["value"])
        pose = pose_of(element.find("origin"))
    except (KeyError, ValueError) as error:
        raise RobotError(
            f"{origin}: link {name}: <inertial>: {error}. Give mass, origin and inertia as numbers."
        ) from error
    in_own_axes = np.array(
        [
            [moments["ixx"], products["ixy"], products["ixz"]],
            [products["ixy"], moments["iyy"], products["iyz"]],
            [products["ixz"], products["iyz"], moments["izz"]],
        ]
    )
    return inertial(value, pose[:3, 3], pose[:3, :3] @ in_own_axes @ pose[:3, :3].T)


def _shapes(origin: str, name: str, link: ET.Element) -> Iterable[Shape]:
    for collision in link.findall("collision"):
        geometry = _child(origin, name, collision, "geometry")
        pose = pose_of(collision.find("origin"))
        if (box := geometry.find("box")) is not None:
            yield Shape("box", _vector(box.get("size"), ""), pose)
        elif (cylinder := geometry.find("cylinder")) is not None:
            size = (float(cylinder.attrib["radius"]), float(cylinder.attrib["length"]))
            yield Shape("cylinder", size, pose)
        elif (sphere := geometry.find("sphere")) is not None:
            yield Shape("sphere", (float(sphere.attrib["radius"]),), pose)
        else:
            remedy = "Robots here are made of box, cylinder and sphere."
            raise RobotError(f"{origin}: link {name}: a collision shape is none of these. {remedy}")


def _write_inertial(link: ET.Element, new: Inertial) -> None:
    old = link.find("inertial")
    position = 0 if old is None else list(link).index(old)
    if old is not None:
        link.remove(old)
    element = ET.Element("inertial")
    # repr keeps every bit of a float.
    ET.SubElement(element, "origin", xyz=" ".join(repr(float(x)) for x in new.com_in_link), rpy="0 0 0")
    ET.SubElement(element, "mass", value=repr(new.mass))
    tensor = new.inertia_about_com
    entries = {"ixx": (0, 0), "ixy": (0, 1), "ixz": (0, 2), "iyy": (1, 1), "iyz": (1, 2), "izz": (2, 2)}
    ET.SubElement(element, "inertia", {key: repr(float(tensor[place])) for key, place in entries.items()})
    link.insert(position, element)


def _draw_payload(link: ET.Element, payload: Payload) -> None:
    visual = ET.SubElement(link, "visual")
    ET.SubElement(visual, "origin", xyz=" ".join(repr(float(x)) for x in payload.position_in_link), rpy="0 0 0")
    # As large as the same mass of a lithium battery, 2000 kg/m^3.
    radius = (3 * payload.mass / (4 * np.pi * 2000.0)) ** (1 / 3)
    ET.SubElement(ET.SubElement(visual, "geometry"), "sphere", radius=f"{radius:.4f}")
    material = ET.SubElement(visual, "material", name="payload")
    ET.SubElement(material, "color", rgba="0.85 0.10 0.10 1")
