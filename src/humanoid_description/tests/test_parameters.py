"""robot.yaml: what a user may get wrong, each with one clear error."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from humanoid_description import Robot, RobotError, load_robot

Edit = Callable[[Path, str, str], None]

MISTAKES = {
    "unknown key": ("summary:", "sumary:", r"robot\.yaml: summary: is missing"),
    "extra key": (
        "base: free",
        "base: free\nbse: free",
        r"robot\.yaml: bse: is not a known key\. Did you mean 'base'\?",
    ),
    "extra key below": (
        "model: RX-28",
        "model: RX-28\n    torque: 3",
        r"robot\.yaml: servos\.rx28\.torque: is not a known key\. Did you mean 'stall_torque'\?",
    ),
    "misspelt joint": ("  left_knee:", "  left_kne:", r"robot\.yaml: joints\.left_knee: is missing"),
    "joint too many": (
        "  left_knee:",
        "  tail: {servo: rx28, id: 77, range: [[0, 1], deg], source: mine}\n  left_knee:",
        r"robot\.yaml: joints\.tail: the URDF has no such joint",
    ),
    "law without its numbers": ("law: dynamixel_rx", "law: pd", r"servos\.rx28\.stiffness: is missing"),
    "slope of zero": ("compliance_slope: [9.375, deg", "compliance_slope: [0, deg", r"compliance_slope: is zero"),
    "wrong unit": (
        "front: [0.035, m,",
        "front: [3.5, cm,",
        r"feet\.left\.front: has the unit 'cm'\. Convert .* unit m\.",
    ),
    "wrong dimension": ("zero: [0, deg]", "zero: [0, m]", r"joints\.head_yaw\.zero: has the unit 'm'.*rad or deg"),
    "unknown unit of a number": (
        "foot_mass: [0.065, kg,",
        "foot_mass: [65, g,",
        r"numbers\.foot_mass: has the unit 'g'",
    ),
    "duplicate servo id": (
        "id: 20,",
        "id: 19,",
        r"joints\.head_pitch\.id: has the servo id 19, which head_yaw has too",
    ),
    "impossible servo id": (
        "id: 20,",
        "id: 254,",
        r"joints\.head_pitch\.id: is 254\. Write a whole number from 0 to 252",
    ),
    "unknown servo": ("servo: rx64", "servo: rx46", r"servo: is 'rx46'\. Did you mean 'rx64'\?"),
    "reversed range": (
        "range: [[-90, 90], deg]",
        "range: [[90, -90], deg]",
        r"head_yaw\.range: has its lower end above",
    ),
    "sign of zero": ("sign: 1", "sign: 0", r"head_yaw\.sign: is 0"),
    "negative stiffness": ("[5.3e+4, N/m", "[-5.3e+4, N/m", r"contact\.normal_stiffness: has the value -53000"),
    "unknown law": ("law: linear", "law: lineal", r"contact\.law: is 'lineal'\. Did you mean 'linear'\?"),
    "exponent of a linear law": (
        "law: linear",
        'law: linear\n  exponent: [1.5, "1", mine]',
        r"contact\.exponent: is given, but a linear contact has none",
    ),
    "exponent below one": (
        "law: linear",
        'law: hunt_crossley\n  exponent: [0.5, "1", mine]',
        r"contact\.exponent: has the value 0\.5\. In SI units it must be from 1 to 3",
    ),
    "unknown imu link": (
        "imu:\n  link: torso",
        "imu:\n  link: trso",
        r"imu\.link: the URDF has no link 'trso'\. Did you mean 'torso'",
    ),
    "unknown leg link": (
        "left_leg: [left_hip_1,",
        "left_leg: [left_hip_9,",
        r"three_mass\.left_leg: the URDF has no link",
    ),
    "link in both legs": ("right_leg: [right_hip_1", "right_leg: [left_hip_1", "left_hip_1 is named twice"),
    "link twice in a leg": ("right_leg: [right_hip_1", "right_leg: [right_foot", "right_foot is named twice"),
    "leg without links": (
        "left_leg: [left_hip_1, left_hip_2, left_thigh, left_shank, left_ankle, left_foot]",
        "left_leg: []",
        "a leg or the body has no link",
    ),
    "name that no format takes": ("name: fibo_km", "name: a::b", r"name: is 'a::b'"),
    "mass that is a length": (
        "torso_mass: [1.225, kg",
        "torso_mass: [1.225, m",
        r"numbers\.torso_mass: has the unit 'm'",
    ),
    "base 60": ("torso_mass: [1.225, kg", "torso_mass: [1:30, kg", r"numbers\.torso_mass: has the value '1:30'"),
    "huge": ("torso_mass: [1.225, kg", f"torso_mass: [{'9' * 400}, kg", r"numbers\.torso_mass: has the value"),
    "no date": ("head_radius: [0.03", "head_radius: [2020-13-45", "is not valid YAML"),
    "5000 digits": ("id: 20,", f"id: {'9' * 5000},", "is not valid YAML"),
    "odd tag": ("id: 20,", "id: !!float abc,", "is not valid YAML"),
    "negative side": ("torso_size: [[0.0929", "torso_size: [[-0.0929", r"link torso: <visual>: <box>: has the size"),
    "no radius": ("head_radius: [0.03", "head_radius: [0.0", r"link head: <visual>: <sphere>: has the size"),
    "number as key": ("  rx64:", "  64:", r"servos\.64: is not a name"),
    "number as joint": ("angles: [{}, deg]", "angles: [{1: 2}, deg]", r"stand\.angles\.1: is not a name"),
    "list as key": ("base: free", "base: free\n? [a, b]\n: 3", "a key is a list or mapping"),
    "unit that is a number": (
        'friction: [1, "1"',
        "friction: [1, 1",
        r"friction: has the unit 1, .* in quotes, one of: 1",
    ),
    "zero outside the range": (
        "range: [[-90, 90], deg]",
        "range: [[10, 90], deg]",
        r"angles\.head_yaw: is zero, outside",
    ),
    "unknown payload link": (
        "{link: torso, mass:",
        "{link: tors, mass:",
        r"payloads\.scenario_c: the URDF has no link 'tors'",
    ),
    "weightless payload": (
        "mass: [0.2, kg]",
        "mass: [0, kg]",
        r"payloads\.scenario_c\.parts\[0\]\.mass: has the value 0",
    ),
    "stand beyond the range": (
        "angles: [{}, deg]",
        "angles: [{left_knee: 170}, deg]",
        r"angles\.left_knee: lies outside",
    ),
    "stand of no joint": ("angles: [{}, deg]", "angles: [{left_kne: 10}, deg]", r"left_kne: is not a joint"),
    "source left out": (
        'foot_height: [0.01, m, "assumed: plate and bracket"]',
        "foot_height: [0.01, m]",
        r"numbers\.foot_height: has no source",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_in_robot_yaml_is_one_clear_error(own_robot: Path, edit: Edit, mistake: str) -> None:
    old, new, message = MISTAKES[mistake]
    edit(own_robot / "robot.yaml", old, new)
    with pytest.raises(RobotError, match=message) as caught:
        load_robot(own_robot)
    assert str(own_robot) in str(caught.value)


def test_a_contact_may_have_an_exponent(own_robot: Path, edit: Edit) -> None:
    assert load_robot(own_robot).parameters.contact.exponent == 1.0
    edit(own_robot / "robot.yaml", "law: linear", 'law: hunt_crossley\n  exponent: [1.5, "1", mine]')
    assert load_robot(own_robot).parameters.contact.exponent == 1.5


def test_a_joint_without_its_line_is_named(own_robot: Path) -> None:
    file = own_robot / "robot.yaml"
    file.write_text("".join(line for line in file.read_text().splitlines(keepends=True) if "left_knee:" not in line))
    with pytest.raises(RobotError, match=r"robot\.yaml: joints\.left_knee: is missing, but the URDF has this joint"):
        load_robot(own_robot)


def test_every_number_of_every_robot_has_a_source(robots: dict[str, Robot]) -> None:
    for robot in robots.values():
        sources = robot.parameters.sources
        assert {f"numbers.{name}" for name in robot.parameters.numbers} < set(sources)
        for place, source in sources.items():
            assert source.startswith(("seed 00", "assumed: ", "chosen: ", "ROBOTIS ")), (
                f"{robot.name} {place}: {source}"
            )


def test_values_are_in_si_units(robots: dict[str, Robot]) -> None:
    parameters = robots["fibo_km"].parameters
    assert parameters.joints["left_hip_yaw"].upper == pytest.approx(1.0471975512)
    assert parameters.servos["rx28"].resolution == pytest.approx(300 / 1024 * 3.14159265358979 / 180)
    assert parameters.feet["left"].corners_in_foot[0] == (0.035, 0.0425, -0.031)
