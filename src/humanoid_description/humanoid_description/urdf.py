"""URDF read strictly into what the suite works with: a tree of links with inertials and primitive shapes."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from humanoid_description.errors import RobotError
from humanoid_description.inertial import Inertial, inertial

# Names that URDF, SDF and MuJoCo all take.
NAME = re.compile(r"(?!__)[A-Za-z_][A-Za-z0-9_]*\Z")
RESERVED_NAMES = ("world",)


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
    """A joint as the URDF has it; a fixed one has no axis and no limits."""

    name: str
    kind: str
    parent: str
    child: str
    origin: tuple[float, ...]
    """x, y, z (m) and roll, pitch, yaw (rad) in the parent's frame."""
    axis: tuple[float, ...] = ()
    lower: float = 0.0
    upper: float = 0.0
    effort: float = 0.0
    velocity: float = 0.0


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


def parse_urdf(text: str, origin: str) -> UrdfModel:
    """Read URDF text; `origin` names it in errors."""
    try:
        robot = ET.fromstring(text)
    except (ET.ParseError, UnicodeError, TypeError) as error:
        raise RobotError(f"{origin}: is not valid XML: {error!r}.") from error
    if robot.tag != "robot":
        raise RobotError(f"{origin}: its root element is <{robot.tag}>. A URDF starts with <robot>.")
    links = {link.get("name", ""): link for link in robot.findall("link")}
    _check_names(origin, [*robot.findall("link"), *robot.findall("joint")])
    joints = {joint.name: joint for joint in (_joint(origin, element) for element in robot.findall("joint"))}
    root = _root_of_tree(origin, set(links), joints.values())
    colored = {material.get("name") for material in robot.iter("material") if material.find("color") is not None}
    for name, link in links.items():
        for visual in link.findall("visual"):
            parse_shape(origin, name, visual)
            for material in visual.findall("material"):
                if material.get("name") not in colored:
                    where = f"{origin}: link {name}: material '{material.get('name')}'"
                    raise RobotError(f"{where} has no colour. Give it <color rgba='r g b a'/> once.")
    return UrdfModel(
        root=root,
        inertials=MappingProxyType({name: _inertial(origin, name, link) for name, link in links.items()}),
        shapes=MappingProxyType(
            {
                name: tuple(parse_shape(origin, name, collision) for collision in link.findall("collision"))
                for name, link in links.items()
            }
        ),
        joints=MappingProxyType(joints),
    )


def _check_names(origin: str, elements: Iterable[ET.Element]) -> None:
    seen: set[str] = set()
    for element in elements:
        name = element.get("name", "")
        if not NAME.match(name) or name in RESERVED_NAMES:
            remedy = "Use letters, digits and underscores, not starting with a digit, and not 'world'."
            raise RobotError(f"{origin}: {element.tag} '{name}': cannot have this name. {remedy}")
        if name in seen:
            raise RobotError(f"{origin}: {element.tag} '{name}' appears twice. Give links and joints different names.")
        seen.add(name)


def _root_of_tree(origin: str, links: set[str], joints: Iterable[UrdfJoint]) -> str:
    """The base, if the joints hang all links on it and each on one joint."""
    children: dict[str, list[str]] = {}
    carried: set[str] = set()
    for joint in joints:
        for end in (joint.parent, joint.child):
            if end not in links:
                raise RobotError(f"{origin}: joint {joint.name}: its link '{end}' does not exist. Add the link.")
        if joint.child in carried:
            raise RobotError(f"{origin}: link '{joint.child}' is carried by two joints. Keep one of them.")
        carried.add(joint.child)
        children.setdefault(joint.parent, []).append(joint.child)
    roots = links - carried
    if len(roots) != 1:
        found = ", ".join(sorted(roots)) or "none"
        raise RobotError(f"{origin}: links that no joint carries: {found}. There must be exactly one, the base.")
    (root,) = roots
    reached, waiting = set(), [root]
    while waiting:
        link = waiting.pop()
        reached.add(link)
        waiting += children.get(link, [])
    if reached != links:
        loose = ", ".join(sorted(links - reached))
        raise RobotError(f"{origin}: links that hang on each other in a circle: {loose}. Hang them on the base.")
    return root


def numbers(where: str, text: str | None, count: int) -> tuple[float, ...]:
    """Finite numbers of an attribute, or RobotError that says where."""
    try:
        values = tuple(float(number) for number in (text or "").split())
    except ValueError:
        values = ()
    if len(values) != count or not all(math.isfinite(value) for value in values):
        raise RobotError(f"{where}: is {text!r}. Give {count} finite number{'s' if count > 1 else ''}.")
    return values


def _origin(where: str, element: ET.Element) -> tuple[float, ...]:
    """x, y, z, roll, pitch, yaw of an element's <origin>, zero if it has none."""
    origin = element.find("origin")
    if origin is None:
        return (0.0,) * 6
    return tuple(
        value for key in ("xyz", "rpy") for value in numbers(f"{where}: <origin {key}>", origin.get(key, "0 0 0"), 3)
    )


def pose(x: float, y: float, z: float, roll: float, pitch: float, yaw: float) -> NDArray[np.float64]:
    """4 x 4 pose; roll, pitch and yaw turn about the fixed x, y and z axes."""
    (cr, cp, cy), (sr, sp, sy) = (f((roll, pitch, yaw)) for f in (np.cos, np.sin))
    result = np.eye(4)
    result[:3, 3] = x, y, z
    result[:3, :3] = (
        np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
        @ np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
        @ np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    )
    return result


def _child(where: str, element: ET.Element, tag: str) -> ET.Element:
    child = element.find(tag)
    if child is None:
        raise RobotError(f"{where}: has no <{tag}>. Add one.")
    return child


def _joint(origin: str, element: ET.Element) -> UrdfJoint:
    name, kind = element.get("name", ""), element.get("type", "")
    where = f"{origin}: joint {name}"
    parent, child = (_child(where, element, tag).get("link", "") for tag in ("parent", "child"))
    place = _origin(where, element)
    if kind == "fixed":
        return UrdfJoint(name, kind, parent, child, place)
    if kind != "revolute":
        raise RobotError(f"{where}: has the type '{kind}'. Joints of a servo robot are 'revolute' (or 'fixed').")
    limit = _child(where, element, "limit")
    keys = ("lower", "upper", "effort", "velocity")
    lower, upper, effort, velocity = (numbers(f"{where}: <limit {key}>", limit.get(key), 1)[0] for key in keys)
    if lower >= upper or effort <= 0 or velocity <= 0:
        raise RobotError(f"{where}: <limit>: lower must be below upper, effort and velocity above zero.")
    axis = numbers(f"{where}: <axis xyz>", _child(where, element, "axis").get("xyz"), 3)
    if not 0.99 < math.hypot(*axis) < 1.01:
        raise RobotError(f"{where}: <axis xyz>: is {axis}. Give a direction of length 1, such as 0 1 0.")
    return UrdfJoint(name, kind, parent, child, place, axis, lower, upper, effort, velocity)


def _inertial(origin: str, name: str, link: ET.Element) -> Inertial:
    where = f"{origin}: link {name}"
    element = _child(where, link, "inertial")
    mass, tensor = (_child(f"{where}: <inertial>", element, tag) for tag in ("mass", "inertia"))
    (value,) = numbers(f"{where}: <mass value>", mass.get("value"), 1)
    keys = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
    ixx, iyy, izz, ixy, ixz, iyz = (numbers(f"{where}: <inertia {key}>", tensor.get(key), 1)[0] for key in keys)
    T_link_com = pose(*_origin(f"{where}: <inertial>", element))
    rotation = T_link_com[:3, :3]
    in_own_axes = np.array([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]])
    return inertial(value, T_link_com[:3, 3], rotation @ in_own_axes @ rotation.T)


def parse_shape(origin: str, name: str, element: ET.Element) -> Shape:
    """Primitive of a link's <visual> or <collision>; `origin` names the URDF in errors."""
    where = f"{origin}: link {name}: <{element.tag}>"
    primitives = list(_child(where, element, "geometry"))
    sizes = {"box": {"size": 3}, "cylinder": {"radius": 1, "length": 1}, "sphere": {"radius": 1}}
    if len(primitives) != 1 or primitives[0].tag not in sizes:
        raise RobotError(f"{where}: its <geometry> is not one primitive. Make it of a box, a cylinder or a sphere.")
    (primitive,) = primitives

    def measures() -> Iterator[float]:
        for key, count in sizes[primitive.tag].items():
            yield from numbers(f"{where}: <{primitive.tag} {key}>", primitive.get(key), count)

    size = tuple(measures())
    if min(size) <= 0:
        raise RobotError(f"{where}: <{primitive.tag}>: has the size {size}. Every side must be above zero.")
    return Shape(primitive.tag, size, pose(*_origin(where, element)))
