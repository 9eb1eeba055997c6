"""Walk by splines (seed 002): any mixture of forward, sideways and turning, planned one step at a time.

Each step follows the command as it is when the step begins. Feet and hips keep their accelerations continuous from
step to step, and the robot comes to rest on both feet when told to.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from humanoid_description import Robot, RobotError
from humanoid_gait.foot_spline import Footprint, Swing, SwingShape, standing_ankle, swing
from humanoid_gait.hip_spline import HipShape, HipWay, PlannedStep, StepTimes, hip_way, pendulum_shares, resting
from humanoid_gait.leg_ik import exceeded, leg_of, solve
from humanoid_gait.primitives import MAX_SAMPLES, JointReference
from humanoid_gait.spline_parameters import SplineParameters

Array = NDArray[np.float64]
Ground = Callable[[float, float, float], tuple[float, float]]
"""Height (m) of the ground at x, y (m), and its pitch (rad, positive downhill) along a yaw (rad)."""
OTHER = {"left": "right", "right": "left"}


def level(x: float, y: float, yaw: float) -> tuple[float, float]:
    """Flat ground at height zero."""
    return 0.0, 0.0


@dataclass(frozen=True)
class WalkStep:
    """One step: who swings, and all ways from its beginning to a rest after it."""

    swinging: str
    """'left' or 'right'."""
    begins: float
    """s."""
    ends: float
    """When the foot lands, s."""
    rests: float
    """When the robot is at rest if no step follows, s."""
    final: bool
    """Whether it was planned to end in rest."""
    prints: dict[str, Footprint]
    """Where the feet stand after the step."""
    swings: dict[str, Swing]
    """Ways of the feet; a foot that has not moved yet has none."""
    hip: HipWay


class SplineWalk:
    """A robot that walks, from feet side by side at the origin."""

    def __init__(self, robot: Robot, parameters: SplineParameters, ground: Ground = level) -> None:
        self.robot = robot
        self.parameters = parameters
        self._ground = ground
        half = 0.5 * parameters.stance
        self._prints = {side: self._print(0.0, y, 0.0) for side, y in (("left", half), ("right", -half))}
        self._swinging = "right"
        self._legs = {side: leg_of(robot, side) for side in OTHER}
        com_above_hip = float(robot.com_in_base(robot.parameters.stand)[2] - self._legs["left"].hip_in_base[2])
        times = parameters.double_support, parameters.period - parameters.double_support
        shares = pendulum_shares(parameters.hip_low + com_above_hip, *times)
        self._hip_shape = HipShape(*shares, parameters.hip_low, parameters.hip_high)
        self._last: WalkStep | None = None

    def _print(self, x: float, y: float, yaw: float) -> Footprint:
        return Footprint(x, y, yaw, *self._ground(x, y, yaw))

    def next_step(self, forward: float, left: float, turn: float, now: float) -> WalkStep | None:
        """Plan the step that begins now or when the last one ends, whichever is later; None if the robot shall stand.

        Args:
            forward: Speed asked for, m/s.
            left: Likewise, m/s.
            turn: Likewise, rad/s.
            now: s.
        """
        if not np.isfinite([forward, left, turn, now]).all():
            raise RobotError(f"walk: the command is {forward}, {left}, {turn}. Give finite speeds.")
        p, last, side = self.parameters, self._last, self._swinging
        going = bool(forward or left or turn)
        if not going and (last is None or last.final):
            return None
        standing = last is None or last.final or now > last.ends + p.double_support
        begins = now if last is None else max(now, last.ends)
        pause = p.starting if standing else 0.0
        step = self._planned(side, self._prints, (forward, left, turn), begins, pause)
        prints = {**self._prints, side: step.landing}
        steps = [step]
        if going:
            steps.append(self._planned(OTHER[side], prints, (forward, left, turn), step.times.ends, 0.0))
        state = resting(self._hip_shape, *self._prints.values())
        if last is not None:
            state = last.hip.state(min(begins, last.rests))
        self._last = WalkStep(
            swinging=side,
            begins=begins,
            ends=step.times.ends,
            rests=steps[-1].times.ends + p.starting,
            final=not going,
            prints=prints,
            swings={**(last.swings if last else {}), side: self._swing(side, step, begins + pause)},
            hip=hip_way(self._hip_shape, state, steps, p.starting),
        )
        self._prints, self._swinging = prints, OTHER[side]
        return self._last

    def _planned(
        self, side: str, prints: dict[str, Footprint], command: tuple[float, float, float], begins: float, pause: float
    ) -> PlannedStep:
        """Where the foot of a side lands; feet never cross, as only the outer one goes sideways and turns outward."""
        p, foot = self.parameters, prints[OTHER[side]]
        outward = 1 if side == "left" else -1
        forward = float(np.clip(command[0] * p.period, -p.max_step, p.max_step))
        aside = float(np.clip(2 * command[1] * p.period * outward, 0, p.max_side_step))
        turn = outward * float(np.clip(2 * command[2] * p.period * outward, 0, p.max_turn))
        # From the carrying foot to the middle between the feet, on by the step, and out to the swinging side.
        centre = np.array([foot.x, foot.y]) + 0.5 * outward * p.stance * _left(foot.yaw)
        x, y = (
            centre
            + forward * _forward(foot.yaw + 0.5 * turn)
            + outward * (0.5 * p.stance + aside) * _left(foot.yaw + turn)
        )
        times = StepTimes(begins, pause + p.double_support, p.period - p.double_support)
        return PlannedStep(prints[side], foot, self._print(float(x), float(y), foot.yaw + turn), times)

    def _swing(self, side: str, step: PlannedStep, begins: float) -> Swing:
        """Way of the swinging foot; it rolls over toe and heel the more the longer its way forward is."""
        p = self.parameters
        way = np.array([step.landing.x - step.swinging.x, step.landing.y - step.swinging.y])
        rolling = float(np.clip(way @ step.swinging.forward / (2 * p.max_step), 0, 1))
        shape = SwingShape(
            p.double_support,
            p.highest,
            p.period,
            rolling * p.toe_off,
            rolling * p.heel_strike,
            p.share_at_highest,
            p.lift,
        )
        return swing(self.robot.parameters.feet[side], shape, step.swinging, step.landing, begins)

    def joint_angles(self, step: WalkStep, times: Array) -> tuple[Array, bool]:
        """Angles (rad, shape (times, joints)) at times (s) since a step began; whether reach and ranges allow them."""
        robot, stand = self.robot, self.robot.parameters.stand
        angles = np.tile([stand.get(name, 0.0) for name in robot.joint_names], (len(times), 1))
        feet = {side: self._foot(step, side, times) for side in OTHER}
        # Midway between the feet, so that a leg never has to turn inward, which NAO's cannot.
        yaw = 0.5 * (feet["left"][2] + feet["right"][2])
        R_world_base = _about_z(yaw)
        until_rest = np.clip(times, step.begins, step.rests)
        ahead = self.parameters.hip_ahead * np.stack([np.cos(yaw), np.sin(yaw)], axis=-1)
        hips = np.column_stack([step.hip.xy(until_rest) + ahead, step.hip.z(until_rest)])
        hips_in_base = 0.5 * (self._legs["left"].hip_in_base + self._legs["right"].hip_in_base)
        possible = True
        for side, leg in self._legs.items():
            ankle, pitch, heading = feet[side]
            ankle_in_base = np.einsum("nji,nj->ni", R_world_base, ankle - hips) + hips_in_base
            found, reachable = solve(leg, ankle_in_base, _about_z(heading - yaw) @ _about_y(pitch))
            possible = possible and bool(reachable.all()) and not exceeded(leg, found).any()
            angles[:, [robot.joint_names.index(name) for name in leg.joint_names]] = found
        return angles, possible

    def _foot(self, step: WalkStep, side: str, times: Array) -> tuple[Array, Array, Array]:
        """Place of an ankle (m), pitch and yaw of its foot (rad) over time."""
        if side not in step.swings:
            stands = step.prints[side]
            ankle = np.tile(standing_ankle(self.robot.parameters.feet[side], stands), (len(times), 1))
            return ankle, np.full(len(times), stands.slope), np.full(len(times), stands.yaw)
        way = step.swings[side]
        ankle, pitch, yaw = (
            spline(np.clip(times, spline.t[0], spline.t[-1])) for spline in (way.ankle, way.pitch, way.yaw)
        )
        return ankle, pitch, yaw


def follow(
    walk: SplineWalk, command: Callable[[float], tuple[float, float, float]], seconds: float, dt: float
) -> JointReference:
    """References of a walk that follows a command (m/s, m/s, rad/s, at a time in s), then stops and comes to rest.

    Args:
        walk: At its beginning.
        command: Forward, left and turn; regarded at the beginning of every step.
        seconds: After which the robot stops.
        dt: s.
    """
    if not 0 < dt <= walk.parameters.period / 4:
        raise RobotError(f"walk: dt is {dt} s. Give one above zero with at least four samples per step.")
    if seconds / dt > MAX_SAMPLES:
        raise RobotError(f"walk: {seconds:g} s at {dt} s are over {MAX_SAMPLES} samples. Ask for fewer.")
    parts: list[Array] = []
    possible, step = True, None
    time = 0.0
    while True:
        following = walk.next_step(*(command(time) if time < seconds else (0.0, 0.0, 0.0)), time)
        until = following.begins if following else step.rests if step else 0.0
        if step:
            samples = dt * np.arange(math.ceil(step.begins / dt), math.ceil(until / dt), dtype=np.float64)
            angles, within = walk.joint_angles(step, samples)
            parts.append(angles)
            possible = possible and within
        if following is None:
            break
        step, time = following, following.ends
    if not parts:
        raise RobotError("walk: the command is zero from the beginning. Ask for a speed.")
    position = np.vstack(parts)
    return JointReference(dt, position, np.asarray(np.gradient(position, dt, axis=0)), possible)


def _forward(yaw: float) -> Array:
    return np.array([math.cos(yaw), math.sin(yaw)])


def _left(yaw: float) -> Array:
    return np.array([-math.sin(yaw), math.cos(yaw)])


def _about_z(angle: Array) -> Array:
    c, s, zero, one = np.cos(angle), np.sin(angle), np.zeros_like(angle), np.ones_like(angle)
    return np.stack([np.stack(row, -1) for row in ([c, -s, zero], [s, c, zero], [zero, zero, one])], -2)


def _about_y(angle: Array) -> Array:
    c, s, zero, one = np.cos(angle), np.sin(angle), np.zeros_like(angle), np.ones_like(angle)
    return np.stack([np.stack(row, -1) for row in ([c, zero, s], [zero, one, zero], [-s, zero, c])], -2)
