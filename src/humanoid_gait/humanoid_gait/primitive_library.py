"""Walking primitives as a library (seed 003, section 3): they begin and end at rest, so that they can be joined.

A step primitive has the four phases of section 4.2: one foot goes, a pause, the other joins it, a pause. The paper asks
for zero velocity and acceleration at both ends of a primitive; the cosines of its eqs 1 and 2 start with an
acceleration. The feet here go the same ways by a polynomial that does not (`primitives.py` keeps the cosines).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from humanoid_description import Robot, RobotError
from humanoid_description.errors import did_you_mean
from humanoid_gait.leg_ik import leg_of, solve_within
from humanoid_gait.primitives import JointReference, PrimitiveParameters

Array = NDArray[np.float64]
SIDES = {"left": 1, "right": -1}
DIRECTIONS = {
    "forward": (1.0, 0.0, 0.0),
    "backward": (-1.0, 0.0, 0.0),
    "side_left": (0.0, 1.0, 0.0),
    "side_right": (0.0, -1.0, 0.0),
    "turn_left": (0.0, 0.0, 1.0),
    "turn_right": (0.0, 0.0, -1.0),
}
"""Of the step primitives: forward (m), left (m) and turn (rad) of the body per size."""
SAME_POSTURE = 1e-9
"""Greatest difference (rad) of postures that are joined."""
INSTANT, STILL, UNFORCED = 1e-5, 1e-3, 0.1
"""Time (s) within which a primitive's speed (rad/s) and acceleration (rad/s^2) at its ends must be below these."""


@dataclass(frozen=True)
class Move:
    """A primitive asked for."""

    name: str
    """'start', 'stop' or one of DIRECTIONS."""
    size: float = 0.0
    """Of a step, m or rad."""
    lead: str = "left"
    """The foot that goes first; sideways and turning it is the outer one, whatever is said."""

    def __post_init__(self) -> None:
        """Refuse what is no primitive."""
        known = ("start", "stop", *DIRECTIONS)
        if self.name not in known:
            raise RobotError(f"primitive '{self.name}': is not known. {did_you_mean(self.name, known)}")
        if not 0 <= self.size < math.inf or self.lead not in SIDES:
            raise RobotError(f"primitive '{self.name}': size {self.size}, lead {self.lead}. Give a size and a foot.")

    @property
    def displacement(self) -> tuple[float, float, float]:
        """Of the body: forward (m), left (m), turn (rad)."""
        x, y, turn = DIRECTIONS.get(self.name, (0.0, 0.0, 0.0))
        return self.size * x, self.size * y, self.size * turn


@dataclass(frozen=True)
class Primitive:
    """A primitive made for a robot."""

    move: Move
    duration: float
    """s."""
    at: Callable[[Array], Array]
    """Joint angles (rad, shape (times, joints)) at times (s) since its beginning."""


def make_primitive(robot: Robot, parameters: PrimitiveParameters, move: Move) -> Primitive:
    """A primitive for a robot; its ways are refused with RobotError where the legs cannot follow."""
    half = parameters.period + parameters.pause
    if move.name not in ("start", "stop"):
        return Primitive(move, 2 * half, lambda time: _step(robot, parameters, move, time))
    stand = np.array([robot.parameters.stand.get(name, 0.0) for name in robot.joint_names])
    ready = _posture(robot, parameters, np.zeros((1, 3)), {side: np.zeros((1, 4)) for side in SIDES})[0]
    first, last = (stand, ready) if move.name == "start" else (ready, stand)
    return Primitive(move, half, lambda time: first + np.outer(_smooth(time / parameters.period), last - first))


def join(primitives: Sequence[Primitive], dt: float) -> JointReference:
    """One reference of several primitives, if each begins where the one before ends, at rest (joining rule)."""
    if not primitives or dt <= 0:
        raise RobotError(f"join: {len(primitives)} primitives at a time step of {dt} s. Give one or more.")
    end, _ = _ends(primitives[0])
    begun, parts = 0.0, []
    for primitive in primitives:
        first, last = _ends(primitive)
        if np.abs(end - first).max() > SAME_POSTURE:
            remedy = "Begin with 'start' and end with 'stop'."
            raise RobotError(f"join: '{primitive.move.name}' does not begin where the one before ends. {remedy}")
        end, ends = last, begun + primitive.duration
        samples = dt * np.arange(math.ceil(begun / dt), math.ceil(ends / dt), dtype=np.float64)
        parts.append(primitive.at(samples - begun))
        begun = ends
    position = np.vstack([*parts, end])
    return JointReference(dt, position, np.asarray(np.gradient(position, dt, axis=0)), True)


def _ends(primitive: Primitive) -> tuple[Array, Array]:
    """First and last posture (rad) of a primitive, or RobotError if it is not at rest there."""
    near = INSTANT * np.arange(3, dtype=np.float64)
    for posture in (primitive.at(near), primitive.at(primitive.duration - near)):
        speed, force = np.diff(posture, axis=0) / INSTANT, np.diff(posture, 2, axis=0) / INSTANT**2
        if np.abs(speed).max() > STILL or np.abs(force).max() > UNFORCED:
            raise RobotError(f"join: '{primitive.move.name}' does not begin and end at rest.")
    first, last = primitive.at(np.array([0.0, primitive.duration]))
    return first, last


def _step(robot: Robot, parameters: PrimitiveParameters, move: Move, time: Array) -> Array:
    """Joint angles (rad) of a step primitive at times (s)."""
    outer = {"side_left": "left", "turn_left": "left", "side_right": "right", "turn_right": "right"}
    lead = outer.get(move.name, move.lead)
    later = time - parameters.period - parameters.pause
    phases = {side: (time if side == lead else later) / parameters.period for side in SIDES}
    shares = {side: _smooth(phase) for side, phase in phases.items()}
    goal = np.array(move.displacement)
    turn = goal[2]
    feet = {}
    for side, sign in SIDES.items():
        # Where the body's displacement brings the foot, from where it stands.
        way = goal[:2] + sign * _half_stance(robot) * np.array([-math.sin(turn), math.cos(turn) - 1])
        lift = parameters.lift * _bump(phases[side])
        feet[side] = np.column_stack([np.outer(shares[side], [*way, turn]), lift])
    return _posture(robot, parameters, 0.5 * np.outer(shares["left"] + shares["right"], goal), feet)


def _posture(robot: Robot, parameters: PrimitiveParameters, body: Array, feet: dict[str, Array]) -> Array:
    """Joint angles (rad) for ways from feet side by side: x, y (m), yaw (rad) of body and feet, and the feet's lift."""
    stand = [robot.parameters.stand.get(name, 0.0) for name in robot.joint_names]
    angles = np.tile(stand, (len(body), 1))
    for side, sign in SIDES.items():
        leg, foot = leg_of(robot, side), feet[side]
        c, s = np.cos(body[:, 2]), np.sin(body[:, 2])
        x, y = foot[:, 0] - body[:, 0], foot[:, 1] + sign * _half_stance(robot) - body[:, 1]
        hip = float(leg.hip_in_base[0])
        height = foot[:, 3] + robot.parameters.feet[side].depth - parameters.torso_height
        ankle_in_base = np.column_stack([hip + c * x + s * y, c * y - s * x, height])
        angles[:, [robot.joint_names.index(name) for name in leg.joint_names]] = solve_within(
            leg, ankle_in_base, _about_z(foot[:, 2] - body[:, 2])
        )
    return angles


def _half_stance(robot: Robot) -> float:
    return float(leg_of(robot, "left").hip_in_base[1])


def _smooth(phase: Array) -> Array:
    """From 0 to 1 with zero velocity and acceleration at both ends."""
    s = np.clip(phase, 0, 1)
    return s**3 * (10 - 15 * s + 6 * s**2)


def _bump(phase: Array) -> Array:
    """From 0 up to 1 and back, likewise."""
    s = np.clip(phase, 0, 1)
    return 64 * (s * (1 - s)) ** 3


def _about_z(angle: Array) -> Array:
    c, s, zero, one = np.cos(angle), np.sin(angle), np.zeros_like(angle), np.ones_like(angle)
    return np.stack([np.stack(row, -1) for row in ([c, -s, zero], [s, c, zero], [zero, zero, one])], -2)
