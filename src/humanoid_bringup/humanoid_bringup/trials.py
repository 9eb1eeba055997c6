"""Walks in the simulator, with realistic servos, noise and delay, and what is measured on them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from tqdm import tqdm

from humanoid_description import Robot
from humanoid_description.inertial import GRAVITY
from humanoid_gait.gait_parameters import GaitParameters, load_gait
from humanoid_gait.walker import Sensed, Walker
from humanoid_sim.simulation import Noise, Observation, Simulation

Array = NDArray[np.float64]
NOISE = Noise(gyro=0.02, accelerometer=0.3, foot_force=0.2)
COMMAND_DELAY = 0.01
"""s: one cycle of the servo bus."""
STAND_TIME = 0.5
"""s before the walk begins; up to one step more, by the seed, so that nothing happens at the same instant of a step."""
SETTLE_TIME = 2.0
"""s after which the walk's speed is measured."""
PUSH_TIME = 0.1
"""s that a push lasts."""


@dataclass(frozen=True)
class Push:
    """A push on the torso."""

    direction: float
    """rad, from forward to the left."""
    impulse_per_mass: float
    """N s/kg."""
    after: float
    """s from the beginning of the walk; up to two steps more, by the seed."""


@dataclass(frozen=True)
class Trial:
    """One walk."""

    robot: Robot
    believed: Robot
    """The model from which the walk is planned."""
    velocity: tuple[float, float, float]
    """Forward, sideways (m/s), turn (rad/s)."""
    seconds: float
    seed: int
    gait: GaitParameters | None = None
    """The robot's own if not given."""
    balance: bool = True
    torque_share: float = 1.0
    """Torque limit over the servos' own."""
    push: Push | None = None


@dataclass(frozen=True)
class Outcome:
    """What became of a walk."""

    fell: bool
    seconds: float
    """Walked, until the end or the fall; zero if it could not even stand."""
    velocity: tuple[float, float, float]
    """Measured along the robot's own heading: forward, sideways (m/s), turn (rad/s)."""
    distance: float
    """m, on which the velocity was measured."""
    yaw_drift: float
    """Turned more than told, rad."""
    energy: float
    """Electrical, of all servos, J."""
    zmp_margin: float
    """Mean distance of the centre of pressure of the foot that carries more from its nearest edge, m."""
    full_drive: dict[str, float]
    """Share of the time in which a joint's servo gave all it has."""


def run_trial(trial: Trial, make: Callable[..., Simulation] = Simulation) -> Outcome:
    """Walk once, in the simulation that `make` gives."""
    robot = trial.robot
    gait = trial.gait or load_gait(robot)
    walker = Walker(trial.believed, gait, balance=trial.balance)
    random = np.random.default_rng(trial.seed)
    simulation = make(robot, seed=trial.seed, command_delay=COMMAND_DELAY, noise=NOISE, torque_share=trial.torque_share)
    simulation.place(robot.name, walker.placed.position)
    steps = round(walker.period / simulation.dt)
    start = STAND_TIME + random.uniform(0.0, gait.step_time)
    push_at = start + trial.push.after + random.uniform(0.0, 2 * gait.step_time) if trial.push else math.inf
    recorder = _Recorder(robot, trial.torque_share)
    while simulation.time < start + trial.seconds and not simulation.fallen(robot.name):
        seen = simulation.observe(robot.name)
        if simulation.time >= start:
            walker.walk(trial.velocity)
        if trial.push and simulation.time >= push_at:
            force = robot.mass * trial.push.impulse_per_mass / PUSH_TIME
            direction = trial.push.direction
            vector = (force * math.cos(direction), force * math.sin(direction), 0.0)
            simulation.push(robot.name, robot.base_model.root, vector, PUSH_TIME)
            push_at = math.inf
        command = walker.tick(Sensed(seen.joint_position, seen.angular_velocity, seen.linear_acceleration))
        simulation.command(robot.name, command.position, command.velocity)
        simulation.step(steps)
        if simulation.time >= start:
            recorder.add(seen, command.position)
    seconds = max(0.0, simulation.time - start)
    return recorder.outcome(trial, gait, simulation.fallen(robot.name), seconds, walker.period)


class _Recorder:
    """What was seen of a walk, one row per tick."""

    def __init__(self, robot: Robot, torque_share: float) -> None:
        parameters = robot.parameters
        servos = [parameters.servos[joint.servo] for joint in parameters.joints.values()]
        self._robot = robot
        # A motor's copper loss is torque^2 (no-load speed / stall torque).
        self._loss = np.array([servo.no_load_speed / servo.stall_torque for servo in servos])
        self._limit = np.array([servo.stall_torque for servo in servos]) * torque_share
        self._slope = np.array([servo.compliance_margin + servo.compliance_slope or math.inf for servo in servos])
        self._pose: list[tuple[float, float, float]] = []
        self._power: list[float] = []
        self._margin: list[float] = []
        self._full: list[NDArray[np.bool_]] = []

    def add(self, seen: Observation, commanded: Array) -> None:
        x, y, z, w = seen.base_orientation_xyzw
        yaw = math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
        self._pose.append((seen.base_position[0], seen.base_position[1], yaw))
        torque = seen.joint_torque
        self._power.append(float(np.maximum(0.0, torque * seen.joint_velocity + self._loss * torque**2).sum()))
        driven = np.abs(commanded - seen.joint_position) >= self._slope
        self._full.append(driven | (np.abs(torque) >= 0.99 * self._limit))
        side = max(seen.foot_force, key=lambda name: float(seen.foot_force[name][2]))
        foot, wrench = self._robot.parameters.feet[side], seen.foot_force[side]
        if wrench[2] > 0.3 * self._robot.mass * GRAVITY:
            # The sole lies below the origin of the foot, to which the wrench belongs.
            ahead = (-wrench[4] - foot.depth * wrench[0]) / wrench[2]
            aside = (wrench[3] - foot.depth * wrench[1]) / wrench[2]
            self._margin.append(min(foot.front - ahead, foot.rear + ahead, foot.left - aside, foot.right + aside))

    def outcome(self, trial: Trial, gait: GaitParameters, fell: bool, seconds: float, period: float) -> Outcome:
        pose = np.array(self._pose).reshape(-1, 3)
        pose[:, 2] = np.unwrap(pose[:, 2])
        settled = pose[min(round(SETTLE_TIME / period), max(0, len(pose) - 2)) :]
        velocity, distance, drift = np.zeros(3), 0.0, 0.0
        if len(settled) > 1:
            time = (len(settled) - 1) * period
            # Along the heading of the walk, not of the torso, which turns to and fro within two steps.
            window = min(len(settled), max(1, round(2 * gait.step_time / period)))
            padded = np.pad(settled[:, 2], (window // 2, window - 1 - window // 2), "edge")
            heading = np.convolve(padded, np.ones(window) / window, "valid")
            way, c, s = np.diff(settled[:, :2], axis=0), np.cos(heading[:-1]), np.sin(heading[:-1])
            forward, sideways = way[:, 0] @ c + way[:, 1] @ s, way[:, 1] @ c - way[:, 0] @ s
            velocity = np.array([forward, sideways, heading[-1] - heading[0]]) / time
            distance = math.hypot(forward, sideways)
            drift = heading[-1] - heading[0] - trial.velocity[2] * time
        full = np.mean(self._full, axis=0) if self._full else np.zeros(self._robot.dof)
        return Outcome(
            fell=fell,
            seconds=seconds,
            velocity=(float(velocity[0]), float(velocity[1]), float(velocity[2])),
            distance=distance,
            yaw_drift=float(drift),
            energy=float(np.sum(self._power) * period),
            zmp_margin=float(np.mean(self._margin)) if self._margin else 0.0,
            full_drive=dict(zip(self._robot.joint_names, full.tolist(), strict=True)),
        )


def run_trials(trials: Sequence[Trial], title: str, jobs: int = -1) -> list[Outcome]:
    """Walk many times, on all cores; a bar shows how far it is."""
    outcomes = Parallel(n_jobs=jobs, return_as="generator")(delayed(run_trial)(trial) for trial in trials)
    return list(tqdm(outcomes, total=len(trials), desc=title, disable=None, leave=False))
