"""`humanoid robots`: which robots there are."""

from __future__ import annotations

import argparse
import json

from humanoid_bringup.commands import Commands, add_command, add_payload_option
from humanoid_description import load_robot, robot_names


def add_parsers(commands: Commands) -> None:
    """Add `robots`."""
    parser = add_command(commands, "robots", "list the robots", "robots --json")
    parser.add_argument(
        "robot", nargs="*", help="name, or folder with a robot.yaml (default: all that come with the suite)"
    )
    add_payload_option(parser)
    parser.add_argument("--json", action="store_true", help="print a list of {name, dof, height_m, mass_kg, folder}")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the list."""
    robots = [load_robot(name, options.payload) for name in options.robot or robot_names()]
    if options.json:
        rows = [
            {
                "name": robot.name,
                "dof": robot.dof,
                "height_m": round(robot.height, 6),
                "mass_kg": round(robot.mass, 6),
                "folder": str(robot.folder),
            }
            for robot in robots
        ]
        print(json.dumps(rows, indent=2))
        return 0
    print(f"{'ROBOT':<15}{'DOF':>4}{'HEIGHT':>11}{'MASS':>12}   WHAT")
    for robot in robots:
        print(f"{robot.name:<15}{robot.dof:>4}{robot.height:>9.3f} m{robot.mass:>9.3f} kg   {robot.parameters.summary}")
    return 0
