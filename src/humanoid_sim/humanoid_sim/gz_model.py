"""A robot's SDF as Gazebo is given it when contact and servos are ours.

Feet pass through the ground, as contact.py carries them; all else collides as usual. Effort and speed of joints are
not limited, as the servo model has these limits, and rotor inertia and friction come with its torque.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Mapping

from humanoid_description import Robot, RobotError

Start = tuple[float, float, float]
GROUND_BITMASK, FOOT_BITMASK = 0x01, 0x02
"""Two things collide in Gazebo if their masks share a bit; all but ground and feet have all bits."""


def model_element(robot: Robot, name: str, start: Start, posture: Mapping[str, float] | None = None) -> ET.Element:
    """SDF model of a robot.

    Args:
        robot: To put into Gazebo.
        name: Of the model: the robot's namespace.
        start: x, y (m) and yaw (rad) at which it stands.
        posture: In which it will be put on its feet, rad; robot.yaml's if not given.
    """
    if robot.parameters.base != "free":
        raise RobotError(f"robot '{robot.name}': is held in a plane, which Gazebo's model cannot be. Take a free one.")
    model = ET.fromstring(robot.sdf).find("model")
    assert model is not None
    model.set("name", name)
    x, y, yaw = start
    place = ET.Element("pose")
    place.text = f"{x!r} {y!r} {standing_height(robot, posture or robot.parameters.stand)!r} 0 0 {yaw!r}"
    model.insert(0, place)
    for foot in robot.parameters.feet.values():
        for collision in model.iterfind(f"link[@name='{foot.link}']/collision"):
            contact = ET.SubElement(ET.SubElement(collision, "surface"), "contact")
            ET.SubElement(contact, "collide_bitmask").text = str(FOOT_BITMASK)
    for parent, child in (("limit", "effort"), ("limit", "velocity"), (".", "dynamics")):
        for holder in model.iterfind(f"joint/axis/{parent}"):
            for element in holder.findall(child):
                holder.remove(element)
    return model


def model_text(robot: Robot, name: str, start: Start, posture: Mapping[str, float] | None = None) -> str:
    """SDF text of model_element, as Gazebo's service `create` takes it."""
    sdf = ET.Element("sdf", version="1.9")
    sdf.append(model_element(robot, name, start, posture))
    ET.indent(sdf)
    return ET.tostring(sdf, encoding="unicode")


def standing_height(robot: Robot, posture: Mapping[str, float]) -> float:
    """Height (m) of the base link above the ground when a robot stands on it in a posture (rad)."""
    poses = robot.poses(posture)
    return -min(float(poses[foot.link][2, 3]) - foot.depth for foot in robot.parameters.feet.values())
