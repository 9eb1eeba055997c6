"""`humanoid launch`: a set of programs together, as `ros2 launch humanoid_bringup SET.launch.py` starts them."""

from __future__ import annotations

import argparse
import json
import sys

from humanoid_bringup.commands import Commands, add_command
from humanoid_bringup.node_sets import NODE_SETS
from humanoid_bringup.set_runner import SetRunner

EXAMPLES = {
    "sim": "sim --robot 'fibo_km nao' --world robocup",
    "robot": "robot --robot my_robot --ports /dev/ttyUSB0",
    "replay": "replay --bag falls --loop true",
}


def add_parsers(commands: Commands) -> None:
    """Add `launch` with a parser per set."""
    summary = "start what belongs together, with the arguments of the launch files"
    top = add_command(commands, "launch", summary, f"launch {EXAMPLES['sim']}")
    sets = top.add_subparsers(metavar="SET", required=True)
    for name, node_set in NODE_SETS.items():
        parser = add_command(sets, name, node_set.summary, f"launch {EXAMPLES.get(name, name)}")
        for argument in node_set.arguments:
            default = " (required)" if argument.default is None else f" (default: '{argument.default}')"
            parser.add_argument(
                f"--{argument.name.replace('_', '-')}",
                default=argument.default,
                required=argument.default is None,
                choices=argument.choices or None,
                help=argument.description + default,
            )
        parser.add_argument(
            "--json", action="store_true", help="print {programs: {NAME: exit status}} at the end, the rest on stderr"
        )
        parser.set_defaults(run=run, node_set=node_set)


def run(options: argparse.Namespace) -> int:
    """Run the set until it ends or is stopped."""
    node_set = options.node_set
    values = {argument.name: getattr(options, argument.name) for argument in node_set.arguments}
    runner = SetRunner(node_set.plan(values).programs, values, sys.stderr if options.json else sys.stdout)
    status = runner.run()
    if options.json:
        print(json.dumps({"programs": runner.statuses()}))
    return status
