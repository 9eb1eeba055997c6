"""Motions stored as files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from humanoid_description import RobotError, load_robot
from humanoid_description.follower import TrajectoryFollower
from humanoid_gait.motion_file import load_motion, motion_names

ROBOT = load_robot("fibo_km")
YAML = """
name: nod
robot: fibo_km
summary: looks down and up again
source: test
points:
  - {time: [0.5, s], angles: [{head_pitch: 30, left_elbow: -10}, deg]}
  - {time: [0.8, s]}
  - {time: [1.5, s], angles: [{head_pitch: 0}, deg], speeds: [{head_pitch: -20}, deg/s]}
"""
XML = """
<motion name="nod" robot="fibo_km" summary="looks down and up again" interpolation="cubic">
  <point time="0.5"><joint name="head_pitch" angle="30"/><joint name="left_elbow" angle="-10"/></point>
  <point time="0.8"/>
  <point time="1.5"><joint name="head_pitch" angle="0" speed="-20"/></point>
</motion>
"""


def written(folder: Path, text: str, name: str = "nod.yaml") -> Path:
    file = folder / name
    file.write_text(text)
    return file


@pytest.mark.parametrize(("text", "name"), [(YAML, "nod.yaml"), (XML, "nod.xml")])
def test_both_forms_say_the_same(tmp_path: Path, text: str, name: str) -> None:
    motion = load_motion(ROBOT, written(tmp_path, text, name))
    assert (motion.name, motion.summary, motion.interpolation) == ("nod", "looks down and up again", "cubic")
    trajectory = motion.trajectory
    assert trajectory.joint_names == ("head_pitch", "left_elbow")
    np.testing.assert_allclose(trajectory.times, [0.5, 0.8, 1.5])
    np.testing.assert_allclose(np.degrees(trajectory.positions), [[30, -10], [30, -10], [0, -10]])
    assert trajectory.velocities is not None
    np.testing.assert_allclose(np.degrees(trajectory.velocities), [[0, 0], [0, 0], [-20, 0]], atol=1e-12)


def test_a_follower_plays_it(tmp_path: Path) -> None:
    motion = load_motion(ROBOT, written(tmp_path, YAML))
    follower = TrajectoryFollower(ROBOT.joint_names, np.zeros(ROBOT.dof), motion.interpolation)
    follower.follow(motion.trajectory, now=2.0)
    nods = [np.degrees(follower.target(2.0 + time)[0][1]) for time in (0.0, 0.25, 0.6, 9.0)]
    np.testing.assert_allclose(nods, [0, 15, 30, 0], atol=1e-9)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        (
            "head_pitch: 30",
            "head_pich: 30",
            r"points\[0\]: joint 'head_pich' does not exist. Did you mean 'head_pitch'",
        ),
        ("head_pitch: 30", "head_pitch: 90", r"points\[0\].angles.head_pitch: is 90.0 degrees, outside its range"),
        ("[0.8, s]", "[0.4, s]", r"points\[1\].time: is 0.4 s, not after 0.5 s"),
        ("[0.8, s]", "[0.8, ms]", r"points\[1\].time: has the unit 'ms'"),
        ("speeds: [{head_pitch: -20}", "speeds: [{head_pitch: -2000}", "faster than its servo"),
        ("robot: fibo_km", "robot: nao", "is 'nao', not fibo_km"),
        ("name: nod", "name: nod\ninterpolation: square", "is 'square'"),
        ("name: nod", "name: nod\nspeed: 3", "is not a known key"),
    ],
)
def test_a_mistake_in_yaml_is_named(tmp_path: Path, old: str, new: str, problem: str) -> None:
    assert old in YAML
    file = written(tmp_path, YAML.replace(old, new))
    with pytest.raises(RobotError, match=problem) as error:
        load_motion(ROBOT, file)
    assert str(file) in str(error.value)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('angle="30"', 'angel="30"', "'angel' is not known. Did you mean 'angle'"),
        ('angle="30"', "", "'angle' is missing"),
        ('angle="30"', 'angle="x"', r"point\[0\]: angle of head_pitch: is 'x'"),
        ("<point time", "<pose time", "not valid XML"),
        ("</motion>", "<joint/></motion>", "<joint> stands where <point> is due"),
        ('name="left_elbow"', 'name="head_pitch"', "names head_pitch twice"),
        ('time="0.8"', 'time="nan"', r"point\[1\]: time: is 'nan'"),
        ('"cubic"', '"cubik"', "Did you mean 'cubic'"),
    ],
)
def test_a_mistake_in_xml_is_named(tmp_path: Path, old: str, new: str, problem: str) -> None:
    assert old in XML
    file = written(tmp_path, XML.replace(old, new, 1), "nod.xml")
    with pytest.raises(RobotError, match=problem) as error:
        load_motion(ROBOT, file)
    assert str(file) in str(error.value)


def test_an_unknown_or_empty_motion_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RobotError, match="Did you mean 'bow'"):
        load_motion(ROBOT, "bows")
    with pytest.raises(RobotError, match="points: are none"):
        load_motion(ROBOT, written(tmp_path, YAML.split("points:")[0] + "points: []"))
    with pytest.raises(RobotError, match=r"neither \.yaml nor \.xml"):
        load_motion(ROBOT, written(tmp_path, YAML, "nod.txt"))


def test_every_motion_of_the_suite_can_be_loaded() -> None:
    assert set(motion_names(ROBOT)) >= {"bow", "wave", "squat", "kick", "stand_up_from_front", "stand_up_from_back"}
    for name in motion_names(ROBOT):
        assert load_motion(ROBOT, name).name == name
