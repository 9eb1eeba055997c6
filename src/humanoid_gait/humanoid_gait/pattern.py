"""The planned walk: where feet, zero moment point and centre of mass shall be, from a commanded velocity.

Each step the feet to come are laid out for the command, the DCM at the end of the step follows from them backwards, and
the zero moment point of the step is shifted by the little that brings the DCM there. So start, stop and change
of command are all continuous, and the first step needs no case of its own.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from humanoid_gait.dcm import ZmpLine, com_after, dcm_after, dcm_before, steering_shift
from humanoid_gait.gait_parameters import GaitParameters
from humanoid_gait.planar_pose import advance, compose, place
from humanoid_gait.swing import MinimumJerk, lift

Array = NDArray[np.float64]
SIDES = ("left", "right")
SIGN = {"left": 1.0, "right": -1.0}
OTHER = {"left": "right", "right": "left"}
STANDING, STARTING, WALKING, STOPPING = "standing", "starting", "walking", "stopping"
PREVIEW = 6
"""Steps looked ahead: what comes later moves the DCM of now by less than a thousandth."""
STOPPED = 1e-6
"""m by which the DCM may miss the middle between the feet for a robot to stop."""
START_STEPS = 1.5
"""Time to lean towards the first supporting foot, in steps."""
CATCH_TIME = 0.7
"""Of a step with which a robot that is pushed out of its stand catches itself, over that of a usual one."""
TURN_ROOM = 0.05
"""m by which the feet are set further apart per radian turned in a step, so that heels and toes do not meet."""


@dataclass(frozen=True)
class Planned:
    """The plan at one time, in the frame in which the walk began; poses are x, y (m) and yaw (rad)."""

    phase: str
    support: str
    """The foot that carries the step."""
    feet: Mapping[str, Array]
    """Poses of the ankles' projections."""
    heights: Mapping[str, float]
    """Of the soles above ground, m."""
    load: Mapping[str, float]
    """Share of the weight on each foot."""
    heading: float
    """rad."""
    com: Array
    dcm: Array
    zmp: Array
    """x and y, m."""
    remaining: float
    """Time to the end of the step, s."""
    zmp_shift: Array
    """By how much a step that catches the robot presses the ground beside the usual point (x, y), m."""


class WalkPattern:
    """Plans a walk tick by tick."""

    def __init__(self, gait: GaitParameters, omega: float, room: Array) -> None:
        """Stand with the feet side by side around the origin.

        Args:
            gait: How to walk.
            omega: Natural frequency of the robot's pendulum, 1/s.
            room: How far (m, forward and sideways) the zero moment point may be shifted to steer the DCM.
        """
        self.gait = gait
        self.omega = omega
        self.wanted = np.zeros(3)
        """Commanded velocity: forward, sideways (m/s), turn (rad/s)."""
        self.velocity = np.zeros(3)
        """The one the present step is planned with."""
        self.restless = False
        """Step in place although no velocity is commanded."""
        self._room = room
        self._feet = {side: np.array([0.0, 0.5 * SIGN[side] * gait.stance, 0.0]) for side in SIDES}
        self._heights = dict.fromkeys(SIDES, 0.0)
        self._phase, self._support = STANDING, "right"
        self._middle = self._next_middle = np.zeros(3)
        self._heading = self._heading_at_start = 0.0
        self._displaced = np.zeros(3)
        self._zmp_shift = np.zeros(2)
        self._com = self._dcm = self._centre()
        self._enter(STANDING, [ZmpLine(self._com, self._com, math.inf)])

    def _zmp_of(self, side: str, foot: Array) -> Array:
        return place(foot, np.array([self.gait.zmp_forward, -SIGN[side] * self.gait.zmp_inward]))

    def _centre(self) -> Array:
        """Between the feet, where the zero moment point of a robot that stands is."""
        return 0.5 * (self._zmp_of("left", self._feet["left"]) + self._zmp_of("right", self._feet["right"]))

    def _enter(self, phase: str, lines: list[ZmpLine]) -> None:
        self._phase, self._lines, self._elapsed = phase, lines, 0.0
        self._dcm_at_start, self._com_at_start = self._dcm, self._com
        self._seconds = sum(line.seconds for line in lines)

    def _steer(self, lines: list[ZmpLine], dcm_end: Array, room: Array) -> tuple[list[ZmpLine], Array]:
        """Shift lines, within the room there is (m), to lead the DCM to a place; and by how much it misses it."""
        c, s = math.cos(self._heading), math.sin(self._heading)
        R_world_torso = np.array([[c, -s], [s, c]])
        shift = R_world_torso.T @ steering_shift(lines, self._dcm, dcm_end, self.omega)
        shift = R_world_torso @ np.clip(shift, -room, room)
        lines = [ZmpLine(line.start + shift, line.end + shift, line.seconds) for line in lines]
        dcm = self._dcm
        for line in lines:
            dcm = dcm_after(line, dcm, self.omega, line.seconds)
        return lines, dcm - dcm_end

    @property
    def _room_on_both_feet(self) -> Array:
        return np.add(self._room, [0.0, 0.5 * self.gait.stance])

    def _landing(self, middle: Array, side: str, velocity: Array) -> tuple[Array, Array]:
        """Middle between the feet after one more step, and where the foot lands in it."""
        gait = self.gait
        middle = advance(middle, velocity, gait.step_time)
        apart = gait.stance + gait.step_time * (abs(velocity[1]) + TURN_ROOM * abs(velocity[2]))
        return middle, compose(middle, np.array([0.0, 0.5 * SIGN[side] * apart, 0.0]))

    def _step_lines(self, zmp: Array, next_zmp: Array, seconds: float) -> list[ZmpLine]:
        transfer = self.gait.double_support * seconds
        return [ZmpLine(zmp, next_zmp, transfer), ZmpLine(next_zmp, next_zmp, seconds - transfer)]

    def _dcm_before_steps(self, middle: Array, zmp: Array, side: str, foot: Array, velocity: Array) -> Array:
        """Where the DCM must be when a foot takes over from a zero moment point, for a walk that goes on."""
        lines = []
        for _ in range(PREVIEW):
            next_zmp = self._zmp_of(side, foot)
            lines += self._step_lines(zmp, next_zmp, self.gait.step_time)
            zmp, side = next_zmp, OTHER[side]
            middle, foot = self._landing(middle, side, velocity)
        dcm = 0.5 * (zmp + self._zmp_of(side, foot))
        for line in reversed(lines):
            dcm = dcm_before(line, dcm, self.omega)
        return dcm

    def _start(self) -> None:
        """Lean towards the first supporting foot."""
        centre, first = self._centre(), OTHER[self._support]
        dcm_end = self._dcm_before_steps(self._middle, centre, first, self._feet[first], np.zeros(3))
        lines = [ZmpLine(centre, centre, START_STEPS * self.gait.step_time)]
        self._enter(STARTING, self._steer(lines, dcm_end, self._room_on_both_feet)[0])

    def _step(self, seconds: float, room: Array) -> None:
        """Put the weight on the foot that landed and swing the other one, in a time (s), steering within a room (m)."""
        gait = self.gait
        limit = gait.step_time * np.array([gait.acceleration, gait.acceleration, gait.turn_acceleration])
        self.velocity = self.velocity + np.clip(self.wanted - self.velocity, -limit, limit)
        zmp = self._zmp
        self._support = OTHER[self._support]
        swing = OTHER[self._support]
        lines = self._step_lines(zmp, self._zmp_of(self._support, self._feet[self._support]), seconds)
        self._next_middle, self._target = self._landing(self._middle, swing, self.velocity)
        dcm_end = self._dcm_before_steps(self._next_middle, lines[-1].end, swing, self._target, self.velocity)
        lines, missed = self._steer(lines, dcm_end, room)
        # What the sole cannot steer, the next foot catches: it lands as far beside as the DCM does.
        caught = np.array([*missed, 0.0])
        self._next_middle, self._target = self._next_middle + caught, self._target + caught
        self._swing = MinimumJerk(self._feet[swing])
        self._heading_at_start = self._heading
        self._enter(WALKING, lines)

    def _stop(self) -> bool:
        """Bring the weight between the feet, if that can be done without another step."""
        zmp, centre, seconds = self._zmp, self._centre(), self.gait.step_time
        lines = [ZmpLine(zmp, centre, 0.5 * seconds), ZmpLine(centre, centre, 1.5 * seconds)]
        lines, missed = self._steer(lines, centre, self._room_on_both_feet)
        if np.abs(missed).max() > STOPPED:
            return False
        self._enter(STOPPING, lines)
        return True

    def catch(self, dcm_error: Array, swing: str, room: Array) -> None:
        """Step at once, from standing, to where the DCM will be.

        Args:
            dcm_error: By how much the robot's DCM is beside the planned one, m.
            swing: The foot that shall step.
            room: How far (m, forward and sideways) the sole of the other one reaches in that direction.
        """
        self._dcm = self._dcm + dcm_error
        self._support = swing
        self._step(CATCH_TIME * self.gait.step_time, room)
        self._zmp_shift = self._lines[-1].end - self._zmp_of(self._support, self._feet[self._support])

    def _land(self) -> None:
        """Go on from where the foot came down; it may have been displaced, because the DCM was."""
        swing = OTHER[self._support]
        self._feet[swing] = self._target + self._displaced
        self._heights[swing] = 0.0
        self._middle = self._next_middle + self._displaced
        self._heading = self._next_middle[2]
        self._dcm = self._dcm + self._displaced[:2]

    def _end_phase(self) -> None:
        if self._phase == STOPPING:
            centre = self._centre()
            self._dcm = centre
            self._enter(STANDING, [ZmpLine(centre, centre, math.inf)])
            return
        if self._phase == WALKING:
            self._land()
            self._zmp_shift = np.zeros(2)
            if not self._moving and self._stop():
                return
        self._step(self.gait.step_time, self._room)

    @property
    def _moving(self) -> bool:
        return self.restless or bool(np.any(self.wanted)) or bool(np.any(self.velocity))

    @property
    def _zmp(self) -> Array:
        time = self._elapsed
        for line in self._lines[:-1]:
            if time < line.seconds:
                return line.at(time)
            time -= line.seconds
        return self._lines[-1].at(time)

    def _follow_pendulum(self) -> None:
        time, self._dcm, self._com = self._elapsed, self._dcm_at_start, self._com_at_start
        for line in self._lines:
            here = min(time, line.seconds)
            self._com = com_after(line, self._com, self._dcm, self.omega, here)
            self._dcm = dcm_after(line, self._dcm, self.omega, here)
            time -= here

    def tick(self, dt: float, displaced: Array | None = None) -> Planned:
        """Go on by a time (s).

        Args:
            dt: s.
            displaced: By how much (x, y in m) the swinging foot shall land beside its planned place.
        """
        self._displaced = np.zeros(3) if displaced is None else np.array([*displaced, 0.0])
        if self._phase == STANDING and self._moving:
            self._start()
        self._elapsed += dt
        if self._elapsed >= self._seconds:
            over = self._elapsed - self._seconds
            self._elapsed = self._seconds
            self._follow_pendulum()
            self._end_phase()
            self._elapsed = over
        if self._phase == STANDING:
            self._com = self._dcm + (self._com - self._dcm) * math.exp(-self.omega * min(dt, self._elapsed))
        else:
            self._follow_pendulum()
        if self._phase == WALKING:
            self._move_swing(dt)
        return Planned(
            self._phase,
            self._support,
            dict(self._feet),
            dict(self._heights),
            self._load(),
            self._heading,
            self._com,
            self._dcm,
            self._zmp,
            self._seconds - self._elapsed,
            self._zmp_shift,
        )

    def _move_swing(self, dt: float) -> None:
        transfer, swing = self._lines[0].seconds, OTHER[self._support]
        swung = self._elapsed - transfer
        if swung > 0.0:
            passed = min(dt, swung)
            remaining = self._seconds - self._elapsed + passed
            self._feet[swing] = self._swing.move(self._target + self._displaced, remaining, passed)
            self._heights[swing] = self.gait.lift * lift(swung / (self._seconds - transfer))
        turned = self._next_middle[2] - self._heading_at_start
        self._heading = self._heading_at_start + turned * self._elapsed / self._seconds

    def _load(self) -> dict[str, float]:
        """Shares of the weight, from where the zero moment point is between the feet."""
        if self._phase == WALKING:
            share = min(1.0, self._elapsed / self._lines[0].seconds)
            return {self._support: share, OTHER[self._support]: 1.0 - share}
        left, right = (self._zmp_of(side, self._feet[side]) for side in SIDES)
        across = left - right
        share = float(np.clip((self._zmp - right) @ across / (across @ across), 0.0, 1.0))
        return {"left": share, "right": 1.0 - share}
