"""`humanoid bench`: the suite beside its peers. Each subcommand is a function that adds its parser."""

from __future__ import annotations

import argparse
import dataclasses
import json
import re
import sys
from collections.abc import Mapping

from humanoid_bringup.bench import leg_solvers, push, simulators
from humanoid_bringup.bench.bus import add_bus_parser
from humanoid_bringup.bench.engines import ENGINES
from humanoid_bringup.bench.leg_solvers import SOLVERS
from humanoid_bringup.bench.peer import Peer
from humanoid_bringup.commands import Commands, add_command
from humanoid_bringup.extras import require
from humanoid_description import RobotError, load_robot

MOST_DIRECTIONS = 360
"""From which to push; more than one per degree tells nothing."""


def add_parsers(commands: Commands) -> None:
    """Add `bench` and its subcommands."""
    parser = add_command(commands, "bench", "measure the suite beside its peers", "bench sim")
    subcommands = parser.add_subparsers(metavar="WHAT", required=True)
    for add in (_add_sim, _add_ik, _add_push, _add_gazebo, add_bus_parser):
        add(subcommands)


def _add_sim(commands: Commands) -> None:
    summary, example = "measure simulators at the same walk on one core", "bench sim --engine humanoid --json"
    parser = add_command(commands, "sim", summary, example)
    _add_options(parser, "engine", ENGINES)
    parser.add_argument("--full", action="store_true", help="walk all nine rows of seed 003's Table 4, not only row 1")
    parser.set_defaults(run=run_sim)


def _add_ik(commands: Commands) -> None:
    summary, example = "measure leg inverse kinematics at the same targets on one core", "bench ik --solver humanoid"
    parser = add_command(commands, "ik", summary, example)
    _add_options(parser, "solver", SOLVERS)
    parser.set_defaults(run=run_ik)


def _add_push(commands: Commands) -> None:
    summary = "find the largest push that a robot survives, from every side, with balance and without"
    parser = add_command(commands, "push", summary, "bench push fibo_km --directions 4 --seeds 2")
    parser.add_argument("robot", nargs="?", default="fibo_km", help="name, or folder with a robot.yaml")
    parser.add_argument("--directions", type=_count, default=8, metavar="N", help="(default: %(default)s)")
    parser.add_argument("--seeds", type=_count, default=10, metavar="N", help="walks per push (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="print {rows}")
    parser.set_defaults(run=run_push)


def _add_gazebo(commands: Commands) -> None:
    summary = "compare the robots in Gazebo with those in the embedded engine; status 3 where there is no Gazebo"
    parser = add_command(commands, "gazebo", summary, "bench gazebo > gazebo.md")
    parser.add_argument("--json", action="store_true", help="print {generation, rows}")
    parser.set_defaults(run=run_gazebo)


def _add_options(parser: argparse.ArgumentParser, what: str, peers: Mapping[str, Peer]) -> None:
    """Options that benchmarks with peers have in common."""
    parser.add_argument(
        f"--{what}",
        dest="peers",
        action="append",
        choices=list(peers),
        help="only this one; repeatable (default: all; peers are installed on first use)",
    )
    parser.add_argument(
        "--rounds", type=_count, default=3, metavar="N", help="how often, the best of which counts (default: 3)"
    )
    parser.add_argument("--json", action="store_true", help="print {rows}")


def _count(text: str) -> int:
    if not re.fullmatch("0*[1-9][0-9]{0,8}", text):
        raise argparse.ArgumentTypeError(f"'{text}': give a whole number of 1 or more")
    return int(text)


def _chosen(options: argparse.Namespace, peers: Mapping[str, Peer]) -> list[str]:
    """Names of those to measure, installed if need be; without them the others are measured all the same."""
    names = list(dict.fromkeys(options.peers or peers))
    if any(peers[name].optional for name in names):
        try:
            require("bench")
        except RobotError as error:
            print(f"humanoid: {error}\nGoing on with what is there.", file=sys.stderr)
    return names


def run_sim(options: argparse.Namespace) -> int:
    """Measure and print the table; a peer that is not there is a row with the reason."""
    rows = simulators.measure(_chosen(options, ENGINES), options.rounds, options.full)
    if options.json:
        print(json.dumps({"rows": [dataclasses.asdict(row) for row in rows]}, indent=2))
        return 0
    print("AR-601M walks row 1 of seed 003's Table 4 (stays up in the paper), FIBO-KM walks; one core.\n")
    heads = f"{'us/step':>9}{'dt':>8}{'real time':>11}{'to MuJoCo':>11}{'simulated':>11}  verdict"
    print(f"{'engine':<20}{'contact':<9}{'robot':<9}{heads}")
    for row in rows:
        figures = f"  {row.reason}"
        if row.reason is None:
            ratio = "-" if row.ratio_to_mujoco is None else f"{row.ratio_to_mujoco:.2f} x"
            figures = f"{row.us_per_step:9.1f}{row.dt_s:8g}{row.real_time_factor:9.1f} x{ratio:>11}"
            figures += f"{row.simulated_s:9.1f} s  {row.pattern}"
        print(f"{row.engine:<20}{row.contact:<9}{row.robot:<9}{figures}")
    print("\nverdict: S stays up, F falls, and is not simulated beyond that")
    return 0


def run_ik(options: argparse.Namespace) -> int:
    """Measure and print the table; a peer that is not there is a row with the reason."""
    rows = leg_solvers.measure(_chosen(options, SOLVERS), options.rounds)
    if options.json:
        print(json.dumps({"rows": [dataclasses.asdict(row) for row in rows]}, indent=2))
        return 0
    print(f"The left leg reaches for {leg_solvers.TARGETS} poses of its foot; one core.\n")
    print(f"{'solver':<21}{'robot':<9}{'solutions/s':>12}{'greatest error':>18}")
    for row in rows:
        figures = f"  {row.reason}"
        if row.reason is None:
            figures = f"{row.solutions_per_s:12,.0f}{row.max_error_m:16.1e} m{row.max_error_rad:10.1e} rad"
        print(f"{row.solver:<21}{row.robot:<9}{figures}")
    return 0


def run_push(options: argparse.Namespace) -> int:
    """Print how hard a robot can be pushed."""
    if options.directions > MOST_DIRECTIONS:
        raise RobotError(f"bench push: --directions is {options.directions}. Give {MOST_DIRECTIONS} at most.")
    rows = push.push_table(load_robot(options.robot), options.directions, range(options.seeds))
    if options.json:
        print(json.dumps({"rows": [dataclasses.asdict(row) for row in rows]}))
        return 0
    directions = list(dict.fromkeys(row.direction_deg for row in rows))
    print(
        f"Largest impulse that {options.robot} survives with all of {options.seeds} seeds, N s/kg; degrees from forward"
    )
    print("to the left; on the torso, over 0.1 s.\n")
    print(f"{'':<24}" + "".join(f"{direction:>7.0f}" for direction in directions))
    for state in push.STATES:
        for balance in (False, True):
            name = f"{state}, {'balanced' if balance else 'not balanced'}"
            found = [row.impulse_per_kg for row in rows if row.state == state and row.balance == balance]
            print(f"{name:<24}" + "".join(f"{impulse:>7.1f}" for impulse in found))
    return 0


def run_gazebo(options: argparse.Namespace) -> int:
    """Measure in Gazebo and print the table; status 1 if something was not met."""
    from humanoid_bringup.bench.gazebo_agreement import Extent, measure
    from humanoid_bringup.gazebo import MISSING
    from humanoid_sim.gz_modules import load_gz
    from humanoid_sim.gz_simulation import GzSimulation

    try:
        generation = load_gz().generation
    except RobotError as error:
        print(f"humanoid: {error}", file=sys.stderr)
        return MISSING
    rows = measure(GzSimulation, Extent(), lambda text: print(text, file=sys.stderr, flush=True))
    if options.json:
        print(json.dumps({"generation": generation, "rows": [dataclasses.asdict(row) for row in rows]}, indent=2))
    else:
        print(f"| Gazebo {generation} | wanted | embedded engine | Gazebo | met |\n|---|---|---|---|---|")
        for row in rows:
            print(f"| {row.what} | {row.wanted} | {row.embedded} | {row.gazebo} | {'yes' if row.met else 'NO'} |")
    return 0 if all(row.met for row in rows) else 1
