"""`humanoid sim`: the simulator as a ROS 2 node."""

from __future__ import annotations

import argparse
import math

from humanoid_bringup.commands import Commands, add_command, add_payload_option
from humanoid_description import Robot, RobotError, load_robot
from humanoid_description.interpolation import WAYS


def add_parsers(commands: Commands) -> None:
    """Add `sim`."""
    example = "sim fibo_km nao --world robocup --seconds 10"
    parser = add_command(commands, "sim", "simulate robots as ROS 2 nodes, each in a namespace of its own", example)
    parser.add_argument(
        "robot", nargs="+", help="names, or folders with a robot.yaml; the second of a kind becomes NAME_2"
    )
    parser.add_argument(
        "--world", choices=["empty", "robocup"], default="empty", help="what is around (default: %(default)s)"
    )
    parser.add_argument("--factor", type=float, default=1.0, help="simulated over real time (default: %(default)s)")
    parser.add_argument(
        "--seconds", type=float, default=math.inf, help="simulated time to run (default: until stopped)"
    )
    parser.add_argument(
        "--interpolation",
        choices=list(WAYS),
        default="linear",
        help="between the points of a joint_trajectory (default: %(default)s)",
    )
    parser.add_argument("--seed", type=int, default=0, help="of the sensors' noise (default: %(default)s)")
    add_payload_option(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Serve the simulation until it is stopped."""
    from humanoid_sim import sim_node
    from humanoid_sim.scene import World
    from humanoid_sim.simulation import Simulation

    if not options.factor > 0 or not options.seconds > 0:
        raise RobotError("sim: --factor and --seconds must be above zero.")
    robots: dict[str, Robot] = {}
    for name in options.robot:
        robot = load_robot(name, options.payload)
        alike = sum(other.name == robot.name for other in robots.values())
        robots[robot.name if not alike else f"{robot.name}_{alike + 1}"] = robot
    world = World(field=True, ball=True) if options.world == "robocup" else World()
    starts = {name: (-1.0, float(index), 0.0) for index, name in enumerate(robots)}
    simulation = Simulation(robots, world, options.seed, starts=starts)
    sim_node.run(simulation, options.factor, options.seconds, options.interpolation)
    return 0
