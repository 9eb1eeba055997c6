"""URDF text: made from xacro, and rewritten with other inertials."""

from __future__ import annotations

import contextlib
import functools
import math
import threading
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import xacro
import yaml

from humanoid_description.errors import RobotError
from humanoid_description.inertial import Inertial
from humanoid_description.payload import Payload

# xacro keeps the file it works on in module variables.
_XACRO_LOCK = threading.Lock()
BATTERY_DENSITY = 2000.0
"""kg/m^3, of lithium cells: a payload is drawn as large as a battery of its mass."""


def expand_xacro(file: Path, macros: Path, name: str) -> str:
    """URDF text of a robot.urdf.xacro; `macros` is where the shared macros are, `name` becomes the robot's name."""
    if not file.is_file():
        raise RobotError(f"{file}: there is no such file. A robot's folder holds robot.yaml and robot.urdf.xacro.")
    try:
        with _XACRO_LOCK, _fast_xacro():
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
def _fast_xacro() -> Iterator[None]:
    """Halve xacro's time: let it parse YAML in C, and compile an expression once instead of at every use of a macro."""
    slow = yaml.SafeLoader
    yaml.SafeLoader = yaml.CSafeLoader  # type: ignore[misc, assignment]
    xacro.compile = _compile_once
    try:
        yield
    finally:
        yaml.SafeLoader = slow  # type: ignore[misc]
        del xacro.compile


_compile_once = functools.lru_cache(maxsize=4096)(compile)


def rewrite_urdf(text: str, inertials: Mapping[str, Inertial], payloads: Iterable[Payload]) -> str:
    """URDF text with the given inertials in place of its own; payloads are drawn as spheres."""
    robot = ET.fromstring(text)
    links = {link.get("name", ""): link for link in robot.findall("link")}
    for name, inertial in inertials.items():
        _write_inertial(links[name], inertial)
    for payload in payloads:
        _draw_payload(links[payload.link], payload)
    ET.indent(robot)
    return _to_text(robot)


def _to_text(robot: ET.Element) -> str:
    return '<?xml version="1.0"?>\n' + ET.tostring(robot, encoding="unicode") + "\n"


def _exact(values: Iterable[float]) -> str:
    """Numbers as text that reads back to the last bit."""
    return " ".join(repr(float(value)) for value in values)


def _write_inertial(link: ET.Element, new: Inertial) -> None:
    for old in link.findall("inertial"):
        link.remove(old)
    element = ET.Element("inertial")
    ET.SubElement(element, "origin", xyz=_exact(new.com_in_link), rpy="0 0 0")
    ET.SubElement(element, "mass", value=_exact([new.mass]))
    tensor = new.inertia_about_com
    entries = {"ixx": (0, 0), "ixy": (0, 1), "ixz": (0, 2), "iyy": (1, 1), "iyz": (1, 2), "izz": (2, 2)}
    ET.SubElement(element, "inertia", {key: _exact([tensor[place]]) for key, place in entries.items()})
    link.insert(0, element)


def _draw_payload(link: ET.Element, payload: Payload) -> None:
    visual = ET.SubElement(link, "visual")
    ET.SubElement(visual, "origin", xyz=_exact(payload.position_in_link), rpy="0 0 0")
    radius = (3 * payload.mass / (4 * math.pi * BATTERY_DENSITY)) ** (1 / 3)
    ET.SubElement(ET.SubElement(visual, "geometry"), "sphere", radius=_exact([radius]))
    material = ET.SubElement(visual, "material", name="payload")
    ET.SubElement(material, "color", rgba="0.85 0.10 0.10 1")
