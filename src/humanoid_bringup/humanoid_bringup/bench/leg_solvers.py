"""Solvers of leg inverse kinematics side by side: the same robots, the same targets, the same core, one run."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass

from tqdm import tqdm

from humanoid_bringup.bench.conditions import nothing_printed, one_core, undisturbed
from humanoid_bringup.bench.leg_targets import Solution, Solve, Targets, errors, targets_of
from humanoid_bringup.bench.peer import Peer, load_all
from humanoid_description import load_robot

SOLVERS = {
    solver.name: solver
    for solver in (
        Peer("humanoid", "own_ik", "all_at_once", optional=False),
        Peer("humanoid_one_by_one", "own_ik", "one_by_one", optional=False),
        Peer("placo", "placo_ik", "solve", optional=True),
        Peer("pink", "pink_ik", "solve", optional=True),
    )
}
ROBOTS = ("ar601m", "fibo_km")
TARGETS = 1000
AT_LEAST = 0.5
"""s per round: what is faster is done again until then, so that its time is as sure as that of the slow."""


@dataclass(frozen=True)
class Row:
    """One solver with one robot; without figures, but with a reason, if the solver is not there."""

    solver: str
    robot: str
    solutions_per_s: float | None = None
    max_error_m: float | None = None
    max_error_rad: float | None = None
    reason: str | None = None


def measure(solvers: Iterable[str], rounds: int) -> list[Row]:
    """Let solvers find the angles for their targets in turn, several rounds, so that a noisy minute hits all alike.

    Args:
        solvers: Names from SOLVERS.
        rounds: How often each does it.
    """
    chosen = [SOLVERS[name] for name in solvers]
    targets = {name: targets_of(load_robot(name), TARGETS) for name in ROBOTS}
    jobs = [(solver.name, robot) for robot in ROBOTS for solver in chosen]
    with one_core(), nothing_printed():
        functions, reasons = load_all(chosen)
        solutions: dict[tuple[str, str], list[Solution]] = {job: [] for job in jobs if job[0] in functions}
        with tqdm(total=rounds * len(solutions), leave=False) as progress:
            for solver, robot in list(solutions) * rounds:
                progress.set_description(f"{solver}, {robot}")
                solutions[solver, robot] += _work(targets[robot], functions[solver])
                progress.update()
    return [
        _row(job, targets[job[1]], solutions[job]) if job in solutions else Row(*job, reason=reasons[job[0]])
        for job in jobs
    ]


def _work(targets: Targets, solve: Solve) -> list[Solution]:
    """Find all angles, and again until AT_LEAST is reached."""
    end = time.process_time() + AT_LEAST
    solutions = [solve(targets)]
    while time.process_time() < end:
        solutions.append(solve(targets))
    return solutions


def _row(job: tuple[str, str], targets: Targets, solutions: list[Solution]) -> Row:
    spent = sum(undisturbed([solution.cpu_times for solution in solutions]))
    distance, angle = errors(targets, solutions[0].angles)
    return Row(*job, round(len(targets.T_base_foot) / spent, 1), distance, angle)
