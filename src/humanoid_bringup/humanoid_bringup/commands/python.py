"""`humanoid python`: a Python file of the user, with the packages of this suite."""

from __future__ import annotations

import argparse
import subprocess
import sys

from humanoid_bringup.commands import Commands, add_command


def add_parsers(commands: Commands) -> None:
    """Add `python`."""
    summary = "run a Python file with the packages of this suite; further arguments go to it"
    parser = add_command(commands, "python", summary, "python examples/own_robot.py")
    parser.add_argument("file", help="Python text")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="that the file takes")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run it and hand on its exit status."""
    return subprocess.call([sys.executable, options.file, *options.arguments])
