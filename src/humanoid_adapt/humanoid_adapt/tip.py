"""When and in which posture a robot tipped, from a recording of its fall.

A robot that tips is a pendulum on the edge of its foot: while the ground carries it there, its lean L obeys
L'' = w^2 (L - L0), whatever its ankles do, w the pendulum's rate and L0 the lean at which its centre of mass stands
above the edge. So the way it falls says where it began to: L0 comes from a fit of the fall, without a guess of when it
began.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares

from humanoid_adapt.fall_test import FallTest
from humanoid_adapt.foot_frame import FootFrame
from humanoid_adapt.limbs import ramp_vector
from humanoid_adapt.recording import ATTITUDE, Recording, TestRefused
from humanoid_adapt.static_cop import StaticCop, static_cop
from humanoid_adapt.tipping import ACROSS, Tipping, sole_tilt
from humanoid_description import Robot
from humanoid_description.attitude import Attitude

Array = NDArray[np.float64]
FELL = math.radians(4.0)
"""Tilt at which the fit of a fall ends."""
BEGAN = math.radians(0.4)
"""Tilt from which on a foot stands on its edge: above what noise and soft ground amount to."""
SURELY = math.radians(0.7)
"""Tilt that encoder counts do not amount to either."""
EVEN = math.radians(1.5)
"""By which two feet may tilt differently at the tip: encoder counts and joint zeros."""
UNEVEN_SD = 0.5
"""Of what they tilt differently beyond that, in heights of the centre of mass per rad: the tipping condition is that of
feet that both lie flat until then."""
GYRO_ONLY = 0.8
"""s before that from which on only the gyroscope is believed: a fall shakes the accelerometer."""
COARSE = 0.01
"""rad/s per count of a gyroscope that does not feel slow leaning: it errs by half a count for seconds."""
COARSE_ATTITUDE = (0.25, ATTITUDE[1])
COARSE_GYRO_ONLY = 0.3
"""s; with such a gyroscope the accelerometer is believed sooner and longer."""
COARSE_SD = 0.0009
"""m by which tips scatter more with it."""
BEFORE = 0.6
"""s before the tip over which the joint angles are averaged: several counts of the ramp."""
EARLY = {"both": 0.0007, "left": 0.0016, "right": 0.0016}
"""m by which tips are early on average, by the feet that carry: hunting servos shake a robot over the edge.

Found on the simulated robots of seeds 2000 to 2015, which are the development's and judge nothing.
"""
LEAST_SAMPLES = 15
NOISE = math.radians(0.05)
"""Of the lean by the gyroscope."""
RATE_SD = 0.03
"""Of the pendulum's rate, as a share."""
TOUCH = 1.5
"""N on the swing foot that count as touching."""


@dataclass(frozen=True)
class Tip:
    """The moment at which a robot began to tip; of a test in which it shall not fall, where it stood."""

    test: FallTest
    time: float
    """s."""
    angles: Array
    """Joint angles, rad."""
    angle_sd: Array
    """Their standard deviations, rad."""
    command: Array
    """Commanded joint angles at that moment, rad."""
    weight: float | None = None
    """Total force on the feet before the ramp, N; None without foot sensors."""
    cop: StaticCop | None = None
    """Where the ground carried the robot before the ramp; None without foot sensors."""
    more_sd: float = 0.0
    """What the sensors leave open of the place of the centre of mass beyond what they mostly do, m."""


def gyro_is_coarse(recording: Recording) -> bool:
    """Whether the counts of the gyroscope, the least difference of what it says, are greater than slow leaning."""
    values = np.unique(recording.angular_velocity)
    return values.size > 1 and float(np.diff(values).min()) > COARSE


def vertical_over_time(recording: Recording, gyro_only_from: float = math.inf) -> Array:
    """Unit vector up in the IMU's axes, shape (samples, 3); the accelerometer is not listened to after a time (s)."""
    attitude = Attitude(*(COARSE_ATTITUDE if gyro_is_coarse(recording) else ATTITUDE))
    resting = recording.time < recording.ramp_start
    at_rest = recording.linear_acceleration[resting].mean(axis=0)
    vertical = np.zeros((recording.time.size, 3))
    steps = np.diff(recording.time, prepend=recording.time[0])
    for index, (time, step) in enumerate(zip(recording.time, steps, strict=True)):
        if resting[index]:
            vertical[index] = attitude.update(np.zeros(3), at_rest, step)
        else:
            listened = recording.linear_acceleration[index] if time < gyro_only_from else np.zeros(3)
            vertical[index] = attitude.update(recording.angular_velocity[index], listened, step)
    return vertical


class _Fall:
    """A recorded fall in the frame of the support feet."""

    def __init__(self, recording: Recording, tipping: Tipping) -> None:
        self.recording, self.tipping, self.test = recording, tipping, recording.test
        self._frames = [FootFrame(tipping.robot, side) for side in self.test.support_feet]
        self._across = np.array([*ACROSS[self.test.direction], 0.0])
        self.resting = recording.time < recording.ramp_start
        self.ramp = ramp_vector(tipping.robot, self.test.support_feet, self.test.direction)

    def lean(self, angles: Array, vertical: Array) -> Array:
        """Lean in the direction of the fall, rad, of a robot that is rigid in a posture, for verticals in the IMU."""
        rotation = np.mean([frame.imu_rotation(angles) for frame in self._frames], axis=0)
        return np.asarray(-vertical @ rotation.T @ self._across)

    def tilts(self, vertical: Array) -> Array:
        """Lean of each foot over time, rad, against its mean before the ramp, shape (feet, samples)."""
        postures = self.recording.position
        tilts = np.array(
            [
                [
                    -float(frame.imu_rotation(angles) @ up @ self._across)
                    for angles, up in zip(postures, vertical, strict=True)
                ]
                for frame in self._frames
            ]
        )
        return np.asarray(tilts - tilts[:, self.resting].mean(axis=1, keepdims=True))

    def tilt_at_rest(self, angles: Array) -> float:
        """Tilt of the soles before the ramp, rad: soft ground gives way where the robot leans."""
        foot = self._frames[0].foot
        sagittal = self.test.direction in ("forward", "backward")
        half = (foot.front + foot.rear if sagittal else foot.left + foot.right) / 2
        off_middle = half + self.tipping.beyond_edge(self.test, angles)
        return sole_tilt(self.tipping.robot, self.test) * float(np.clip(off_middle / half, -1.0, 1.0))

    def ankle(self, tipped: int) -> Array:
        """Angle of the ramp joints over time, rad: finer than their encoders, as commands less what they give way."""
        time, ramp = self.recording.time, self.ramp / (self.ramp @ self.ramp)
        given_way = (self.recording.command - self.recording.position) @ ramp
        since = time - time[tipped]
        # What an ankle gives way stays as it is once the foot stands on its edge.
        before = (since > -1.2) & (since <= -0.25) & ~self.resting
        line = np.polyfit(since[before], given_way[before], 1)
        return np.asarray(self.recording.command @ ramp - np.polyval(line, np.clip(since, since[before][0], -0.25)))


def find_tip(recording: Recording, tipping: Tipping) -> Tip:
    """The tip of a recorded test, or TestRefused with the reason; `tipping` is of the model so far."""
    test, time = recording.test, recording.time
    fall = _Fall(recording, tipping)
    tilts = fall.tilts(vertical_over_time(recording))
    tilt = tilts.min(axis=0)  # legs are never alike: one foot may stand on its edge long before the robot tips
    _refuse_if_no_fall(test, tilt)
    tipped = _first(tilt, SURELY, _last_below(tilt, BEGAN, int(np.argmax(tilt > FELL))))
    if time[tipped] <= recording.ramp_start + BEFORE:
        raise TestRefused(f"test {test.name}: the robot fell before the ramp began to tell. Start it further inside.")
    _refuse_if_swing_foot_touched(recording, tipped)
    uneven = max(0.0, float(np.ptp(tilts[:, tipped])) - EVEN)
    coarse = gyro_is_coarse(recording)
    vertical = vertical_over_time(recording, time[tipped] - (COARSE_GYRO_ONLY if coarse else GYRO_ONLY))
    rest = recording.position[fall.resting].mean(axis=0)
    level = float(fall.lean(rest, vertical[fall.resting].mean(axis=0))) - fall.tilt_at_rest(rest)
    ankle = fall.ankle(tipped)
    moment = tipped
    # The posture is that of the tip, which follows from the posture: twice is enough.
    for _ in range(3):
        angles, angle_sd = _posture(recording, tipping, moment)
        row = tipping.row(test, angles)
        lean = fall.lean(angles, vertical) - level
        tilt = lean - (ankle - angles @ fall.ramp / (fall.ramp @ fall.ramp))
        # A turn of the ankle moves the robot about the ankle rather than about the edge.
        lean = lean - tipping.robot.parameters.feet[test.support_feet[0]].depth / row.height * (lean - tilt)
        end = _first(tilt, FELL, tipped)
        begin = _last_below(tilt, BEGAN, end) + 1
        if end - begin < LEAST_SAMPLES:
            raise TestRefused(f"test {test.name}: too few samples of the fall. Record at 100 Hz.")
        pendulum_rate, travel = tipping.rate(test, angles)
        balanced = _lean_in_balance(time[begin:end], lean[begin:end], pendulum_rate)
        moment = _last_below(lean, balanced, begin)
        if time[moment] <= recording.ramp_start + BEFORE / 2:
            moment = tipped
    short = row.height * (sole_tilt(tipping.robot, test) - balanced)
    wrenches = {side: force[fall.resting].mean(axis=0) for side, force in recording.foot_force.items()}
    carried = {side: wrench for side, wrench in wrenches.items() if side in test.support_feet}
    return Tip(
        test=test,
        time=float(time[moment]),
        angles=angles - short / travel * fall.ramp,
        angle_sd=angle_sd,
        command=recording.command[moment],
        weight=float(sum(wrench[2] for wrench in wrenches.values())) if wrenches else None,
        cop=static_cop(tipping.frames, rest, angle_sd, carried, recording.ramp_start - time[0]),
        more_sd=math.hypot(COARSE_SD if coarse else 0.0, UNEVEN_SD * row.height * uneven),
    )


def stand_of(recording: Recording, tipping: Tipping) -> Tip:
    """What a test without a fall says: posture, weight and pressure; TestRefused if the feet felt nothing."""
    angles = recording.position.mean(axis=0)
    wrenches = {side: force.mean(axis=0) for side, force in recording.foot_force.items()}
    carried = {side: wrench for side, wrench in wrenches.items() if side in recording.test.support_feet}
    seconds = recording.time[-1] - recording.time[0]
    pressure = static_cop(tipping.frames, angles, _count_sd(tipping), carried, seconds)
    if pressure is None:
        raise TestRefused(f"test {recording.test.name}: the feet felt no weight. It needs a robot with foot sensors.")
    _refuse_if_swing_foot_touched(recording, recording.time.size)
    weight = float(sum(wrench[2] for wrench in wrenches.values()))
    command = recording.command[-1]
    return Tip(recording.test, float(recording.time[-1]), angles, pressure.angle_sd, command, weight, pressure)


def tips_of(recordings: Sequence[Recording], model: Robot) -> tuple[list[Tip], dict[str, str]]:
    """Tips of recorded tests, and the reasons why others are refused."""
    tipping, tips, refused = Tipping(model), [], {}
    for recording in recordings:
        try:
            read = find_tip if recording.test.falls else stand_of
            tips.append(read(recording, tipping))
        except TestRefused as reason:
            refused[recording.test.name] = str(reason)
    return tips, refused


def _first(values: Array, level: float, start: int) -> int:
    """Index from a start on at which values first exceed a level; the last one if they never do."""
    above = values[start:] > level
    return start + int(np.argmax(above)) if above.any() else values.size - 1


def _last_below(values: Array, level: float, end: int) -> int:
    """Last index up to an end at which values are below a level; 0 if they never are."""
    below = np.flatnonzero(values[: end + 1] < level)
    return int(below[-1]) if below.size else 0


def _lean_in_balance(time: Array, lean: Array, expected_rate: float) -> float:
    """Lean L0 (rad) of a pendulum that falls as L'' = w^2 (L - L0), with a rate w (1/s) about as expected."""
    since = time - time[0]

    def fit(rate: float) -> tuple[Array, Array]:
        design = np.stack([np.ones_like(since), np.exp(rate * (since - since[-1])), np.exp(-rate * since)], axis=-1)
        solution, *_ = np.linalg.lstsq(design, lean, rcond=None)
        return solution, lean - design @ solution

    def misfit(unknown: Array) -> Array:
        return np.append(fit(unknown[0])[1] / NOISE, (unknown[0] / expected_rate - 1.0) / RATE_SD)

    return float(fit(least_squares(misfit, [expected_rate]).x[0])[0][0])


def _refuse_if_no_fall(test: FallTest, tilt: Array) -> None:
    largest = float(tilt.max())
    if largest < 2 * SURELY:
        raise TestRefused(f"test {test.name}: nobody fell. Ramp further, or check that the servos hold.")
    if largest < FELL:
        remedy = f"Let it tilt by {math.degrees(FELL):.0f} degrees before you hold it."
        raise TestRefused(f"test {test.name}: the robot was caught at {math.degrees(largest):.1f} degrees. {remedy}")


def _refuse_if_swing_foot_touched(recording: Recording, begin: int) -> None:
    swing = recording.test.swing_foot
    if swing is None or swing not in recording.foot_force:
        return
    held = recording.foot_force[swing][:begin, 2]
    force = float(np.convolve(held, np.full(10, 0.1), mode="valid").max()) if held.size >= 10 else 0.0
    if force > TOUCH:
        raise TestRefused(
            f"test {recording.test.name}: the {swing} foot touched the ground with {force:.1f} N. Raise it higher."
        )


def _posture(recording: Recording, tipping: Tipping, moment: int) -> tuple[Array, Array]:
    """Joint angles at a moment, rad, from straight lines before it, and what encoder counts leave open."""
    time = recording.time
    before = (time > time[moment] - BEFORE) & (time <= time[moment]) & (time >= recording.ramp_start)
    if np.count_nonzero(before) < LEAST_SAMPLES:
        raise TestRefused(f"test {recording.test.name}: too few samples before the tip. Record at 50 Hz or more.")
    _, angles = np.polyfit(time[before] - time[moment], recording.position[before], 1)
    return angles, _count_sd(tipping)


def _count_sd(tipping: Tipping) -> Array:
    """Standard deviation of a joint angle that may be anywhere within its encoder's count, rad."""
    parameters = tipping.robot.parameters
    counts = [parameters.servos[joint.servo].resolution or 1e-4 for joint in parameters.joints.values()]
    return np.array(counts) / math.sqrt(12.0)
