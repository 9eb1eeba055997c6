"""Models as Gazebo gets them."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import pytest

from humanoid_description import RobotError, load_robot
from humanoid_sim.gz_model import FOOT_BITMASK, GROUND_BITMASK, model_element, model_text, standing_height

ROBOTS = ["ar601m", "fibo_km", "nao"]


@pytest.mark.parametrize("name", ROBOTS)
def test_gazebo_accepts_the_model(name: str, tmp_path: Path, tool: Callable[..., str]) -> None:
    file = tmp_path / "model.sdf"
    file.write_text(model_text(load_robot(name), "left", (1.0, -2.0, 0.5)))
    assert "Valid" in tool("ign", "sdf", "-k", str(file))


@pytest.mark.parametrize("name", ROBOTS)
def test_only_feet_pass_through_the_ground(name: str) -> None:
    robot = load_robot(name)
    feet = {foot.link for foot in robot.parameters.feet.values()}
    assert not FOOT_BITMASK & GROUND_BITMASK
    collisions = 0
    for link in model_element(robot, "left", (0.0, 0.0, 0.0)).findall("link"):
        for collision in link.findall("collision"):
            mask = collision.findtext("surface/contact/collide_bitmask")
            assert mask == (str(FOOT_BITMASK) if link.get("name") in feet else None)
            collisions += link.get("name") in feet
    assert collisions >= 2


@pytest.mark.parametrize("name", ROBOTS)
def test_gazebo_adds_nothing_to_the_servos(name: str) -> None:
    robot = load_robot(name)
    model = model_element(robot, "left", (0.0, 0.0, 0.0))
    for joint in model.findall("joint[@type='revolute']"):
        limit = robot.base_model.joints[joint.get("name", "")]
        assert [element.tag for element in joint.findall("axis/limit/*")] == ["lower", "upper"]
        assert float(joint.findtext("axis/limit/lower", "nan")) == limit.lower
        assert joint.find("axis/dynamics") is None


def test_name_place_and_payload_are_in_it() -> None:
    robot = load_robot("fibo_km", ["torso:0.5:0,0,0.1"])
    model = ET.fromstring(model_text(robot, "left", (1.0, -2.0, 0.5))).find("model")
    assert model is not None
    assert model.get("name") == "left"
    x, y, z, roll, pitch, yaw = (float(word) for word in model.findtext("pose", "").split())
    assert (x, y, roll, pitch, yaw) == (1.0, -2.0, 0.0, 0.0, 0.5)
    assert z == standing_height(robot, robot.parameters.stand)
    masses = [float(mass.text or "nan") for mass in model.iterfind("link/inertial/mass")]
    assert sum(masses) == pytest.approx(robot.mass, rel=1e-12)


def test_it_stands_on_its_soles() -> None:
    robot = load_robot("nao")
    bent = {**robot.parameters.stand, "left_knee": 1.0}
    for posture in (robot.parameters.stand, bent):
        poses = robot.poses(posture)
        soles = [poses[foot.link][2, 3] - foot.depth for foot in robot.parameters.feet.values()]
        assert min(soles) + standing_height(robot, posture) == pytest.approx(0.0, abs=1e-15)


def test_a_robot_that_is_held_in_a_plane_is_refused() -> None:
    with pytest.raises(RobotError, match="held in a plane"):
        model_text(load_robot("ar601m_planar"), "left", (0.0, 0.0, 0.0))
