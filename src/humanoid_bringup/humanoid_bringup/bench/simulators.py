"""Simulators side by side: the same robot, the same task, the same core, one run."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from tqdm import tqdm

from humanoid_bringup.bench.conditions import nothing_printed, one_core, undisturbed
from humanoid_bringup.bench.engines import ENGINES, Engine
from humanoid_bringup.bench.peer import load_all
from humanoid_bringup.bench.task import Outcome, Simulate
from humanoid_bringup.reproduce.table4 import TABLE_4
from humanoid_description import Robot, load_robot
from humanoid_gait.primitives import JointReference, forward_walk
from humanoid_gait.walker import Walker

PRIMITIVES = 3
"""Steps of each leg: with more of them the verdicts stay, with fewer some robots would still be falling."""
KID_SIZE_SECONDS, KID_SIZE_SPEED = 5.0, 0.2
"""s and m/s of FIBO-KM's walk."""
BASELINE = "mujoco"
"""The engine to which all are compared."""
KID_SIZE = ("humanoid", BASELINE)
"""Engines that also let FIBO-KM walk: its servos have no counterpart in the others."""
AT_LEAST = 0.5
"""s of work per round: what is faster is done again until then, so that its time is as sure as that of the slow."""


@dataclass(frozen=True)
class Row:
    """One engine at one task; without figures, but with a reason, if the engine is not there."""

    engine: str
    contact: str
    robot: str
    task: str
    dt_s: float
    us_per_step: float | None = None
    real_time_factor: float | None = None
    ratio_to_mujoco: float | None = None
    """Of the real-time factors at the same task."""
    simulated_s: float | None = None
    pattern: str | None = None
    """S for a robot that stayed up and F for one that fell, a letter for each row of Table 4 that was walked."""
    reason: str | None = None


@dataclass(frozen=True)
class Job:
    """An engine and a task."""

    engine: Engine
    robot: Robot
    task: str

    def reference(self, row: int = 0) -> JointReference:
        """What the joints shall do."""
        dt = self.engine.dt
        if self.robot.name == "fibo_km":
            return _planned_walk(self.robot, dt)
        parameters, _ = TABLE_4[row]
        return forward_walk(self.robot, parameters, PRIMITIVES, dt)


def _planned_walk(robot: Robot, dt: float) -> JointReference:
    """The commands of a walk that is planned from the model, without feedback, held between two of them."""
    walker = Walker(robot, balance=False)
    walker.walk((KID_SIZE_SPEED, 0.0, 0.0))
    commands = [walker.tick() for _ in range(round(KID_SIZE_SECONDS / walker.period))]
    steps = round(walker.period / dt)
    position = np.repeat([command.position for command in commands], steps, axis=0)
    velocity = np.repeat([command.velocity for command in commands], steps, axis=0)
    return JointReference(dt, position, velocity, reachable=True)


def measure(engines: Iterable[str], rounds: int, full: bool = False) -> list[Row]:
    """Let engines do their tasks in turn, several rounds, so that a noisy minute hits all alike.

    Args:
        engines: Names from ENGINES.
        rounds: How often each does its tasks.
        full: Walk all rows of Table 4 for the verdicts; the times are those of the first row.
    """
    chosen = [ENGINES[name] for name in engines]
    with one_core(), nothing_printed():
        functions, reasons = load_all(chosen)
        jobs = _jobs(chosen)
        outcomes: dict[Job, list[Outcome]] = {job: [] for job in jobs if job.engine.name in functions}
        # What is walked only once, for the verdict.
        more = [(job, row) for job in outcomes if full and job.robot.name == "ar601m" for row in range(1, len(TABLE_4))]
        with tqdm(total=rounds * len(outcomes) + len(more), leave=False) as progress:
            for job in list(outcomes) * rounds:
                progress.set_description(f"{job.engine.name}, {job.task}")
                outcomes[job] += _work(job, functions[job.engine.name])
                progress.update()
            patterns = {job: _letter(results[0]) for job, results in outcomes.items()}
            for job, row in more:
                progress.set_description(f"{job.engine.name}, row {row + 1}")
                patterns[job] += _letter(functions[job.engine.name](job.robot, job.reference(row)))
                progress.update()
    best = {job: _best(results) for job, results in outcomes.items()}
    baseline = {job.task: outcome.real_time_factor for job, outcome in best.items() if job.engine.name == BASELINE}
    return [
        _row(job, best[job], patterns[job], baseline.get(job.task))
        if job in best
        else _row_without(job, reasons[job.engine.name])
        for job in jobs
    ]


def _jobs(engines: list[Engine]) -> list[Job]:
    adult, kid = load_robot("ar601m"), load_robot("fibo_km")
    jobs = [Job(engine, adult, "row 1") for engine in engines]
    return jobs + [Job(engine, kid, "walk") for engine in engines if engine.name in KID_SIZE]


def _work(job: Job, simulate: Simulate) -> list[Outcome]:
    """Do a task, and again until AT_LEAST is reached."""
    reference = job.reference()
    outcomes = [simulate(job.robot, reference)]
    while sum(outcome.cpu_time for outcome in outcomes) < AT_LEAST:
        outcomes.append(simulate(job.robot, reference))
    return outcomes


def _best(outcomes: list[Outcome]) -> Outcome:
    times = undisturbed([outcome.cpu_times for outcome in outcomes])
    return dataclasses.replace(outcomes[0], cpu_times=times)


def _letter(outcome: Outcome) -> str:
    return "F" if outcome.fell else "S"


def _row(job: Job, outcome: Outcome, pattern: str, baseline: float | None) -> Row:
    return dataclasses.replace(
        _row_without(job, None),
        us_per_step=round(outcome.us_per_step, 2),
        real_time_factor=round(outcome.real_time_factor, 2),
        ratio_to_mujoco=None if baseline is None else round(outcome.real_time_factor / baseline, 3),
        simulated_s=round(outcome.seconds, 3),
        pattern=pattern,
    )


def _row_without(job: Job, reason: str | None) -> Row:
    return Row(job.engine.name, job.engine.contact, job.robot.name, job.task, job.engine.dt, reason=reason)
