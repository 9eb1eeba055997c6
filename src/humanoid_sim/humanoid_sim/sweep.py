"""One job at every point of a grid of parameters: on all cores of this machine, or on a Dask cluster."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib
import importlib.util
import itertools
import logging
import math
import shutil
import sys
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import joblib
import numpy as np
from joblib.externals.loky.process_executor import TerminatedWorkerError
from tqdm import tqdm

from humanoid_description import RobotError
from humanoid_description.errors import did_you_mean

Point = Mapping[str, float]
Answer = Mapping[str, Any]
MAX_CELLS = 100_000
CONNECT_SECONDS = 10.0
BAR_DELAY = 1.0
"""s until there is a bar: a short sweep needs none."""
PACKAGES = ("humanoid_description", "humanoid_sim", "humanoid_gait", "humanoid_bringup")
"""Whose code decides what a job answers."""


@dataclass(frozen=True)
class Axis:
    """A parameter and the values it takes."""

    name: str
    unit: str
    values: tuple[float, ...]


@dataclass(frozen=True)
class Cell:
    """What came out at one point of the grid."""

    point: Point
    answer: Answer | None
    """None where the job refused."""
    refusal: str = ""
    """Why."""


Result = tuple[int, Cell]
"""Number of a point, and what came out there."""
Attempt = Callable[[int, Point], Result]


def parse_axis(text: str, units: Mapping[str, str]) -> Axis:
    """Read NAME=LOW:HIGH:COUNT or NAME=VALUE,VALUE,...

    Args:
        text: As written on the command line.
        units: Of the parameters that can be varied, by name.
    """
    remedy = "Write NAME=LOW:HIGH:COUNT, LOW below HIGH and COUNT two or more, or NAME=VALUE,VALUE,..., each once."
    name, _, written = text.partition("=")
    if name not in units:
        raise RobotError(f"vary '{text}': there is no parameter '{name}'. {did_you_mean(name, units)}")
    try:
        if ":" in written:
            low, high, count = written.split(":")
            ends, number = (float(low), float(high)), int(count)
            if not -math.inf < ends[0] < ends[1] < math.inf or number < 2:
                raise ValueError
            check_size([number])
            # Twelve digits: 0.075 instead of 0.07500000000000001.
            values = tuple(float(f"{value:.12g}") for value in np.linspace(*ends, number))
        else:
            values = tuple(float(word) for word in written.split(","))
        if not all(math.isfinite(value) for value in values) or len(set(values)) < len(values):
            raise ValueError
    except RobotError:
        raise
    except ValueError:
        raise RobotError(f"vary '{text}': is no range of numbers. {remedy}") from None
    return Axis(name, units[name], values)


def check_size(counts: Iterable[int]) -> None:
    """Refuse a grid with more cells than anybody would wait for."""
    cells = math.prod(counts)
    if cells > MAX_CELLS:
        raise RobotError(f"sweep: {cells} cells are over {MAX_CELLS}. Take fewer values.")


def grid(axes: Sequence[Axis]) -> list[dict[str, float]]:
    """Every combination of the axes' values; the last axis runs fastest."""
    names = [axis.name for axis in axes]
    if len(set(names)) < len(names):
        raise RobotError(f"sweep: varies {', '.join(names)}. Name each parameter once.")
    check_size(len(axis.values) for axis in axes)
    return [dict(zip(names, values, strict=True)) for values in itertools.product(*(axis.values for axis in axes))]


def sweep(
    job: Callable[[Point], Answer], points: Sequence[Point], *, jobs: int = -1, scheduler: str | None = None
) -> list[Cell]:
    """Do a job at every point and return the cells in the order of the points, with a bar on stderr.

    A job that raises RobotError, such as for a step out of reach, gives a cell without answer. Any other error ends the
    sweep.

    Args:
        job: To be done; it is sent to other processes.
        points: Where.
        jobs: Processes on this machine; -1 for one per core.
        scheduler: Address of a Dask scheduler whose workers do it instead.
    """
    if jobs == 0 or jobs < -1:
        raise RobotError(f"jobs: is {jobs}. Give the number of processes, or -1 for one per core.")
    attempt = functools.partial(_attempt, job)
    results = _on_cores(attempt, points, jobs) if scheduler is None else _on_cluster(attempt, points, scheduler)
    cells: dict[int, Cell] = {}
    with contextlib.closing(results), _bar(len(points)) as bar:
        for index, cell in results:
            cells[index] = cell
            bar.update()
    return [cells[index] for index in range(len(points))]


def _bar(total: int) -> Any:
    """How far the sweep is, on stderr: redrawn on a terminal, every ten seconds elsewhere."""
    closed = sys.stderr is None  # by the caller
    interval = 0.1 if not closed and sys.stderr.isatty() else 10.0
    columns, rows = shutil.get_terminal_size()  # tqdm would draw nothing on a terminal that does not know its size
    return tqdm(
        total=total,
        desc="sweep",
        delay=BAR_DELAY,
        mininterval=interval,
        ncols=columns,
        nrows=rows,
        disable=closed,
    )


def _attempt(job: Callable[[Point], Answer], index: int, point: Point) -> Result:
    try:
        return index, Cell(point, job(point))
    except RobotError as error:
        return index, Cell(point, None, str(error))


def _on_cores(attempt: Attempt, points: Sequence[Point], jobs: int) -> Generator[Result, None, None]:
    """Results as they come from processes of this machine, each one core's work."""
    parallel = joblib.Parallel(
        jobs, backend="loky", inner_max_num_threads=1, return_as="generator_unordered", max_nbytes=None
    )
    try:
        yield from parallel(joblib.delayed(attempt)(index, point) for index, point in enumerate(points))
    except TerminatedWorkerError:
        raise RobotError("sweep: a process was killed, perhaps for lack of memory. Take fewer --jobs.") from None


def _on_cluster(attempt: Attempt, points: Sequence[Point], scheduler: str) -> Generator[Result, None, None]:
    """Results as they come from the workers of a cluster, which must run the same code as this process.

    Dask is asked itself: joblib's way to it waits for ever if a worker dies, and leaves a cluster of one worker idle.
    """
    distributed: Any = importlib.import_module("distributed")  # optional, so it is imported only here
    for name in ("distributed", "distributed.client"):  # what goes wrong is told below, once
        logging.getLogger(name).setLevel(logging.CRITICAL)
    place = f"scheduler '{scheduler}'"
    try:
        client = distributed.Client(scheduler, timeout=CONNECT_SECONDS)
    except (OSError, ValueError) as error:
        reason = str(error).strip().splitlines()[0]
        raise RobotError(
            f"{place}: cannot be reached: {reason}. Start one with './humanoid cluster scheduler' and "
            "give the address it prints, such as tcp://127.0.0.1:8786."
        ) from None
    start = f"Start them with './humanoid cluster worker {scheduler}', from a checkout like this one."
    try:
        with client:
            versions = client.run(code_version, on_error="return")  # an error where the suite is not found
            if not versions:
                raise RobotError(f"{place}: has no workers. {start}")
            for worker, version in versions.items():
                if version != code_version():
                    raise RobotError(f"{place}: the worker {worker} has not got this version of the suite. {start}")
            futures = client.map(attempt, range(len(points)), points, pure=False)
            for future in distributed.as_completed(futures):
                yield future.result()
    except (CancelledError, distributed.KilledWorker):
        raise RobotError(f"{place}: it or its workers were lost on the way. Look at what they say.") from None


def code_version() -> str:
    """Digest of the sources that decide what a job answers."""
    digest = hashlib.sha256()
    for name in PACKAGES:
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.origin is not None:
            folder = Path(spec.origin).parent
            for file in sorted(folder.rglob("*.py")):
                digest.update(str(file.relative_to(folder)).encode() + file.read_bytes())
    return digest.hexdigest()
