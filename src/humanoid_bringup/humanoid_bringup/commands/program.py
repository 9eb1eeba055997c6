"""`humanoid program`: a user's own controller, run against a robot, simulated or real."""

from __future__ import annotations

import argparse
import json
import math
import sys
from pathlib import Path

from humanoid_bringup.commands import Commands, add_command, namespace
from humanoid_description import RobotError


def add_parsers(commands: Commands) -> None:
    """Add `program`."""
    example = "program examples/own_controller.py --robot /fibo_km --rate 50"
    summary = "run a Python program with a function control(robot) against a robot"
    parser = add_command(commands, "program", summary, example)
    parser.add_argument("file", type=Path, help="Python text; docs/own_controller.md says what it can do")
    parser.add_argument(
        "--robot",
        type=namespace,
        default="/fibo_km",
        metavar="NAMESPACE",
        help="of the robot (default: %(default)s)",
    )
    parser.add_argument("--rate", type=float, default=50.0, help="calls per second, Hz (default: %(default)s)")
    parser.add_argument(
        "--seconds", type=float, default=math.inf, help="of the robot's time to run (default: until it finishes)"
    )
    parser.add_argument(
        "--json", action="store_true", help="print {state, error, line, calls, seconds, late}; prints go to stderr"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run it to its end; the status is 1 if it fails."""
    from humanoid_bringup import program_node
    from humanoid_bringup.program import FAILED, read_program

    if not options.seconds > 0:
        raise RobotError("program: --seconds must be above zero.")
    text = read_program(options.file)
    print(f"running {options.file} on {options.robot}; Ctrl-C stops it", file=sys.stderr, flush=True)

    def show(printed: str) -> None:
        print(printed, end="", file=sys.stderr if options.json else sys.stdout, flush=True)

    folder = options.file.resolve().parent
    outcome = program_node.run(text, str(options.file), folder, options.robot, options.rate, options.seconds, show)
    if options.json:
        print(json.dumps(outcome))
    else:
        print(f"{outcome['state']} after {outcome['seconds']:.2f} s and {outcome['calls']} calls")
    if outcome["state"] == FAILED:
        where = f":{outcome['line']}" if outcome["line"] else ""
        print(f"humanoid: {options.file}{where}: {outcome['error']}", file=sys.stderr)
        return 1
    return 0
