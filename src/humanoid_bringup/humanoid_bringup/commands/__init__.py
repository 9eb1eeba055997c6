"""The commands. Each module has `add_parsers(commands)`, and sets `run(options) -> exit status` on its parsers."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from humanoid_description import RobotError

Commands = Any  # argparse's type of add_subparsers() is private


def add_command(commands: Commands, name: str, summary: str, example: str) -> argparse.ArgumentParser:
    """Parser of one command, with an example in its help."""
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=summary,
        description=summary[0].upper() + summary[1:] + ".",
        epilog=f"example:\n  ./humanoid {example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    return parser


def add_payload_option(parser: argparse.ArgumentParser) -> None:
    """The option --payload, for commands that load a robot."""
    parser.add_argument(
        "--payload",
        action="append",
        default=[],
        metavar="LINK:MASS:X,Y,Z",
        help="hang a point mass (kg) on a link, at a position (m) in its frame; or a payload's name; repeatable",
    )


def write_text(option: str, file: Path, text: str) -> None:
    """Write a file that an option names; RobotError if that cannot be."""
    try:
        file.write_text(text)
    except OSError as error:
        raise RobotError(f"{option} {file}: cannot be written: {error.strerror}. Name a file in a folder.") from None
