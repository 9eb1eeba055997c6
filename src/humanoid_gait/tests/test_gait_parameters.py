"""Gaits: derived, written, read, refused."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from humanoid_description import RobotError, load_robot, robot_names
from humanoid_gait.gait_parameters import GaitParameters, derived_gait, load_gait, read_gait, write_gait


@pytest.mark.parametrize("name", ["fibo_km", "nao", "ar601m"])
def test_every_robot_has_a_gait(name: str) -> None:
    robot = load_robot(name)
    assert isinstance(load_gait(robot), GaitParameters)
    foot = robot.parameters.feet["left"]
    assert derived_gait(robot).stance >= foot.left + foot.right


def test_a_gait_is_read_as_it_was_written(tmp_path: Path) -> None:
    gait = dataclasses.replace(derived_gait(load_robot("nao")), step_time=0.25, lift=0.03, stance=0.1, lead=0.125)
    write_gait(tmp_path / "gait.yaml", gait, "a test")
    read = read_gait(tmp_path / "gait.yaml")
    assert dataclasses.astuple(read) == pytest.approx(dataclasses.astuple(gait), rel=1e-5)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("lift: [0.03,", "lift: [-0.03,", "lift"),
        ("lift: [0.03,", "lfit: [0.03,", "lift"),
        ('lift: [0.03, "m"]', 'lift: [0.03, "s"]', "lift"),
        ("lift: [0.03,", "lift: [.nan,", "lift"),
    ],
)
def test_a_bad_gait_is_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    file = tmp_path / "gait.yaml"
    write_gait(file, dataclasses.replace(derived_gait(load_robot("nao")), lift=0.03), "a test")
    assert old in file.read_text()
    file.write_text(file.read_text().replace(old, new))
    with pytest.raises(RobotError, match=message) as caught:
        read_gait(file)
    assert str(file) in str(caught.value)


def test_values_out_of_range_are_refused() -> None:
    with pytest.raises(RobotError, match="double_support is 2"):
        dataclasses.replace(derived_gait(load_robot("nao")), double_support=2.0)


def test_the_folders_gaits_are_sound() -> None:
    for name in robot_names():
        file = load_robot(name).folder / "gait.yaml"
        if file.exists():
            read_gait(file)
