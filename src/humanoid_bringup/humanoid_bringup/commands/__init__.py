"""The commands. Each module has `add_parsers(commands)`, and sets `run(options) -> exit status` on its parsers."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

from humanoid_bringup.namespaces import checked_namespace
from humanoid_description.errors import RobotError

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


def namespace(text: str) -> str:
    """A namespace with its slash in front, as a type for argparse."""
    try:
        return checked_namespace(text)
    except RobotError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def add_payload_option(parser: argparse.ArgumentParser) -> None:
    """The option --payload, for commands that load a robot."""
    parser.add_argument(
        "--payload",
        action="append",
        default=[],
        metavar="LINK:MASS:X,Y,Z",
        help="hang a point mass (kg) on a link, at a position (m) in its frame; or a payload's name; repeatable",
    )


def check_png(option: str, png: Path) -> None:
    """Refuse, before hours of computing, a picture that cannot be written; names the option that asked for it."""
    folder = png.parent
    if png.suffix.lower() != ".png":
        raise RobotError(f"{option}: {png} is no name of a picture. Give one that ends in .png.")
    if not folder.is_dir() or png.is_dir() or not os.access(png if png.exists() else folder, os.W_OK):
        raise RobotError(f"{option}: {png} cannot be written. Give a file in a folder that is there and yours.")


def write_text(option: str, file: Path, text: str) -> None:
    """Write a file that an option names; RobotError if that cannot be."""
    try:
        file.write_text(text)
    except OSError as error:
        raise RobotError(f"{option} {file}: cannot be written: {error.strerror}. Name a file in a folder.") from None
