"""SDF text for Gazebo, written from URDF text.

Every link keeps its name and place; sdformat's own conversion melts links behind fixed joints into their parents.
The text is one that urdf.parse_urdf has accepted.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Mapping

SDF_VERSION = "1.9"


def write_sdf(urdf: str) -> str:
    """SDF model with the links, joints, shapes and inertials of a URDF."""
    robot = ET.fromstring(urdf)
    colors = {
        material.get("name", ""): color.get("rgba", "")
        for material in robot.iter("material")
        if (color := material.find("color")) is not None
    }
    sdf = ET.Element("sdf", version=SDF_VERSION)
    model = ET.SubElement(sdf, "model", name=robot.get("name", "robot"))
    joints = robot.findall("joint")
    carrier = {_linked(joint, "child"): joint.get("name", "") for joint in joints}
    for link in robot.findall("link"):
        _write_link(model, link, carrier.get(link.get("name", "")), colors)
    for joint in joints:
        _write_joint(model, joint)
    ET.indent(sdf)
    return '<?xml version="1.0"?>\n' + ET.tostring(sdf, encoding="unicode") + "\n"


def _linked(joint: ET.Element, end: str) -> str:
    return next(joint.iter(end)).get("link", "")


def _add(parent: ET.Element, tag: str, text: str, **attributes: str) -> None:
    ET.SubElement(parent, tag, attributes).text = text


def _pose(element: ET.Element) -> str:
    """URDF's origin as SDF's pose: both mean fixed-axis roll, pitch, yaw."""
    origin = element.find("origin")
    if origin is None:
        return "0 0 0 0 0 0"
    return f"{origin.get('xyz', '0 0 0')} {origin.get('rpy', '0 0 0')}"


def _write_link(model: ET.Element, link: ET.Element, carrier: str | None, colors: Mapping[str, str]) -> None:
    name = link.get("name", "")
    element = ET.SubElement(model, "link", name=name)
    if carrier is not None:
        _add(element, "pose", "0 0 0 0 0 0", relative_to=carrier)
    _write_inertial(element, next(link.iter("inertial")))
    for kind in ("visual", "collision"):
        for index, shape in enumerate(link.findall(kind)):
            target = ET.SubElement(element, kind, name=f"{name}_{kind}_{index}")
            _add(target, "pose", _pose(shape))
            _write_geometry(target, next(shape.iter("geometry"))[0])
            material = shape.find("material")
            if material is not None:
                rgba = colors[material.get("name", "")]
                colored = ET.SubElement(target, "material")
                _add(colored, "ambient", rgba)
                _add(colored, "diffuse", rgba)


def _write_inertial(element: ET.Element, urdf: ET.Element) -> None:
    inertial = ET.SubElement(element, "inertial")
    _add(inertial, "pose", _pose(urdf))
    _add(inertial, "mass", next(urdf.iter("mass")).get("value", ""))
    tensor = ET.SubElement(inertial, "inertia")
    moments = next(urdf.iter("inertia"))
    for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"):
        _add(tensor, key, moments.get(key, "0"))


def _write_geometry(target: ET.Element, primitive: ET.Element) -> None:
    """Box, cylinder and sphere have the same words in SDF, as elements in place of attributes."""
    shape = ET.SubElement(ET.SubElement(target, "geometry"), primitive.tag)
    for key, value in primitive.attrib.items():
        _add(shape, key, value)


def _write_joint(model: ET.Element, joint: ET.Element) -> None:
    name, kind = joint.get("name", ""), joint.get("type", "")
    element = ET.SubElement(model, "joint", name=name, type=kind)
    parent = _linked(joint, "parent")
    _add(element, "pose", _pose(joint), relative_to=parent)
    _add(element, "parent", parent)
    _add(element, "child", _linked(joint, "child"))
    if kind != "fixed":
        axis = ET.SubElement(element, "axis")
        _add(axis, "xyz", next(joint.iter("axis")).get("xyz", ""))
        limit = ET.SubElement(axis, "limit")
        for key in ("lower", "upper", "effort", "velocity"):
            _add(limit, key, next(joint.iter("limit")).get(key, ""))
        for urdf in joint.findall("dynamics"):
            dynamics = ET.SubElement(axis, "dynamics")
            for key, value in urdf.attrib.items():  # damping and friction are called the same
                _add(dynamics, key, value)
