"""`humanoid reproduce`: results of the papers beside ours."""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from humanoid_bringup.commands import Commands, add_command, check_png
from humanoid_bringup.reproduce import REPRODUCTIONS
from humanoid_description import RobotError

if TYPE_CHECKING:
    from humanoid_bringup.reproduce.reproduction import Reproduction


def add_parsers(commands: Commands) -> None:
    """Add `reproduce`."""
    example = "reproduce table4 --out figures"
    parser = add_command(commands, "reproduce", "print results of the papers beside ours", example)
    width = max(map(len, REPRODUCTIONS))
    listed = "\n".join(f"  {name:<{width}}  {summary}" for name, summary in REPRODUCTIONS.items())
    parser.epilog = f"{listed}\n  {'all':<{width}}  all of these\n\n{parser.epilog}"
    parser.add_argument("what", choices=[*REPRODUCTIONS, "all"], metavar="WHAT", help="one of the list below")
    parser.add_argument("--json", action="store_true", help="print {title, agreed, rows, assumptions} and more")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="write a figure, WHAT.png, here (default: none)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print what was asked for; the status is 1 if an agreed verdict has changed."""
    names = list(REPRODUCTIONS) if options.what == "all" else [options.what]
    if options.out:
        try:
            options.out.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise RobotError(f"--out {options.out}: {error.strerror}. Give a folder that can be made.") from None
        for name in names:
            check_png("--out", figure(options.out, name))
    answers = {}
    for name in names:
        reproduction = _reproduce(name)
        answers[name] = reproduction.as_dict()
        lines = [reproduction.as_text(), ""]
        if options.out:
            file = figure(options.out, name)
            reproduction.save_figure(file)
            answers[name]["figure"] = str(file)
            lines.append(f"Figure: {file}")
        lines.append(f"{name}: {'as agreed' if reproduction.agreed else 'an agreed verdict has CHANGED'}")
        if not options.json:
            print("\n".join(lines), end="\n" if name == names[-1] else "\n\n\n")
    agreed = all(answer["agreed"] for answer in answers.values())
    if options.json:
        print(json.dumps({"agreed": agreed, **answers} if options.what == "all" else answers[options.what], indent=2))
    return 0 if agreed else 1


def figure(folder: Path, name: str) -> Path:
    """File of a reproduction's figure."""
    return folder / f"{name}.png"


def _reproduce(name: str) -> Reproduction:
    # Loaded when asked for: matplotlib and the physics take a second, for which other commands need not wait.
    module = importlib.import_module(f"humanoid_bringup.reproduce.{name}")
    reproduction: Reproduction = module.reproduce(lambda doing: _show(f"{name}: {doing}"))
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr, flush=True)
    return reproduction


def _show(doing: str) -> None:
    """Progress on stderr: on one line of a terminal, or line by line in a file."""
    start, end = ("\r\033[K", "") if sys.stderr.isatty() else ("", "\n")
    print(f"{start}{doing}", end=end, file=sys.stderr, flush=True)
