"""Sweeps in real processes, and on a real Dask cluster where it is installed."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from humanoid_description import RobotError
from humanoid_sim import sweep as module
from humanoid_sim.sweep import Axis, Cell, Point, grid, parse_axis, sweep

UNITS = {"step": "m", "period": "s"}
POINTS = [{"step": float(number)} for number in range(12)]
FINITE = st.floats(-1e6, 1e6).filter(lambda value: value == 0 or abs(value) > 1e-6)


def test_a_range_has_its_ends_and_even_steps() -> None:
    assert parse_axis("step=0.05:0.2:7", UNITS) == Axis("step", "m", (0.05, 0.075, 0.1, 0.125, 0.15, 0.175, 0.2))
    assert parse_axis("period=0.5,0.25", UNITS) == Axis("period", "s", (0.5, 0.25))


@given(low=FINITE, width=st.floats(1e-3, 1e6), count=st.integers(2, 50))
def test_any_range_rises_from_its_low_to_its_high_end(low: float, width: float, count: int) -> None:
    values = parse_axis(f"step={low!r}:{low + width!r}:{count}", UNITS).values
    assert len(values) == count
    assert values[0] == pytest.approx(low, rel=1e-11)
    assert values[-1] == pytest.approx(low + width, rel=1e-11)
    assert list(values) == sorted(values)


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("stp=0.1:0.2:3", "Did you mean 'step'"),
        ("", "Known: period, step"),
        ("step", "Write NAME=LOW:HIGH:COUNT"),
        ("step=", "Write NAME=LOW:HIGH:COUNT"),
        ("step=0.2:0.1:3", "LOW below HIGH"),
        ("step=0.1:0.1:3", "LOW below HIGH"),
        ("step=0.1:0.2:1", "COUNT two or more"),
        ("step=0.1:0.2:2.5", "Write NAME=LOW:HIGH:COUNT"),
        ("step=0.1:0.2", "Write NAME=LOW:HIGH:COUNT"),
        ("step=nan,0.1", "no range of numbers"),
        ("step=0:inf:3", "no range of numbers"),
        ("step=0.1,0.1", "each once"),
        ("step=0:1:1000000000000", "Take fewer values"),
    ],
)
def test_what_is_no_range_is_refused(text: str, remedy: str) -> None:
    with pytest.raises(RobotError, match=remedy):
        parse_axis(text, UNITS)


def test_the_last_axis_of_a_grid_runs_fastest() -> None:
    axes = [Axis("step", "m", (1.0, 2.0)), Axis("period", "s", (3.0, 4.0))]
    assert [tuple(point.values()) for point in grid(axes)] == [(1, 3), (1, 4), (2, 3), (2, 4)]
    with pytest.raises(RobotError, match="each parameter once"):
        grid([axes[0], axes[0]])
    with pytest.raises(RobotError, match="Take fewer"):
        grid([parse_axis(f"{name}=0:1:1000", UNITS) for name in UNITS])


# Jobs are local functions, which are sent to the other processes by value: those cannot import this file.


def test_cells_come_in_the_order_of_the_points_from_processes_with_one_thread_each() -> None:
    def job(point: Point) -> dict[str, Any]:
        return {"square": point["step"] ** 2, "process": os.getpid(), "threads": os.environ["OMP_NUM_THREADS"]}

    cells = sweep(job, POINTS, jobs=2)
    answers = [cell.answer or {} for cell in cells]
    assert [cell.point for cell in cells] == POINTS
    assert [answer["square"] for answer in answers] == [point["step"] ** 2 for point in POINTS]
    assert os.getpid() not in {answer["process"] for answer in answers}
    assert {answer["threads"] for answer in answers} == {"1"}


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_job_that_refuses_is_a_cell_and_one_that_breaks_is_an_error(jobs: int) -> None:
    def job(point: Point) -> dict[str, Any]:
        if point["step"] == 3:
            raise RobotError("out of reach")
        return {"half": 1 / (11 - point["step"])}

    cells = sweep(job, POINTS[:11], jobs=jobs)
    assert cells[3] == Cell({"step": 3.0}, None, "out of reach")
    assert all(cell.answer and not cell.refusal for cell in cells[:3] + cells[4:])
    with pytest.raises(ZeroDivisionError):
        sweep(job, POINTS, jobs=jobs)


def test_a_killed_process_is_told() -> None:
    def job(point: Point) -> dict[str, Any]:
        os.kill(os.getpid(), signal.SIGKILL)
        return {}

    with pytest.raises(RobotError, match="Take fewer --jobs"):
        sweep(job, POINTS, jobs=2)


@pytest.mark.parametrize("jobs", [0, -2])
def test_a_number_of_processes_that_is_none_is_refused(jobs: int) -> None:
    with pytest.raises(RobotError, match="one per core"):
        sweep(lambda point: point, POINTS, jobs=jobs)


@pytest.fixture
def distributed() -> Any:
    """Dask's scheduler and workers, which `./humanoid sweep --scheduler` installs."""
    return pytest.importorskip("distributed", reason="Dask is not installed: ./humanoid sweep --scheduler does")


@pytest.fixture
def cluster(distributed: Any) -> Iterator[Any]:
    """A scheduler and one worker on this machine, which does not try a job again that killed it."""
    import dask

    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        distributed.LocalCluster(1, threads_per_worker=1, dashboard_address=None) as cluster,
    ):
        yield cluster


def test_a_cluster_gives_the_same_cells(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def job(point: Point) -> dict[str, Any]:
        if point["step"] == 3:
            raise RobotError("out of reach")
        return {"root": point["step"] ** 0.5}

    address, ours = cluster.scheduler_address, os.getpid()
    assert sweep(job, POINTS, scheduler=address) == sweep(job, POINTS, jobs=1)
    elsewhere = sweep(lambda point: {"here": os.getpid() == ours}, POINTS, scheduler=address)
    assert [cell.answer for cell in elsewhere] == [{"here": False}] * len(POINTS)
    with pytest.raises(ZeroDivisionError):
        sweep(lambda point: {"bad": 1 / point["step"]}, POINTS, scheduler=address)
    monkeypatch.setattr(module, "PACKAGES", module.PACKAGES[:1])  # in this process only
    with pytest.raises(RobotError, match="has not got this version"):
        sweep(job, POINTS, scheduler=address)


def test_a_worker_that_dies_is_told(cluster: Any) -> None:
    def job(point: Point) -> dict[str, Any]:
        os.kill(os.getpid(), signal.SIGKILL)
        return {}

    with pytest.raises(RobotError, match="lost on the way"):
        sweep(job, POINTS[:2], scheduler=cluster.scheduler_address)


def test_a_cluster_that_goes_away_is_told(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def job(point: Point) -> dict[str, Any]:
        if point["step"] > 0:
            threading.Event().wait()  # for ever
        return {}

    class Bar(contextlib.nullcontext[Any]):
        def update(self) -> None:
            cluster.close()

    monkeypatch.setattr(module, "_bar", lambda total: Bar(Bar()))
    with pytest.raises(RobotError, match="lost on the way"):
        sweep(job, POINTS, scheduler=cluster.scheduler_address)


def test_a_cluster_without_workers_is_told(distributed: Any) -> None:
    scheduler = {"cls": distributed.Scheduler, "options": {"host": "127.0.0.1", "port": 0, "dashboard": False}}
    with (
        distributed.SpecCluster({}, scheduler) as cluster,
        pytest.raises(RobotError, match=r"has no workers. Start them with './humanoid cluster worker"),
    ):
        sweep(lambda point: point, POINTS, scheduler=cluster.scheduler_address)


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nonsense", "", "foo://bar:1"])
def test_a_scheduler_that_is_not_there_is_told(address: str, distributed: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CONNECT_SECONDS", 0.3)
    with pytest.raises(RobotError, match=r"cannot be reached: .* './humanoid cluster scheduler'"):
        sweep(lambda point: point, POINTS, scheduler=address)


def test_the_bar_is_on_stderr(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BAR_DELAY", 0.0)
    sweep(lambda point: point, POINTS, jobs=1)
    captured = capfd.readouterr()
    assert captured.out == ""
    assert f"{len(POINTS)}/{len(POINTS)}" in captured.err
    monkeypatch.setattr(sys, "stderr", None)
    assert len(sweep(lambda point: point, POINTS, jobs=1)) == len(POINTS)
