"""Strict reading of YAML."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from humanoid_description.errors import RobotError
from humanoid_description.strict_yaml import Section, read_yaml


def section(tmp_path: Path, text: str) -> Section:
    file = tmp_path / "file.yaml"
    file.write_text(text)
    return read_yaml(file)


def test_quantities_come_out_in_si_with_their_source(tmp_path: Path) -> None:
    top = section(
        tmp_path,
        'mass: [2, kg, "a scale"]\nknee: {range: [[0, 180], deg], source: "a protractor"}\nspeed: [180, deg/s, "x"]\n',
    )
    assert top.number("mass", "mass") == 2.0
    assert top.section("knee").vector("range", "angle", 2) == pytest.approx((0.0, math.pi))
    assert top.number("speed", "angular speed") == pytest.approx(math.pi)
    assert top.sources == {"mass": "a scale", "knee.range": "a protractor", "speed": "x"}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("3", r"mass: is 3\. Write \[value, unit"),
        ("[3, kg]", "mass: has no source"),
        ('[3, kg, ""]', "mass: has no source"),
        ('[300, g, "scale"]', r"mass: has the unit 'g'\. Convert the value and write the unit kg"),
        ('[3, m, "scale"]', "mass: has the unit 'm'"),
        ('[3e6, kg, "scale"]', r"not read as a number.*1\.0e\+6"),
        ('[.nan, kg, "scale"]', "finite number"),
        ('[-3, kg, "scale"]', "must be at least 0"),
        ('["3", kg, "scale"]', "not read as a number"),
        ('[true, kg, "scale"]', "not read as a number"),
        ("", r"mass: is empty"),
    ],
)
def test_a_bad_quantity_is_one_clear_error(tmp_path: Path, row: str, message: str) -> None:
    top = section(tmp_path, f"mass: {row}\n")
    with pytest.raises(RobotError, match=rf"file\.yaml: .*{message}"):
        top.number("mass", "mass", low=0.0) if "finite" not in message else top.number("mass", "mass")


def test_unknown_and_missing_and_repeated_keys_are_errors(tmp_path: Path) -> None:
    top = section(tmp_path, "inner: {mas: 1}\n")
    inner = top.section("inner")
    with pytest.raises(RobotError, match=r"inner\.mass: is missing"):
        inner.number("mass", "mass")
    with pytest.raises(RobotError, match=r"inner\.mas: is not a known key\. Did you mean 'mass'\?"):
        inner.finish()
    with pytest.raises(RobotError, match="'mass' appears twice"):
        section(tmp_path, "mass: 1\nmass: 2\n")


@pytest.mark.parametrize("text", ["[1, 2]", "", "{a: [}", "\tx: 1"])
def test_what_is_no_mapping_is_an_error_that_names_the_file(tmp_path: Path, text: str) -> None:
    with pytest.raises(RobotError, match=r"file\.yaml: "):
        section(tmp_path, text)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(RobotError, match=r"none\.yaml: there is no such file"):
        read_yaml(tmp_path / "none.yaml")


def test_bytes_that_are_no_text_are_an_error(tmp_path: Path) -> None:
    file = tmp_path / "binary.yaml"
    file.write_bytes(b"\xff\xfe\x00\x80")
    with pytest.raises(RobotError, match=r"binary\.yaml"):
        read_yaml(file)


def test_a_plain_number_has_bounds_and_no_unit(tmp_path: Path) -> None:
    file = tmp_path / "file.yaml"
    file.write_text("share: 0.5\nbad: [1, m]\n")
    top = read_yaml(file)
    assert top.plain_number("share", 0.0, 1.0) == 0.5
    with pytest.raises(RobotError, match=r"from 0 to 0\.4"):
        top.plain_number("share", 0.0, 0.4)
    with pytest.raises(RobotError, match="does not read as a number"):
        top.plain_number("bad", 0.0, 1.0)
