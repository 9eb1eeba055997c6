"""URDF text: expansion, reading, rewriting."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import mujoco
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from humanoid_description import Robot, RobotError, robot_names
from humanoid_description.urdf import parse_urdf, pose

angle = st.floats(-3, 3)


@pytest.mark.parametrize("name", robot_names())
def test_check_urdf_accepts_it(name: str, robots: dict[str, Robot], tmp_path: Path, tool: Callable[..., str]) -> None:
    file = tmp_path / "robot.urdf"
    file.write_text(robots[name].urdf)
    assert "Successfully Parsed" in tool("check_urdf", str(file))


@pytest.mark.parametrize("name", robot_names())
def test_mujoco_loads_it(name: str, robots: dict[str, Robot]) -> None:
    robot = robots[name]
    spec = mujoco.MjSpec.from_string(robot.urdf)
    spec.worldbody.first_body().add_freejoint()
    model = spec.compile()
    assert model.nv == 6 + robot.dof
    assert model.body_mass.sum() == pytest.approx(robot.mass, rel=1e-12)


@pytest.mark.parametrize("name", robot_names())
def test_links_and_joints_are_complete(name: str, robots: dict[str, Robot]) -> None:
    """Every link has inertia, look and touch from primitives; every servo joint has all its limits and an axis."""
    for link in ET.fromstring(robots[name].urdf).findall("link"):
        assert [child.tag for child in link][:1] == ["inertial"]
        for part in ("visual", "collision"):
            shapes = [shape for geometry in link.iterfind(f"{part}/geometry") for shape in geometry]
            assert shapes, f"{link.get('name')} has no {part}"
            assert {shape.tag for shape in shapes} <= {"box", "cylinder", "sphere"}
    for joint in robots[name].base_model.joints.values():
        if joint.kind == "revolute":
            assert joint.lower < joint.upper
            assert joint.effort > 0
            assert joint.velocity > 0
            assert np.linalg.norm(joint.axis) == pytest.approx(1, abs=1e-4)


def test_the_servo_is_three_boxes_and_two_cylinders(robots: dict[str, Robot]) -> None:
    shoulder = ET.fromstring(robots["fibo_km"].urdf).find("link[@name='left_shoulder']")
    assert shoulder is not None
    shapes = [shape.tag for geometry in shoulder.iterfind("visual/geometry") for shape in geometry]
    assert sorted(shapes) == ["box"] * 3 + ["cylinder"] * 2


@given(angle, angle, angle)
def test_rpy_turns_about_the_fixed_axes(roll: float, pitch: float, yaw: float) -> None:
    turns = [np.zeros(4) for _ in range(3)]
    for quaternion, axis, about in zip(turns, np.eye(3), (roll, pitch, yaw), strict=True):
        mujoco.mju_axisAngle2Quat(quaternion, axis, about)
    whole, half = np.zeros(4), np.zeros(4)
    mujoco.mju_mulQuat(half, turns[2], turns[1])
    mujoco.mju_mulQuat(whole, half, turns[0])
    expected = np.zeros(9)
    mujoco.mju_quat2Mat(expected, whole)
    np.testing.assert_allclose(pose(1, 2, 3, roll, pitch, yaw)[:3, :3].ravel(), expected, atol=1e-12)
    np.testing.assert_array_equal(pose(1, 2, 3, roll, pitch, yaw)[:3, 3], [1, 2, 3])


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (r"<robot name=\"ar601m_planar\">", "<robot><", "not valid XML"),
        (r"<parent link=\"torso\"", '<parent link="trunk"', "its link 'trunk' does not exist"),
        (r"type=\"revolute\"", 'type="prismatic"', "has the type 'prismatic'"),
        (r"<limit [^>]*>", "", "has no <limit>"),
        (r"effort=\"\d+\"", "", "<limit effort>: is None"),
        (r"effort=\"\d+\"", 'effort="nan"', "<limit effort>: is 'nan'"),
        (r"effort=\"\d+\"", 'effort="-1"', "effort and velocity above zero"),
        (r"<axis [^>]*>", "", "has no <axis>"),
        (r"<axis [^>]*>", '<axis xyz="0 0 0"/>', "direction of length 1"),
        (r"<axis [^>]*>", '<axis xyz="0 1"/>', "Give 3 finite numbers"),
        (r"<mass value=\"17\" ?/>", '<mass value="heavy"/>', "<mass value>: is 'heavy'"),
        (r"<mass value=\"17\" ?/>", "", "has no <mass>"),
        (r"ixy=\"0\"", "", "<inertia ixy>: is None"),
        (r"<box [^>]*>", "<mesh/>", "not one primitive"),
        (r"<box [^>]*>", "", "not one primitive"),
        (r"<box [^>]*>", '<box size="1 1"/>', "<box size>: is '1 1'"),
        (r"<sphere [^>]*>", "<sphere/>", "<sphere radius>: is None"),
        (r"<sphere [^>]*>", '<sphere radius="-1"/>', "above zero"),
        (r"xyz=\"0 0 -0.28\"", 'xyz="0 0"', "<origin xyz>: is '0 0'"),
        (r"xyz=\"0 0 -0.28\"", 'xyz="0 nan 0"', "finite"),
        (r"link name=\"head\"", 'link name="world"', "cannot have this name"),
        (r"link name=\"head\"", 'link name="a::b"', "cannot have this name"),
        (r"link name=\"head\"", 'link name="left_knee"', "appears twice"),
        (r"</robot>", '<link name="loose"/></robot>', "loose"),
        (r"<parent link=\"left_thigh\"", '<parent link="left_foot"', "in a circle: left_foot, left_shank"),
        (r"</robot>", '<link name="torso"/></robot>', "link 'torso' appears twice"),
        (r"<child link=\"head\"", '<child link="left_thigh"', "link 'left_thigh' is carried by two joints"),
    ],
)
def test_a_broken_urdf_is_one_clear_error(robots: dict[str, Robot], old: str, new: str, message: str) -> None:
    text = re.sub(r"<visual>.*?</visual>", "", robots["ar601m_planar"].urdf, flags=re.DOTALL)
    broken, count = re.subn(old, new, text, count=1)
    assert count == 1
    with pytest.raises(RobotError, match=f"my file: .*{message}"):
        parse_urdf(broken, "my file")
