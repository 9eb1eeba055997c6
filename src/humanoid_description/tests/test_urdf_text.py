"""URDF text: expansion and rewriting."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from humanoid_description import Robot, RobotError, inertial, load_robot
from humanoid_description.urdf import parse_urdf
from humanoid_description.urdf_text import rewrite_urdf

angle = st.floats(-3, 3)


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


def test_a_mistake_in_the_xacro_is_named(own_robot: Path, edit: Callable[[Path, str, str], None]) -> None:
    edit(own_robot / "robot.urdf.xacro", "${n.foot_mass}", "${n.fot_mass}")
    with pytest.raises(RobotError, match=r"robot\.urdf\.xacro: xacro cannot expand it: .*fot_mass"):
        load_robot(own_robot)
