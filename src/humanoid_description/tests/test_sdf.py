"""SDF text for Gazebo."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import pytest

from humanoid_description import Robot, load_robot, robot_names


@pytest.mark.parametrize("name", robot_names())
def test_gazebo_accepts_our_sdf(name: str, robots: dict[str, Robot], tmp_path: Path, tool: Callable[..., str]) -> None:
    file = tmp_path / "robot.sdf"
    file.write_text(robots[name].sdf)
    assert "Valid" in tool("ign", "sdf", "-k", str(file))


@pytest.mark.parametrize("name", robot_names())
def test_gazebo_converts_our_urdf(
    name: str, robots: dict[str, Robot], tmp_path: Path, tool: Callable[..., str]
) -> None:
    urdf, converted = tmp_path / "robot.urdf", tmp_path / "converted.sdf"
    urdf.write_text(robots[name].urdf)
    converted.write_text(tool("ign", "sdf", "-p", str(urdf)))
    assert "Valid" in tool("ign", "sdf", "-k", str(converted))


@pytest.mark.parametrize("name", robot_names())
def test_it_says_what_the_urdf_says(name: str, robots: dict[str, Robot]) -> None:
    robot = robots[name]
    model = ET.fromstring(robot.sdf).find("model")
    assert model is not None
    assert [link.get("name") for link in model.findall("link")] == list(robot.inertials)
    masses = [float(mass.text or "nan") for mass in model.iterfind("link/inertial/mass")]
    assert masses == [inertial.mass for inertial in robot.inertials.values()]
    for joint in model.findall("joint[@type='revolute']"):
        urdf = robot.base_model.joints[joint.get("name", "")]
        limits = [float(joint.findtext(f"axis/limit/{key}", "nan")) for key in ("lower", "upper", "effort", "velocity")]
        assert limits == [urdf.lower, urdf.upper, urdf.effort, urdf.velocity]
        assert [float(x) for x in joint.findtext("axis/xyz", "").split()] == list(urdf.axis)


def test_a_payload_is_in_it() -> None:
    loaded = ET.fromstring(load_robot("fibo_km", ["torso:0.5:0,0,0.1"]).sdf)
    assert loaded.findtext("model/link[@name='torso']/inertial/mass") == repr(1.725)
