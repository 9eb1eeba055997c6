"""`humanoid cluster`: the machines on which `humanoid sweep --scheduler` walks."""

from __future__ import annotations

import argparse
import os
import sys

from humanoid_bringup.commands import Commands, add_command
from humanoid_bringup.extras import CHECKOUT, require
from humanoid_description import RobotError


def add_parsers(commands: Commands) -> None:
    """Add `cluster`."""
    summary = "serve sweeps: one scheduler, and workers on any number of machines"
    parser = add_command(commands, "cluster", summary, "cluster worker tcp://192.168.1.10:8786")
    roles = parser.add_subparsers(metavar="ROLE", required=True)
    scheduler = roles.add_parser("scheduler", help="hand out walks to the workers, until stopped")
    scheduler.add_argument(
        "--host",
        default="127.0.0.1",
        help="address of this machine to listen on; whoever reaches it can run programs on the workers, so "
        "give one of a network you trust (default: %(default)s)",
    )
    scheduler.add_argument("--port", type=int, default=8786, help="(default: %(default)s)")
    scheduler.set_defaults(run=run_scheduler)
    worker = roles.add_parser("worker", help="walk what a scheduler hands out, until stopped")
    worker.add_argument("scheduler", metavar="ADDRESS", help="as the scheduler prints it, such as tcp://HOST:8786")
    worker.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes (default: one per core)")
    worker.set_defaults(run=run_worker)


def run_scheduler(options: argparse.Namespace) -> int:
    """Become the scheduler."""
    _become("dask_scheduler", "--host", options.host, "--port", str(options.port), "--no-dashboard")
    return 1


def run_worker(options: argparse.Namespace) -> int:
    """Become the workers of this machine: a process per core, as a walk is one core's work."""
    if options.jobs < 1:
        raise RobotError(f"jobs: is {options.jobs}. Give one or more processes.")
    processes = ["--nworkers", str(options.jobs), "--nthreads", "1", "--no-dashboard"]
    _become("dask_worker", options.scheduler, *processes, "--local-directory", str(CHECKOUT / ".cache" / "dask"))
    return 1


def _become(module: str, *arguments: str) -> None:
    require("cluster")
    os.execv(sys.executable, [sys.executable, "-P", "-m", f"distributed.cli.{module}", *arguments])
