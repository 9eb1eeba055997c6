"""What seed 001 shows and claims, computed: Figure 5, and the energy that its switching rule saves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from humanoid_description import Robot
from humanoid_description.two_interval import TwoIntervals, least_energy_switch, plan, switch_speed
from humanoid_gait.energy import Motion, energy, motor_torque
from humanoid_gait.least_energy import least_energy

Array = NDArray[np.float64]
ANGLES, SPEEDS, TIMES = np.radians([0.0, 27.0]), np.radians([20.0, 30.0]), (3.0, 4.0)
"""The example of Figure 5: rad, rad/s, s."""
ARM_INERTIA = 0.174 * 0.2**2 / 3
"""Of the paper's arm, kg m^2."""
MAX_SPEED, MAX_ACCELERATION = np.radians(281.0), np.radians(1400.0)
"""Of the paper's servo, rad/s and rad/s^2."""
CLAIM = 0.13
"""'allows to save up to 13 % of energy'; the paper does not say against what."""
MOTIONS = {
    "arm forward, 1 s": (1.0, {"left_shoulder_pitch": -1.5}),
    "arm forward, 2 s": (2.0, {"left_shoulder_pitch": -1.5}),
    "arm aside with bent elbow, 1 s": (1.0, {"left_shoulder_roll": 1.3, "left_elbow": -1.2}),
    "head aside, 0.6 s": (0.6, {"head_yaw": 0.8}),
}
"""Motions of FIBO-KM from its stand: duration (s) and goal (rad)."""


@dataclass(frozen=True)
class Figure5:
    """The example: its way (a) and the energy over the time of the switch (b)."""

    switch: float
    """t_m of eq 8, s."""
    time: Array
    """s."""
    angle: Array
    """rad."""
    speed: Array
    """rad/s."""
    switches: Array
    """Times of the switch, s."""
    work: Array
    """Work of the motor with the switch there, J, for the paper's arm."""


@dataclass(frozen=True)
class Saving:
    """Work (eq 7) that the switch of eq 8 saves, as a share of what the other way needs."""

    against: str
    example: float
    """In the example of Figure 5."""
    together: float
    """Over many demands, of the sums."""


def figure_5(samples: int = 201) -> Figure5:
    """Figure 5 from its conditions."""
    start, end = TIMES
    switch = float(least_energy_switch(ANGLES[0], SPEEDS[0], ANGLES[1], SPEEDS[1], start, end))
    way = plan(ANGLES[0], SPEEDS[0], ANGLES[1], SPEEDS[1], end - start, MAX_SPEED, MAX_ACCELERATION)
    time, switches = np.linspace(start, end, samples), np.linspace(start, end, samples)
    angle, speed = np.array([way.at(moment - start) for moment in time]).T
    work = np.array([_switched_at(way, moment - start).work(ARM_INERTIA) for moment in switches])
    return Figure5(switch, time, angle, speed, switches, work)


def savings(demands: int = 2000, seed: int = 0) -> list[Saving]:
    """Work that eq 8 saves against other ways: in the example, and in random demands on a joint that moves forward.

    The demands have speeds up to 100 deg/s at both ends, 0.2 to 1 s, and ways that need up to 100 deg/s on average.
    """
    random = np.random.default_rng(seed)
    speeds, duration = np.radians(random.uniform(0, 100, (2, demands))), random.uniform(0.2, 1, demands)
    angle = np.radians(random.uniform(0, 100, demands)) * duration
    ways = [
        plan(0.0, SPEEDS[0], ANGLES[1], SPEEDS[1], TIMES[1] - TIMES[0], MAX_SPEED, MAX_ACCELERATION),
        plan(0.0, speeds[0], angle, speeds[1], duration, MAX_SPEED, MAX_ACCELERATION),
    ]
    shares = np.linspace(0.05, 0.95, 19)
    ours = [way.work(ARM_INERTIA) for way in ways]
    switched = [
        np.array([_switched_at(way, share * way.duration).work(ARM_INERTIA) for share in shares]) for way in ways
    ]
    others = {
        "the switch in the middle": [each[9] for each in switched],
        "all switches, on average": [each.mean(axis=0) for each in switched],
        "the worst switch": [each.max(axis=0) for each in switched],
        "a cubic": [_cubic_work(way) for way in ways],
        "linear interpolation": [_linear_work(way) for way in ways],
    }
    return [
        Saving(against, float(1 - ours[0] / example), float(1 - ours[1].sum() / many.sum()))
        for against, (example, many) in others.items()
    ]


def electrical_energies(robot: Robot, goal: dict[str, float], duration: float) -> dict[str, tuple[Motion, float]]:
    """Motions from the stand to a goal (rad) in a time (s) by each law, and the energy (J) that each takes."""
    stand = dict(robot.parameters.stand)
    start, end = (
        np.array([posture.get(name, 0.0) for name in robot.joint_names]) for posture in (stand, {**stand, **goal})
    )
    time = np.linspace(0, duration, 401)
    way = plan(start, 0.0, end, 0.0, duration)
    share, reach = (time / duration)[:, None], end - start
    position, velocity = (np.array(part) for part in zip(*(way.at(moment) for moment in time), strict=True))
    acceleration = np.where(time[:, None] < way.switch, way.acceleration_1, way.acceleration_2)
    motions = {
        "cubic": Motion(
            time,
            start + reach * share**2 * (3 - 2 * share),
            6 * reach * share * (1 - share) / duration,
            6 * reach * (1 - 2 * share) / duration**2,
        ),
        "two_interval": Motion(time, position, velocity, acceleration),
        "least_energy": least_energy(robot, stand, {**stand, **goal}, duration),
    }
    return {
        name: (motion, energy(robot, motion.time, motor_torque(robot, motion), motion.velocity).total)
        for name, motion in motions.items()
    }


def _switched_at(way: TwoIntervals, switch: float | Array) -> TwoIntervals:
    """The same demand with another switch (s)."""
    first, last = (way.angle_1, way.speed_1), (way.angle_2, way.speed_2)
    speed_m = np.asarray(switch_speed(*first, *last, 0.0, way.duration, switch))
    return TwoIntervals(*first, np.asarray(switch), speed_m, *last, way.duration)


def _cubic_work(way: TwoIntervals) -> Array:
    """Work (J) of the cubic with the same ends, by adding up every gain of speed."""
    s = np.linspace(0, 1, 401).reshape(-1, *[1] * way.duration.ndim)
    reach = way.angle_2 - way.angle_1
    first, last = way.duration * way.speed_1, way.duration * way.speed_2
    second, third = 3 * reach - 2 * first - last, first + last - 2 * reach
    return _work_of_speeds((first + s * (2 * second + s * 3 * third)) / way.duration)


def _linear_work(way: TwoIntervals) -> Array:
    """Work (J) of the straight way with the same ends, whose speed jumps at both."""
    return _work_of_speeds(np.stack([way.speed_1, (way.angle_2 - way.angle_1) / way.duration, way.speed_2]))


def _work_of_speeds(speed: Array) -> Array:
    before, after = speed[:-1], speed[1:]
    gains = np.maximum(after**2 - np.where(before * after > 0, before**2, 0.0), 0.0)
    return np.asarray(0.5 * ARM_INERTIA * gains.sum(axis=0))
