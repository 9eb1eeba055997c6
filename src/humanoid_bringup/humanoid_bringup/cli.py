"""The command line: one module in humanoid_bringup.commands per group of commands."""

from __future__ import annotations

import argparse
import importlib
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from humanoid_description.errors import RobotError

COMMANDS = (
    *("demo", "robots", "urdf", "sdf", "launch", "sim", "view", "walk", "tune", "motion", "sweep", "cluster", "twin"),
    *("bridge", "call", "node", "program", "falltest", "adapt", "bag", "report", "reproduce", "bench"),
    *("doctor", "python", "test"),
)
MODULES = {name: "describe" if name in ("urdf", "sdf") else name for name in COMMANDS}
"""Module of each command."""


def parser(words: Sequence[str] = ()) -> argparse.ArgumentParser:
    """Parser for a command line; of all commands if it names none."""
    top = argparse.ArgumentParser(
        prog="humanoid",
        description="A humanoid whose simulation follows the real robot.",
        epilog="'humanoid COMMAND --help' shows what a command takes, with an example.",
    )
    commands = top.add_subparsers(metavar="COMMAND", required=True)
    # A set of programs starts as many of us: none shall wait for the others' plots and compilers.
    wanted = [MODULES[words[0]]] if words and words[0] in MODULES else dict.fromkeys(MODULES.values())
    for name in wanted:
        importlib.import_module(f"humanoid_bringup.commands.{name}").add_parsers(commands)
    return top


def without_ros_arguments(words: Sequence[str]) -> list[str]:
    """Words that are meant for us: from `--ros-args` to `--` or the end they are rclpy's, which reads them itself."""
    ours: list[str] = []
    theirs = False
    for word in words:
        if theirs:
            theirs = word != "--"
        elif word == "--ros-args":
            theirs = True
        else:
            ours.append(word)
    return ours


@contextmanager
def ended_by_sigterm() -> Iterator[None]:
    """SIGTERM ends a command as Ctrl-C does, with all processes that it started, unless it has a way of its own."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit status is 0 only on success, 1 on an error, 2 on a wrong command line, 130 if ended."""
    try:
        with ended_by_sigterm():
            return _run(arguments)
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


def _run(arguments: Sequence[str] | None) -> int:
    words = without_ros_arguments(sys.argv[1:] if arguments is None else arguments)
    top = parser(words)
    options, rest = top.parse_known_args(words)
    options.rest = rest
    if rest and words[0] != "test":  # which hands them on to pytest
        top.error(f"unrecognized arguments: {' '.join(rest)}")
    status: int = options.run(options)
    if sys.stdout is not None:  # it is when the caller closed it
        sys.stdout.flush()
    return status
