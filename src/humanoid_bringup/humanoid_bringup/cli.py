"""The command line: one module in humanoid_bringup.commands per group of commands."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from humanoid_bringup.commands import (
    adapt,
    bag,
    bench,
    bridge,
    cluster,
    describe,
    falltest,
    report,
    reproduce,
    robots,
    sim,
    sweep,
    test,
    tune,
    twin,
    view,
    walk,
)
from humanoid_description.errors import RobotError

COMMANDS = (
    *(robots, describe, sim, walk, tune, sweep, cluster, twin, bridge),
    *(view, falltest, adapt, bag, report, reproduce, bench, test),
)


def parser() -> argparse.ArgumentParser:
    """Parser of all commands."""
    top = argparse.ArgumentParser(
        prog="humanoid",
        description="A humanoid whose simulation follows the real robot.",
        epilog="'humanoid COMMAND --help' shows what a command takes, with an example.",
    )
    commands = top.add_subparsers(metavar="COMMAND", required=True)
    for module in COMMANDS:
        module.add_parsers(commands)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit status is 0 only on success, 1 on an error, 2 on a wrong command line."""
    try:
        top = parser()
        options, rest = top.parse_known_args(arguments)
        options.rest = rest
        if rest and options.run is not test.run:
            top.error(f"unrecognized arguments: {' '.join(rest)}")
        status: int = options.run(options)
        if sys.stdout is not None:  # it is when the caller closed it
            sys.stdout.flush()
        return status
    except RobotError as error:
        print(f"humanoid: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        # The reader of our output, such as `head`, has gone. Python would complain again when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        print(f"humanoid: {error}. What was printed is not complete.", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
