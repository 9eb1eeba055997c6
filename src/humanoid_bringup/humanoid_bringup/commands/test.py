"""`humanoid test`: the whole test suite, from the checkout."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

from humanoid_bringup.commands import Commands, add_command
from humanoid_description.errors import RobotError


def add_parsers(commands: Commands) -> None:
    """Add `test`."""
    parser = add_command(commands, "test", "run the tests; further arguments go to pytest", "test -k payload")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run pytest on the source tree and hand on its exit status."""
    checkout = Path(__file__).parents[4]
    if not (checkout / "pyproject.toml").is_file():
        raise RobotError("test: runs in a source checkout only. On an installed workspace use 'colcon test'.")
    scratch = checkout / ".cache" / "tmp"  # nothing is written outside the checkout
    scratch.mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, "TMPDIR": str(scratch)}
    return subprocess.call([sys.executable, "-m", "pytest", *options.rest], cwd=checkout, env=environment)
