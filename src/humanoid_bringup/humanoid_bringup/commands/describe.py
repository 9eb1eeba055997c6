"""`humanoid urdf` and `humanoid sdf`: a robot's description as text."""

from __future__ import annotations

import argparse
import json

from humanoid_bringup.commands import Commands, add_command, add_payload_option
from humanoid_description import load_robot

FORMATS = {
    "urdf": "print a robot's URDF, as robot_state_publisher takes it",
    "sdf": "print a robot's SDF, as Gazebo takes it",
}


def add_parsers(commands: Commands) -> None:
    """Add `urdf` and `sdf`."""
    for format_, summary in FORMATS.items():
        example = f"{format_} fibo_km --payload left_forearm:0.2:0,0,-0.03 > robot.{format_}"
        parser = add_command(commands, format_, summary, example)
        parser.add_argument("robot", help="name, or folder with a robot.yaml")
        add_payload_option(parser)
        parser.add_argument("--json", action="store_true", help=f"print {{name, mass_kg, com_in_base_m, {format_}}}")
        parser.set_defaults(run=run, format=format_)


def run(options: argparse.Namespace) -> int:
    """Print the text and nothing else."""
    robot = load_robot(options.robot, options.payload)
    text: str = getattr(robot, options.format)
    if options.json:
        com = [round(float(value), 9) for value in robot.com_in_base({})]
        print(json.dumps({"name": robot.name, "mass_kg": robot.mass, "com_in_base_m": com, options.format: text}))
    else:
        print(text, end="")
    return 0
