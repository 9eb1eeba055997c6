"""`humanoid bench`: the suite beside its peers. Each subcommand is a function that adds its parser."""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys

from humanoid_bringup.bench.engines import ENGINES
from humanoid_bringup.bench.simulators import Row, measure
from humanoid_bringup.commands import Commands, add_command
from humanoid_bringup.extras import require
from humanoid_description import RobotError


def add_parsers(commands: Commands) -> None:
    """Add `bench` and its subcommands."""
    parser = add_command(commands, "bench", "measure the suite beside its peers", "bench sim")
    subcommands = parser.add_subparsers(metavar="WHAT", required=True)
    for add in (_add_sim,):
        add(subcommands)


def _add_sim(commands: Commands) -> None:
    parser = add_command(
        commands, "sim", "measure simulators: the same robot and walk on one core", "bench sim --engine humanoid --json"
    )
    parser.add_argument(
        "--engine",
        action="append",
        choices=list(ENGINES),
        help="only this one; repeatable (default: all, peers are installed on first use)",
    )
    parser.add_argument(
        "--rounds", type=_count, default=3, metavar="N", help="runs of each, the best of which counts (default: 3)"
    )
    parser.add_argument("--full", action="store_true", help="walk all nine rows of seed 003's Table 4, not only row 1")
    parser.add_argument("--json", action="store_true", help="print {rows}")
    parser.set_defaults(run=run_sim)


def _count(text: str) -> int:
    count = int(text)
    if count < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return count


def require_peers() -> None:
    """Install the peers if need be; without them the rest is measured all the same."""
    try:
        require("bench")
    except RobotError as error:
        print(f"humanoid: {error}\nGoing on with what is there.", file=sys.stderr)


def run_sim(options: argparse.Namespace) -> int:
    """Measure and print the table; a peer that is not there is a row with the reason."""
    names = list(dict.fromkeys(options.engine or ENGINES))
    if any(ENGINES[name].peer for name in names):
        require_peers()
    rows = measure(names, options.rounds, options.full)
    if options.json:
        print(json.dumps({"rows": [dataclasses.asdict(row) for row in rows]}, indent=2))
        return 0
    print("AR-601M walks row 1 of seed 003's Table 4 (stays up in the paper), FIBO-KM stands; one core.\n")
    heads = f"{'us/step':>9}{'dt':>8}{'real time':>11}{'to MuJoCo':>11}{'simulated':>11}  verdict"
    print(f"{'engine':<20}{'contact':<9}{'robot':<9}{heads}")
    for row in rows:
        print(f"{row.engine:<20}{row.contact:<9}{row.robot:<9}{_figures(row)}")
    print("\nverdict: S stays up, F falls, and is not simulated beyond that")
    return 0


def _figures(row: Row) -> str:
    if row.reason is not None:
        return f"  {row.reason}"
    ratio = "-" if row.ratio_to_mujoco is None else f"{row.ratio_to_mujoco:.2f} x"
    speed = f"{row.us_per_step:9.1f}{row.dt_s:8g}{row.real_time_factor:9.1f} x{ratio:>11}"
    return f"{speed}{row.simulated_s:9.1f} s  {row.pattern}"
