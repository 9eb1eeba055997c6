"""Sets of fall tests, and the postures in which a robot starts them.

Both feet can only be tipped forwards and backwards: sideways, the loaded foot rolls while the other still carries.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import brentq

from humanoid_adapt.fall_test import FallTest
from humanoid_adapt.foot_frame import FootFrame
from humanoid_adapt.limbs import as_array, leg_joint, limb_joint, ramp_vector, sign
from humanoid_adapt.tipping import Tipping
from humanoid_description import Robot, RobotError
from humanoid_description.errors import did_you_mean

INSIDE = 0.025
"""m inside the edge at which a test starts by the model: more than a load of 0.3 kg and droop can take away."""
LIFT = math.radians(50)
"""How far the thigh of the swing leg is raised; the knee is bent by twice as much, so that the foot is 8 cm up."""
OUTWARDS = {"left": 1.0, "right": -1.0}
"""Sign of a leg's turn about x or z by which its foot goes outwards."""


@dataclass(frozen=True)
class Shape:
    """Posture of a test in words: turns about REP 103 axes, degrees."""

    arms: Mapping[str, tuple[str, float]] = field(default_factory=dict)
    """Per side: 'pitch' or 'roll' and its angle."""
    torso_pitch: float = 0.0
    """Of the torso, forwards positive."""
    torso_yaw: float = 0.0
    """Of the torso above the one foot that carries it, to the left positive."""
    head_yaw: float = 0.0
    """To the left positive."""
    swing_pitch: float = 0.0
    """Further turn of the swing leg, back positive."""
    swing_roll: float = 0.0
    """Turn of the swing leg outwards."""
    swing_yaw: float = 0.0
    """Turn of its toes outwards."""
    lean: float = 0.0
    """Of a test without a fall: how far in front of its foot's middle the centre of mass shall be, m."""


Row = tuple[str, str, Shape]
"""Support, direction and posture of a test."""


def _mirrored(row: Row) -> Row:
    """The same test with left and right exchanged."""
    support, direction, shape = row
    other = {"left": "right", "right": "left"}
    arms = {other[side]: (turn, -angle if turn == "roll" else angle) for side, (turn, angle) in shape.arms.items()}
    turned = dataclasses.replace(shape, arms=arms, torso_yaw=-shape.torso_yaw, head_yaw=-shape.head_yaw)
    return other[support], other.get(direction, direction), turned


UP = {"left": ("pitch", -150.0), "right": ("pitch", -150.0)}
FORWARD = {"left": ("pitch", -90.0), "right": ("pitch", -90.0)}
BACK = {"left": ("pitch", 80.0), "right": ("pitch", 80.0)}
OUT = {"left": ("roll", 90.0), "right": ("roll", -90.0)}
FORWARD_AND_OUT = {"left": ("pitch", -90.0), "right": ("roll", -90.0)}
OUT_AND_FORWARD = {"left": ("roll", 90.0), "right": ("pitch", -90.0)}
UP_AND_BACK = {"left": ("pitch", -150.0), "right": ("pitch", 80.0)}
BACK_AND_UP = {"left": ("pitch", 80.0), "right": ("pitch", -150.0)}
"""Arms; where two are named, the left one first."""
_SIX = (
    ("both", "forward", Shape()),
    ("both", "backward", Shape()),
    ("left", "left", Shape()),
    ("left", "right", Shape()),
    ("right", "left", Shape()),
    ("right", "right", Shape()),
)
_NINE = (
    *_SIX,
    ("left", "forward", Shape(swing_pitch=25.0)),
    ("right", "forward", Shape(swing_pitch=-25.0)),
    ("both", "forward", Shape(torso_pitch=30.0)),
)
# Every posture another one: a load moves with its limb, an error of the drawing with its own. What lies near a joint is
# told from the torso only when that joint turns, so head and legs turn about the vertical too.
_ON_BOTH = (
    ("both", "forward", Shape(arms=BACK, torso_pitch=30.0, head_yaw=-80.0)),
    ("both", "backward", Shape(arms=BACK, torso_pitch=-25.0, head_yaw=80.0)),
    ("both", "backward", Shape(arms=FORWARD, torso_pitch=30.0, head_yaw=80.0)),
    ("both", "backward", Shape(arms=FORWARD, torso_pitch=-25.0, head_yaw=-80.0)),
)
_ON_LEFT = (
    ("left", "forward", Shape(arms=BACK_AND_UP, head_yaw=-80.0, swing_pitch=-25.0, swing_roll=25.0)),
    ("left", "forward", Shape(arms=BACK_AND_UP, torso_yaw=-40.0, swing_roll=25.0, swing_yaw=45.0)),
    (
        "left",
        "backward",
        Shape(arms=FORWARD_AND_OUT, torso_yaw=-40.0, head_yaw=80.0, swing_pitch=25.0, swing_roll=25.0),
    ),
    ("left", "backward", Shape(arms=BACK, torso_yaw=40.0, swing_pitch=25.0, swing_roll=25.0, swing_yaw=45.0)),
)
_TWELVE = (*_ON_BOTH, *_ON_LEFT, *map(_mirrored, _ON_LEFT))
# The same in rest, without any fall, leaning forwards and backwards so that the height tells.
_COP = (
    *(("both", "none", Shape(arms=arms, lean=lean)) for arms in (UP, BACK, OUT_AND_FORWARD) for lean in (0.03, -0.03)),
    *(("both", "none", Shape(torso_pitch=pitch, lean=lean)) for pitch in (30.0, -25.0) for lean in (0.02, -0.02)),
    *((side, "none", Shape(arms=OUT, swing_pitch=pitch)) for side in ("left", "right") for pitch in (-25.0, 25.0)),
    *((side, "none", Shape(arms=UP_AND_BACK, swing_roll=15.0)) for side in ("left", "right")),
)
PROTOCOLS = {"paper": _SIX[:2], "6": _SIX, "9": _NINE, "12": _TWELVE, "cop": _COP}
"""Supports, directions and postures; 'paper' ramps from standing, as seed 000 does; in 'cop' nobody falls."""
HELD_OUT = (
    ("left", "forward", Shape(arms={"left": ("pitch", -60.0), "right": ("pitch", -60.0)})),
    ("right", "backward", Shape()),
    ("left", "left", Shape(swing_roll=15.0)),
    ("both", "backward", Shape(torso_pitch=15.0)),
)
"""Tests that no protocol contains, for judging a model."""


def protocol(robot: Robot, name: str) -> tuple[FallTest, ...]:
    """Tests of a protocol in postures for a robot; what it has no joints for is left out."""
    if name not in PROTOCOLS:
        raise RobotError(f"protocol '{name}': does not exist. {did_you_mean(name, PROTOCOLS)}")
    return tests_for(robot, PROTOCOLS[name], inside=None if name == "paper" else INSIDE)


def held_out(robot: Robot) -> tuple[FallTest, ...]:
    """Tests that no protocol contains."""
    return tests_for(robot, HELD_OUT, INSIDE)


def tests_for(robot: Robot, rows: tuple[Row, ...], inside: float | None) -> tuple[FallTest, ...]:
    """Tests with their postures; each starts `inside` m within the edge by the model, or from standing if None."""
    tests: list[FallTest] = []
    for support, direction, shape in rows:
        count = sum(test.support == support and test.direction == direction for test in tests)
        name = f"{support}_{direction}" + (f"_{count + 1}" if count else "")
        waypoints = () if inside is None else _waypoints(robot, support, direction, shape, inside)
        tests.append(FallTest(name, support, direction, waypoints or (dict(robot.parameters.stand),)))
    return tuple(tests)


def _waypoints(
    robot: Robot, support: str, direction: str, shape: Shape, inside: float
) -> tuple[Mapping[str, float], ...]:
    test = FallTest("", support, direction)
    posture = dict(robot.parameters.stand)
    for segment, turn, degrees in _limb_turns(test, shape):
        joint = limb_joint(robot, segment, turn)
        if joint is not None:
            _turn(robot, posture, joint, turn, degrees)
    for side in robot.parameters.feet:
        _turn(robot, posture, leg_joint(robot, side, "hip_pitch"), "pitch", -shape.torso_pitch)
    if not test.falls and test.swing_foot is None:
        foot = robot.parameters.feet["left"]
        forwards = FallTest("", support, "forward")
        # Seen from the front edge, the middle of the foot is half its length inside.
        return (_leaning(robot, posture, forwards, (foot.front + foot.rear) / 2 - shape.lean),)
    if test.swing_foot is None:
        return (_leaning(robot, posture, test, inside),)
    # First over the foot, both feet flat; then the other foot is raised; then towards the edge.
    swayed = _swayed(robot, dict(robot.parameters.stand), support)
    posture = _swayed(robot, _lifted(robot, posture, test.swing_foot, shape), support)
    return (swayed, posture, _leaning(robot, posture, test, inside)) if test.falls else (swayed, posture)


def _limb_turns(test: FallTest, shape: Shape) -> list[tuple[str, str, float]]:
    """Turns of whole limbs against the torso: segment, turn and degrees."""
    turns = [(f"{side}_arm", turn, degrees) for side, (turn, degrees) in shape.arms.items()]
    turns.append(("head", "yaw", shape.head_yaw))
    if test.swing_foot is not None:
        turns.append((f"{test.support}_leg", "yaw", -shape.torso_yaw))
        turns.append((f"{test.swing_foot}_leg", "yaw", OUTWARDS[test.swing_foot] * shape.swing_yaw))
    return turns


def _turn(robot: Robot, posture: dict[str, float], joint: str, turn: str, degrees: float) -> None:
    """Turn the outer link of a joint about a REP 103 axis, as far as its range allows."""
    limits = robot.parameters.joints[joint]
    angle = posture.get(joint, 0.0) + sign(robot, joint, turn) * math.radians(degrees)
    posture[joint] = float(np.clip(angle, limits.lower, limits.upper))


def _lifted(robot: Robot, posture: Mapping[str, float], swing: str, shape: Shape) -> dict[str, float]:
    """The swing leg bent so that its foot is in the air, level with the ground."""
    lifted = dict(posture)
    bend = math.degrees(LIFT)
    _turn(robot, lifted, leg_joint(robot, swing, "hip_pitch"), "pitch", -bend + shape.swing_pitch)
    _turn(robot, lifted, leg_joint(robot, swing, "knee"), "pitch", 2 * bend)
    _turn(robot, lifted, leg_joint(robot, swing, "ankle_pitch"), "pitch", -bend - shape.swing_pitch)
    _turn(robot, lifted, leg_joint(robot, swing, "hip_roll"), "roll", OUTWARDS[swing] * shape.swing_roll)
    return lifted


def _swayed(robot: Robot, posture: Mapping[str, float], support: str) -> dict[str, float]:
    """Hips shifted sideways, torso upright, until the centre of mass is above the middle of the support foot."""
    frame = FootFrame(robot, support)
    middle = (frame.foot.left - frame.foot.right) / 2

    def shifted(degrees: float) -> dict[str, float]:
        swayed = dict(posture)
        for side in robot.parameters.feet:
            for part, turn in (("ankle_roll", degrees), ("hip_roll", -degrees)):
                _turn(robot, swayed, leg_joint(robot, side, part), "roll", turn)
        return swayed

    def off_middle(degrees: float) -> float:
        return float(frame.com(as_array(robot, shifted(degrees)))[0][1] - middle)

    if off_middle(-30.0) * off_middle(30.0) > 0:
        raise RobotError(f"{robot.name}: its hips cannot be shifted above its {support} foot. Use protocol 'paper'.")
    return shifted(float(brentq(off_middle, -30.0, 30.0, xtol=1e-6)))


def _leaning(robot: Robot, posture: Mapping[str, float], test: FallTest, inside: float) -> dict[str, float]:
    """Leaning over the ankles so that the centre of mass is a distance (m) inside the edge."""
    angles, ramp = as_array(robot, posture), ramp_vector(robot, test.support_feet, test.direction)
    tipping = Tipping(robot)

    def short_of_start(angle: float) -> float:
        return tipping.beyond_edge(test, angles + angle * ramp) + inside

    if short_of_start(-1.0) * short_of_start(1.0) > 0:
        raise RobotError(f"{robot.name}: cannot lean {test.direction} far enough in this posture.")
    leaning = angles + float(brentq(short_of_start, -1.0, 1.0, xtol=1e-6)) * ramp
    return dict(zip(robot.joint_names, leaning.tolist(), strict=True))
