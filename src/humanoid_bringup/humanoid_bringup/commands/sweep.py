"""`humanoid sweep`: many offline walks over one or two parameters, as a table and a picture."""

from __future__ import annotations

import argparse
import dataclasses
import functools
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from humanoid_bringup.commands import Commands, add_command, add_payload_option, check_png
from humanoid_bringup.commands.walk import add_primitive_options, report, walk
from humanoid_bringup.extras import require
from humanoid_description import Robot, RobotError, load_robot
from humanoid_description.parameters import CONTACT_KEYS
from humanoid_description.strict_yaml import GREATEST
from humanoid_gait.primitives import PrimitiveParameters
from humanoid_sim.rollout import roll_out

if TYPE_CHECKING:
    from humanoid_sim.sweep import Axis, Cell

GAIT = {"step": "m", "lift": "m", "torso-height": "m", "period": "s", "pause": "s"}
CONTACT = {
    "contact.normal_stiffness": "N/m",
    "contact.normal_damping": "N s/m",
    "contact.tangential_damping": "N s/m",
    "contact.friction": "1",
}
UNITS = {**GAIT, "torque-share": "1", **CONTACT}
"""What can be varied."""
MEASURES = ("fell", "fall_time_s", "distance_m", "yaw_drift_rad", "first_step_ankle_torque_nm")


def add_parsers(commands: Commands) -> None:
    """Add `sweep`."""
    example = "sweep ar601m --vary step=0.05:0.2:7 --vary torso-height=0.75:0.85:5 --measure distance_m"
    parser = add_command(commands, "sweep", "walk a robot over a grid of parameters, in parallel", example)
    parser.add_argument("robot", help="name, or folder with a robot.yaml")
    parser.add_argument(
        "--vary",
        action="append",
        required=True,
        metavar="NAME=LOW:HIGH:COUNT",
        help=f"a parameter and its values, also NAME=VALUE,VALUE,...; once or twice; NAME is one of {', '.join(UNITS)}",
    )
    parser.add_argument("--measure", choices=MEASURES, default="fell", help="what to show (default: %(default)s)")
    parser.add_argument(
        "--png", type=Path, default=Path("sweep.png"), help="file of the picture (default: %(default)s)"
    )
    parser.add_argument("--jobs", type=int, default=-1, help="processes on this machine (default: one per core)")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="walk on the Dask cluster of this scheduler instead")
    add_primitive_options(parser)
    parser.add_argument(
        "--torque-share", type=float, default=np.inf, help="torque limit over the servos' own (default: no limit)"
    )
    add_payload_option(parser)
    parser.add_argument("--json", action="store_true", help="print {robot, measure, axes, cells, png}")
    parser.set_defaults(run=run)


def walk_at(
    robot: Robot, settings: Mapping[str, float], how: Mapping[str, Any], point: Mapping[str, float]
) -> dict[str, Any]:
    """The job at one point: what `walk` reports with some of its settings replaced."""
    values = {**settings, **point}
    contact: dict[str, Any] = {name.partition(".")[2]: value for name, value in values.items() if name in CONTACT}
    for name, value in contact.items():
        _, least = CONTACT_KEYS[name]
        if not least <= value < GREATEST:
            raise RobotError(f"contact.{name}: is {value:g}. Give a number from {least:g} to below {GREATEST:g}.")
    parameters = dataclasses.replace(robot.parameters, contact=dataclasses.replace(robot.parameters.contact, **contact))
    gait = PrimitiveParameters(*(values[name] for name in GAIT))
    changed = dataclasses.replace(robot, parameters=parameters)
    answer = report(*walk(changed, gait, torque_share=values["torque-share"], **how))
    return {measure: answer[measure] for measure in (*MEASURES, "fall_direction")}


def run(options: argparse.Namespace) -> int:
    """Walk at every point, print the table and draw the picture."""
    from humanoid_bringup.sweep_figure import draw
    from humanoid_sim.sweep import grid, parse_axis, sweep

    axes = [parse_axis(text, UNITS) for text in options.vary]
    if len(axes) > 2:
        raise RobotError("sweep: --vary takes one or two parameters, as the picture has two axes.")
    points = grid(axes)
    check_png("--png", options.png)
    if options.scheduler is not None:
        require("cluster")
    robot = load_robot(options.robot, options.payload)
    # Compiles the simulator if need be, which otherwise every process would do at once.
    roll_out(robot, np.zeros((1, robot.dof)), np.zeros((1, robot.dof)), options.dt, explicit=options.explicit)
    settings = {name: getattr(options, name.replace("-", "_")) for name in (*GAIT, "torque-share")}
    how = {name: getattr(options, name) for name in ("primitives", "dt", "explicit")}
    job = functools.partial(walk_at, robot, settings, how)
    cells = sweep(job, points, jobs=options.jobs, scheduler=options.scheduler)
    refused = [cell for cell in cells if cell.answer is None]
    if len(refused) == len(cells):
        raise RobotError(f"sweep: no walk was possible. {refused[0].refusal}")
    try:
        draw(cells, axes, options.measure, f"{robot.name}, {options.primitives} primitives").savefig(options.png)
    except OSError as error:
        raise RobotError(f"--png: {options.png} cannot be written: {error.strerror}. Give another file.") from None
    finally:  # what was walked is told in any case
        if options.json:
            print(json.dumps(as_json(robot, options.measure, axes, cells, options.png)))
        else:
            print(as_table(options.measure, axes, cells))
    return 0


def as_json(robot: Robot, measure: str, axes: Sequence[Axis], cells: Sequence[Cell], png: Path) -> dict[str, Any]:
    """Everything, for machines."""
    rows = [{**cell.point, **(cell.answer or {}), "refused": cell.refusal or None} for cell in cells]
    return {
        "robot": robot.name,
        "measure": measure,
        "axes": [dataclasses.asdict(axis) for axis in axes],
        "cells": rows,
        "png": str(png),
    }


def as_table(measure: str, axes: Sequence[Axis], cells: Sequence[Cell]) -> str:
    """One parameter: a line per value with all measures. Two: a line per value of the first, a column per second's."""
    if len(axes) == 1:
        title = []
        head = [f"{axes[0].name} ({axes[0].unit})", *MEASURES]
        body = [[_text(cell, name) for name in MEASURES] for cell in cells]
    else:
        width = len(axes[1].values)
        title = [f"{measure}; across: {axes[1].name} ({axes[1].unit})"]
        head = [f"{axes[0].name} ({axes[0].unit})", *(f"{value:g}" for value in axes[1].values)]
        texts = [_mark(cell, measure) + _text(cell, measure) for cell in cells]
        body = [texts[start : start + width] for start in range(0, len(texts), width)]
    rows = [head, *([f"{value:g}", *line] for value, line in zip(axes[0].values, body, strict=True))]
    widths = [max(len(row[column]) for row in rows) for column in range(len(head))]
    lines = ["  ".join(text.rjust(width) for text, width in zip(row, widths, strict=True)) for row in rows]
    notes = ["F: the robot fell"] if any("F " in line for line in lines) else []
    refused = [cell.refusal for cell in cells if cell.answer is None]
    if refused:
        notes.append(f"-: {len(refused)} of {len(cells)} walks were not possible, such as: {refused[0]}")
    return "\n".join([*title, *lines, *notes])


def _text(cell: Cell, measure: str) -> str:
    if cell.answer is None:
        return "-"
    value = cell.answer[measure]
    if measure == "fell":
        return "falls" if value else "stands"
    return "none" if value is None else f"{value:.3f}"


def _mark(cell: Cell, measure: str) -> str:
    """Where the measure itself does not tell, whether the robot fell."""
    tells = measure in ("fell", "fall_time_s")
    return "F " if cell.answer is not None and cell.answer["fell"] and not tells else ""
