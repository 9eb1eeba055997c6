"""The fall-test routine: what to command next, from what the robot measures. The same for simulator and hardware.

Phases of a test: stand, move (along waypoints), settle (droop is corrected), rest, ramp (until the foot tilts), fall
(servos soft), help (a person puts the robot back on its feet and confirms).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from humanoid_adapt.compliance import Statics
from humanoid_adapt.fall_test import FallTest
from humanoid_adapt.foot_frame import FootFrame
from humanoid_adapt.limbs import as_array, leg_joint, ramp_vector
from humanoid_adapt.recording import ATTITUDE, Recording, Sample, TestRefused, record
from humanoid_adapt.tipping import ACROSS
from humanoid_description import Robot, RobotError
from humanoid_description.attitude import Attitude

Array = NDArray[np.float64]
FALLING = math.radians(8.0)
"""Tilt of all feet that carry up to which a fall is watched before the servos go soft; one may tilt twice as far."""
CORRECTION = 0.01
"""Share of the error by which a drooping joint is corrected with every sample."""
LARGEST_CORRECTION = math.radians(8.0)
"""rad."""
RETRY_LEAN = 0.3
"""Share of the way towards the edge with which a test is begun anew after the robot fell before its ramp."""
STANDS = math.radians(15.0)
"""Tilt up to which a robot counts as standing."""


@dataclass(frozen=True)
class Settings:
    """How the tests are done."""

    rate: float = math.radians(1.36)
    """Of the ramp, rad/s; seed 000, Table IV: angle over time."""
    farthest: float = math.radians(30.0)
    """Ramp angle at which a test is given up, rad."""
    speed: float = math.radians(60.0)
    """Greatest speed of a joint on the way to a posture, rad/s."""
    leaning_speed: float = math.radians(12.0)
    """The same for ankles and hip rolls, which carry the whole robot along."""
    stand_seconds: float = 0.5
    settle_seconds: float = 1.5
    """Time in which droop is corrected."""
    rest_seconds: float = 3.0
    """Time without motion, before the ramp if there is one: servos hunt, and the pressure under the feet with them."""
    fall_seconds: float = 0.0
    """Time in which the fall is recorded with soft servos."""

    def __post_init__(self) -> None:
        """Refuse what cannot be done."""
        if not 0 < self.rate <= math.radians(10) or not 0 < self.speed < math.inf or not 0 < self.farthest <= 1:
            raise RobotError(
                "fall test: rate must be above 0 and up to 10 deg/s, speed above zero, farthest up to 1 rad."
            )


@dataclass(frozen=True)
class Action:
    """What to do now."""

    command: Array
    """Joint angles, rad, within the joints' limits."""
    torque: bool = True
    """Whether the servos shall hold."""
    ask: str = ""
    """What a person must do before the routine goes on; it then calls confirm()."""


class Routine:
    """Runs tests one after the other; `update` is called with every sample."""

    def __init__(self, robot: Robot, tests: Sequence[FallTest], settings: Settings | None = None) -> None:
        self.robot = robot
        self.settings = settings or Settings()
        self.tests = tuple(tests)
        self.recordings: list[Recording] = []
        self.failures: dict[str, str] = {}
        self._frames = {side: FootFrame(robot, side) for side in robot.parameters.feet}
        joints = robot.parameters.joints.values()
        self._lower, self._upper = (np.array([getattr(joint, end) for joint in joints]) for end in ("lower", "upper"))
        self._stand = as_array(robot, robot.parameters.stand)
        self._statics = Statics(robot)
        self._speeds = np.full(robot.dof, self.settings.speed)
        for side in robot.parameters.feet:
            for part in ("ankle_pitch", "ankle_roll", "hip_roll"):
                self._speeds[robot.joint_names.index(leg_joint(robot, side, part))] = self.settings.leaning_speed
        self._index = 0
        self._share_of_lean = 1.0
        self.phase = "stand"
        self.paused = False
        self.aborted = ""
        self._phase_start: float | None = None
        self._begin_test()

    def _begin_test(self) -> None:
        self._attitude = Attitude(*ATTITUDE)
        self._sampled_at: float | None = None
        self._samples: list[Sample] = []
        self._ramp_start = math.inf
        self._level: list[Array] = []
        self._correction = np.zeros_like(self._stand)
        self._enter("stand")

    def _enter(self, phase: str) -> None:
        self.phase, self._phase_start = phase, None

    @property
    def test(self) -> FallTest:
        """The test that is under way, or the last one."""
        return self.tests[min(self._index, len(self.tests) - 1)]

    @property
    def number(self) -> int:
        """Which test is under way, from 1 on."""
        return min(self._index, len(self.tests) - 1) + 1

    @property
    def done(self) -> bool:
        """Whether there is nothing left to do."""
        return bool(self.aborted) or self._index >= len(self.tests)

    def abort(self, reason: str) -> None:
        """End now: hold the present command; a robot that falls then goes soft. Finished tests stay."""
        self.aborted = reason

    def pause(self) -> None:
        """Stand still, or go soft if the robot falls; after resume() the present test begins anew."""
        self.paused = True

    def resume(self) -> None:
        """Go on after pause()."""
        self.paused = False
        if self.phase != "help":
            self._begin_test()

    def confirm(self) -> None:
        """A person says that the robot stands on its feet."""
        if self.phase == "help":
            self._begin_test()

    def tilts(self, sample: Sample, up_in_imu: Array) -> Array:
        """Lean of each support foot in the direction of the test, or anywhere, rad: IMU against kinematics."""
        found = []
        for side in self.test.support_feet:
            up_in_foot = self._frames[side].imu_rotation(sample.position) @ up_in_imu
            if self.test.falls:
                found.append(-float(np.dot(ACROSS[self.test.direction], up_in_foot[:2])))
            else:
                found.append(float(np.linalg.norm(up_in_foot[:2])))
        return np.array(found)

    def update(self, sample: Sample) -> Action:
        """Next command, given what the robot measures."""
        step = 0.0 if self._sampled_at is None else sample.time - self._sampled_at
        self._sampled_at = sample.time
        up = self._attitude.update(sample.angular_velocity, sample.linear_acceleration, step)
        tilts = self.tilts(sample, up)
        fallen = self._fallen(sample, up)
        if self.done:
            return Action(sample.command, torque=not fallen)
        if self.phase == "help":
            return Action(self._stand, torque=True, ask=f"put the robot on its feet for test {self.test.name}")
        if fallen and (self.paused or self.phase == "stand"):
            self._enter("help")
            return Action(sample.command, torque=False)
        if self.paused:
            return Action(sample.command, ask="resume to begin the test anew")
        if self._phase_start is None:
            self._phase_start = sample.time
        steps = {"stand": self._on_stand, "move": self._on_move, "settle": self._on_settle}
        steps |= {"rest": self._on_rest, "ramp": self._on_ramp, "fall": self._on_fall}
        command = steps[self.phase](sample, sample.time - self._phase_start, tilts)
        return Action(np.clip(command, self._lower, self._upper), torque=self.phase not in ("fall", "help"))

    def _fallen(self, sample: Sample, up_in_imu: Array) -> bool:
        """Whether all feet that carry lean too far for a robot that stands, in any direction."""
        ups = [self._frames[side].imu_rotation(sample.position) @ up_in_imu for side in self.test.support_feet]
        return all(up_in_foot[2] < math.cos(STANDS) for up_in_foot in ups)

    def _on_stand(self, sample: Sample, elapsed: float, tilts: Array) -> Array:
        """Without a jerk from where the servos hold the robot, which may be anywhere after a pause, to standing."""
        if elapsed == 0.0:
            self._found = sample.command
            self._rising = 1.5 * float((np.abs(self._stand - self._found) / self._speeds).max())
        if elapsed >= self._rising + self.settings.stand_seconds:
            self._standing = tilts
            self._enter("move")
            path = [self._stand, *(as_array(self.robot, way) for way in self.test.waypoints)]
            leaning = ramp_vector(self.robot, self.test.support_feet, self.test.direction) != 0.0
            path[-1] = np.where(leaning, path[-2] + self._share_of_lean * (path[-1] - path[-2]), path[-1])
            self._path = np.array(path)
            travel = (np.abs(np.diff(self._path, axis=0)) / self._speeds).max(axis=1)
            self._times = np.concatenate([[0.0], np.cumsum(np.maximum(travel * 1.5, 0.5))])
        share = _smooth(elapsed / self._rising if elapsed < self._rising else 1.0)
        return np.asarray(self._found + share * (self._stand - self._found))

    def _on_move(self, sample: Sample, elapsed: float, tilts: Array) -> Array:
        """Along the waypoints, from each to the next without a jerk."""
        if _all_lean_by(tilts - self._standing) > STANDS:
            self._retry_or_fail()
            return sample.command
        if elapsed >= self._times[-1]:
            self._enter("settle")
            return self._held(sample, self._path[-1], self.test.left_share)
        leg = int(np.searchsorted(self._times, elapsed, side="right")) - 1
        share = (elapsed - self._times[leg]) / (self._times[leg + 1] - self._times[leg])
        smooth = _smooth(share)
        # On the first way the weight goes to the foot that will carry it.
        left_share = 0.5 + (smooth if leg == 0 else 1.0) * (self.test.left_share - 0.5)
        return self._held(sample, self._path[leg] + smooth * (self._path[leg + 1] - self._path[leg]), left_share)

    def _held(self, sample: Sample, wanted: Array, left_share: float) -> Array:
        """Command with which the servos hold a posture: what they give way is foreseen, and the rest corrected.

        Correcting an ankle would be balancing; where it stands does not matter as long as the robot does.
        """
        foreseen = self._statics.droops(left_share, wanted)
        change = np.where(self._balancing(), 0.0, CORRECTION * (wanted - sample.position))
        self._correction = np.clip(self._correction + change, -LARGEST_CORRECTION, LARGEST_CORRECTION)
        return np.asarray(wanted + foreseen + self._correction)

    def _balancing(self) -> NDArray[np.bool_]:
        """Which joints hold the balance: those of the ramp, or all ankles of a test without one."""
        if self.test.falls:
            return np.asarray(ramp_vector(self.robot, self.test.support_feet, self.test.direction) != 0.0)
        ways = (ramp_vector(self.robot, self.test.support_feet, way) for way in ("forward", "left"))
        return np.asarray(np.any([way != 0.0 for way in ways], axis=0))

    def _on_settle(self, sample: Sample, elapsed: float, tilts: Array) -> Array:
        """Correct what the servos give way under load."""
        self._start = self._held(sample, self._path[-1], self.test.left_share)
        if _all_lean_by(tilts - self._standing) > STANDS:
            self._retry_or_fail()
        elif elapsed >= self.settings.settle_seconds:
            self._enter("rest")
        return self._start

    def _on_rest(self, sample: Sample, elapsed: float, tilts: Array) -> Array:
        """Stand still: this says which tilt is none."""
        self._samples.append(sample)
        self._level.append(tilts)
        if elapsed >= self.settings.rest_seconds:
            self._ramp_start = sample.time
            if self.test.falls:
                self._enter("ramp")
            else:
                self._finish()
        return self._start

    def _on_ramp(self, sample: Sample, elapsed: float, tilts: Array) -> Array:
        self._samples.append(sample)
        angle = self.settings.rate * elapsed
        off_level = tilts - np.mean(self._level, axis=0)
        if _all_lean_by(off_level) > FALLING or np.abs(off_level).max() > 2 * FALLING:
            self._enter("fall")
        elif angle > self.settings.farthest:
            self._finish()
        ramp = ramp_vector(self.robot, self.test.support_feet, self.test.direction)
        return np.asarray(self._start + angle * ramp)

    def _on_fall(self, sample: Sample, elapsed: float, tilts: Array) -> Array:
        self._samples.append(sample)
        if elapsed >= self.settings.fall_seconds:
            self._finish()
        return sample.command

    def _finish(self) -> None:
        try:
            self.recordings.append(record(self.test, self.robot.joint_names, self._ramp_start, self._samples))
        except TestRefused as reason:
            self.failures[self.test.name] = str(reason)
        self._next_test()

    def _retry_or_fail(self) -> None:
        """A robot that is heavier on one side than its model says may fall too early: start it further inside, once."""
        if self._share_of_lean == 1.0:
            self._share_of_lean = RETRY_LEAN
            self._enter("help")
        else:
            self.failures[self.test.name] = f"test {self.test.name}: the robot fell before the ramp"
            self._next_test()

    def _next_test(self) -> None:
        self._index += 1
        self._share_of_lean = 1.0
        self._enter("help")


def _smooth(share: float) -> float:
    """Share of a way after a share of its time, without a jerk; at most 1.5 times as fast as on average."""
    return share * share * (3 - 2 * share)


def _all_lean_by(tilts: Array) -> float:
    """Tilt that all feet have at least, rad: legs are never alike, and one foot may turn on its edge long before."""
    return float(np.abs(tilts).min())
