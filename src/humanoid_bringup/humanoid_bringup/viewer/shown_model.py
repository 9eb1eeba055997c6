"""What a URDF alone says about a robot that is looked at: shapes with colours, chains to the feet, masses."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from humanoid_description.kinematics import Kinematics
from humanoid_description.three_mass import ThreeMass, project
from humanoid_description.urdf import Shape, UrdfModel, numbers, parse_shape, parse_urdf

Array = NDArray[np.float64]
GREY = (0.7, 0.7, 0.7)


@dataclass(frozen=True)
class Visual:
    """A primitive and its colour."""

    shape: Shape
    colour: tuple[float, float, float]
    """Red, green and blue, 0 to 1."""


class ShownModel:
    """A robot as its robot_description tells it; robot.yaml is not asked, as the robot may be anybody's."""

    def __init__(self, urdf: str, origin: str = "robot_description") -> None:
        self.urdf = urdf
        self.model: UrdfModel = parse_urdf(urdf, origin)
        self.visuals: Mapping[str, tuple[Visual, ...]] = _visuals(urdf, origin)
        self.joint_names = tuple(name for name, joint in self.model.joints.items() if joint.kind == "revolute")
        self.kinematics = Kinematics(urdf)

    @cached_property
    def name(self) -> str:
        """The name that the description gives itself."""
        return ET.fromstring(self.urdf).get("name", "robot")

    @property
    def mass(self) -> float:
        """Total, kg."""
        return sum(inertial.mass for inertial in self.model.inertials.values())

    def sole(self, foot: str) -> Array:
        """Corners of the underside of a foot's link, m in its frame, shape (4, 3), in order around it."""
        box = max((s for s in self.model.shapes[foot] if s.kind == "box"), key=lambda s: s.size[0] * s.size[1])
        x, y, z = np.array(box.size) / 2
        corners = np.array([[x, y, -z], [-x, y, -z], [-x, -y, -z], [x, -y, -z]])
        return np.asarray(corners @ box.T_link_shape[:3, :3].T + box.T_link_shape[:3, 3])

    def three_masses(self, feet: Mapping[str, str], poses: Mapping[str, Array]) -> ThreeMass:
        """Left leg, right leg and the rest (seed 000) in base axes; `feet` names the link of each side's foot."""
        carrier = {joint.child: joint.parent for joint in self.model.joints.values()}
        legs: dict[str, tuple[str, ...]] = {}
        for side, foot in feet.items():
            chain = [foot]
            while carrier[chain[-1]] != self.model.root:
                chain.append(carrier[chain[-1]])
            legs[f"{side}_leg"] = tuple(chain)
        return project(self.model.inertials, poses, legs)


def _visuals(urdf: str, origin: str) -> dict[str, tuple[Visual, ...]]:
    robot = ET.fromstring(urdf)
    colours: dict[str | None, tuple[float, float, float]] = {}
    for material in robot.iter("material"):
        colour = material.find("color")
        if colour is not None:
            name = material.get("name")
            red, green, blue, _ = numbers(f"{origin}: material {name}", colour.get("rgba"), 4)
            colours[name] = (red, green, blue)

    def colour_of(visual: ET.Element) -> tuple[float, float, float]:
        material = visual.find("material")
        return GREY if material is None else colours[material.get("name")]

    found = {}
    for link in robot.findall("link"):
        name = link.get("name", "")
        shapes = [(parse_shape(origin, name, visual), colour_of(visual)) for visual in link.findall("visual")]
        found[name] = tuple(Visual(shape, colour) for shape, colour in shapes)
    return found
