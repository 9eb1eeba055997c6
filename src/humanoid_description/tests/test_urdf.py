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

from humanoid_description import Robot, RobotError, inertial, load_robot, robot_names
from humanoid_description.urdf import parse_urdf, pose_of, rewrite_urdf

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
    origin = ET.Element("origin", xyz="1 2 3", rpy=f"{roll!r} {pitch!r} {yaw!r}")
    turns = [np.zeros(4) for _ in range(3)]
    for quaternion, axis, about in zip(turns, np.eye(3), (roll, pitch, yaw), strict=True):
        mujoco.mju_axisAngle2Quat(quaternion, axis, about)
    whole, half = np.zeros(4), np.zeros(4)
    mujoco.mju_mulQuat(half, turns[2], turns[1])
    mujoco.mju_mulQuat(whole, half, turns[0])
    expected = np.zeros(9)
    mujoco.mju_quat2Mat(expected, whole)
    np.testing.assert_allclose(pose_of(origin)[:3, :3].ravel(), expected, atol=1e-12)
    np.testing.assert_array_equal(pose_of(origin)[:3, 3], [1, 2, 3])


@given(st.floats(0.01, 5), st.tuples(angle, angle, angle), st.tuples(*[st.floats(0.5, 1)] * 3), angle)
def test_written_inertials_read_back_to_the_last_bit(
    robots: dict[str, Robot],
    mass: float,
    com: tuple[float, float, float],
    moments: tuple[float, float, float],
    turn: float,
) -> None:
    rotation = np.array([[np.cos(turn), -np.sin(turn), 0], [np.sin(turn), np.cos(turn), 0], [0, 0, 1]])
    tensor = rotation @ np.diag(moments) @ rotation.T
    new = inertial(mass, com, (tensor + tensor.T) / 2)
    text = rewrite_urdf(robots["ar601m_planar"].urdf, {"torso": new}, ())
    assert parse_urdf(text, "test").inertials["torso"] == new


def test_the_text_names_no_place_on_this_machine(robots: dict[str, Robot]) -> None:
    for robot in robots.values():
        assert str(robot.folder) not in robot.urdf
        assert str(Path.home()) not in robot.urdf


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (r"<robot name=\"ar601m_planar\">", "<robot><", "not valid XML"),
        (r"<parent link=\"torso\"", '<parent link="trunk"', "its link 'trunk' does not exist"),
        (r"type=\"revolute\"", 'type="prismatic"', "has the type 'prismatic'"),
        (r"<limit [^>]*>", "", "has no <limit>"),
        (r"effort=\"\d+\"", "", "'effort'"),
        (r"<mass value=\"17\" ?/>", '<mass value="heavy"/>', "heavy"),
        (r"<mass value=\"17\" ?/>", "", "has no <mass>"),
        (r"<box [^>]*>", "<mesh/>", "none of these"),
        (r"</robot>", '<link name="loose"/></robot>', "loose"),
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


def test_a_mistake_in_the_xacro_is_named(own_robot: Path, edit: Callable[[Path, str, str], None]) -> None:
    edit(own_robot / "robot.urdf.xacro", "${n.foot_mass}", "${n.fot_mass}")
    with pytest.raises(RobotError, match=r"robot\.urdf\.xacro: xacro cannot expand it: .*fot_mass"):
        load_robot(own_robot)
