"""`humanoid tune`: search a better gait in the simulator."""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from pathlib import Path

from humanoid_bringup.commands import Commands, add_command, add_payload_option
from humanoid_bringup.extras import require
from humanoid_bringup.gait_study import best_walk, explore, open_study
from humanoid_bringup.tuning import GOALS, Score, Search, score, varied
from humanoid_description import RobotError, load_robot
from humanoid_gait.gait_parameters import load_gait, write_gait
from humanoid_gait.walker import Walker


def add_parsers(commands: Commands) -> None:
    """Add `tune`."""
    example = "tune fibo_km --goal push --speed 0.3 --trials 200 --out gait.yaml"
    parser = add_command(commands, "tune", "search a better gait for a robot in the simulator", example)
    parser.add_argument("robot", help="name, or folder with a robot.yaml")
    parser.add_argument("--goal", choices=GOALS, default="speed", help="what to be good at (default: %(default)s)")
    parser.add_argument("--speed", type=float, help="m/s told to the robot (default: half of what its gait allows)")
    parser.add_argument("--trials", type=int, default=100, metavar="N", help="gaits to try (default: %(default)s)")
    parser.add_argument("--seeds", type=int, default=3, metavar="N", help="walks per gait (default: %(default)s)")
    parser.add_argument("--torque-share", type=float, default=1.0, help="torque limit over the servos' own")
    parser.add_argument(
        "--study",
        type=Path,
        metavar="FILE",
        help="where trials are kept; one of the same search is gone on with (default: tune_ROBOT_GOAL.log here)",
    )
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="gait.yaml to write (default: into the robot's folder)"
    )
    add_payload_option(parser)
    parser.add_argument("--json", action="store_true", help="print {before, after, parameters, file}")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Search, and write the best gait if it beats the present one; the status is 1 if every gait fell."""
    robot = load_robot(options.robot, options.payload)
    present = load_gait(robot)
    Walker(robot, present)  # refuses what cannot walk, before anything is written
    speed = present.max_forward / 2 if options.speed is None else options.speed
    if not 0 < speed <= present.max_forward:
        raise RobotError(
            f"tune: --speed is {speed:g}. Give a number above zero, at most {present.max_forward:.3g} m/s."
        )
    for name in ("trials", "seeds"):
        if getattr(options, name) < 1:
            raise RobotError(f"tune: --{name} is {getattr(options, name)}. Give one or more.")
    if not options.torque_share > 0:
        raise RobotError(f"tune: --torque-share is {options.torque_share}. Give a number above zero.")
    file = options.study or Path(f"tune_{robot.name}_{options.goal}.log")
    out = options.out or robot.folder / "gait.yaml"
    for name, path in (("study", file), ("out", out)):
        _check_place(name, path)
    require("tune")
    search = Search(robot, present, options.goal, speed, options.seeds, options.torque_share)
    study = open_study(file, search)
    before = score(search, present)
    print(f"trying {options.trials} gaits; Ctrl-C keeps what was found in {file}", file=sys.stderr)
    explore(file, search, options.trials)
    values = best_walk(study)
    # Once more, as the file may be of an older version of the suite.
    after = Score(-math.inf, options.seeds) if values is None else score(search, varied(present, values))
    found = not after.falls and (before.falls > 0 or after.value > before.value)
    if found:
        told = f"tune --goal {options.goal} --speed {speed:g}: {after.value:.3f} where it was {before.value:.3f}"
        write_gait(out, varied(present, values or {}), told)
    if options.json:
        answer = {"before": before.value, "after": None if after.falls else after.value, "parameters": values}
        print(json.dumps({**answer, "file": str(out) if found else None}))
    elif found:
        print(f"{out}: {options.goal} {after.value:.3f}, before {before.value:.3f}")
    elif after.falls:
        print("every gait that was tried fell in a walk; nothing was written")
    else:
        print(f"nothing better than the present gait ({before.value:.3f}) was found; nothing was written")
    return 1 if after.falls else 0


def _check_place(name: str, file: Path) -> None:
    """Refuse a file that could not be written in the end."""
    if file.is_dir():
        raise RobotError(f"tune: --{name} {file}: is a folder. Name a file.")
    if not file.parent.is_dir():
        raise RobotError(f"tune: --{name} {file}: there is no folder {file.parent}. Make it first.")
    if not os.access(file if file.exists() else file.parent, os.W_OK):
        raise RobotError(f"tune: --{name} {file}: may not be written. Name another place.")
