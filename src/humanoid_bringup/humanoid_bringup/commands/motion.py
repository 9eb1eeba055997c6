"""`humanoid motion`: a robot's stored motions, and what becomes of them in the simulator."""

from __future__ import annotations

import argparse
import dataclasses
import json

from humanoid_bringup.commands import Commands, add_command, add_payload_option
from humanoid_bringup.motion_trial import LAID, lay_down, play
from humanoid_description import Robot, load_robot
from humanoid_gait.motion_file import load_motion, motion_names
from humanoid_sim.simulation import Simulation


def add_parsers(commands: Commands) -> None:
    """Add `motion`."""
    example = "motion fibo_km stand_up_from_back --lying back"
    parser = add_command(commands, "motion", "list a robot's motions, or play one in the simulator", example)
    parser.add_argument("robot", help="name, or folder with a robot.yaml")
    parser.add_argument("motion", nargs="?", help="name of a motion in the robot's folder, or a file (default: list)")
    parser.add_argument("--lying", choices=list(LAID), help="push the robot over first, onto that side")
    add_payload_option(parser)
    parser.add_argument(
        "--json", action="store_true", help="print {motions}, or {fell, stands, seconds, energy_j} of one"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """List or play; falling is a result, not an error."""
    robot = load_robot(options.robot, options.payload)
    if options.motion is None:
        return _list(robot, options.json)
    motion = load_motion(robot, options.motion)
    simulation = Simulation(robot)
    if options.lying:
        lay_down(simulation, robot.name, options.lying)
    outcome = play(simulation, robot.name, motion)
    if options.json:
        print(json.dumps(dataclasses.asdict(outcome)))
        return 0
    became = "fell" if outcome.fell else "stands" if outcome.stands else "does not stand still on both feet"
    print(f"{robot.name}, {motion.summary}: {became}")
    print(f"  {outcome.seconds:.1f} s, {outcome.energy_j:.1f} J")
    return 0


def _list(robot: Robot, as_json: bool) -> int:
    motions = {name: load_motion(robot, name) for name in motion_names(robot)}
    if as_json:
        rows = [
            {"name": name, "summary": motion.summary, "seconds": float(motion.trajectory.times[-1])}
            for name, motion in motions.items()
        ]
        print(json.dumps({"motions": rows}))
        return 0
    for name, motion in motions.items():
        print(f"{name:<24}{motion.trajectory.times[-1]:5.1f} s  {motion.summary}")
    if not motions:
        print(f"{robot.name} has no motions: put files into {robot.folder / 'motions'}")
    return 0
