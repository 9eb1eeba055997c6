"""`humanoid sim`: the simulator as a ROS 2 node."""

from __future__ import annotations

import argparse
import dataclasses
import functools
import json
import math

from humanoid_bringup.commands import Commands, add_command, add_payload_option
from humanoid_bringup.node_sets import named_robots
from humanoid_description import RobotError
from humanoid_description.errors import did_you_mean
from humanoid_description.interpolation import WAYS

Box = tuple[tuple[float, float, float], tuple[float, float, float]]


def add_parsers(commands: Commands) -> None:
    """Add `sim`."""
    example = "sim fibo_km nao --world robocup --seconds 10"
    parser = add_command(commands, "sim", "simulate robots as ROS 2 nodes, each in a namespace of its own", example)
    parser.add_argument(
        "robot",
        nargs="+",
        metavar="[NAMESPACE=]ROBOT",
        help="names, or folders with a robot.yaml; the second of a kind becomes NAME_2",
    )
    parser.add_argument(
        "--engine",
        choices=["mujoco", "gazebo"],
        default="mujoco",
        help="who moves the bodies (default: %(default)s); Gazebo must be installed: status 3 where it is not",
    )
    parser.add_argument("--headless", action="store_true", help="Gazebo without its window")
    parser.add_argument(
        "--world",
        choices=["empty", "robocup", "obstacles"],
        default="empty",
        help="what is around (default: %(default)s)",
    )
    parser.add_argument(
        "--obstacle",
        action="append",
        default=[],
        metavar="X,Y,Z:LX,LY,LZ",
        help="a box that stays where it is: its centre and its size along the axes of the world, m; repeatable",
    )
    parser.add_argument(
        "--factor",
        type=float,
        default=1.0,
        help="simulated over real time, inf for as fast as it goes (default: %(default)s)",
    )
    parser.add_argument(
        "--rate",
        type=float,
        default=100.0,
        help="of commands and joint states per simulated second, Hz; the IMU has twice as many, if steps of 1 ms allow "
        "(default: %(default)s)",
    )
    parser.add_argument(
        "--seconds", type=float, default=math.inf, help="simulated time to run (default: until stopped)"
    )
    parser.add_argument(
        "--interpolation",
        choices=list(WAYS),
        default="linear",
        help="between the points of a joint_trajectory (default: %(default)s)",
    )
    parser.add_argument(
        "--walk", action="store_true", help="with a gait node beside each robot, which walks it on walk and cmd_vel"
    )
    parser.add_argument(
        "--real",
        action="append",
        default=[],
        metavar="NAMESPACE",
        help="a robot that stands for a real one: an adapted_description leaves it what it is; repeatable",
    )
    parser.add_argument("--seed", type=int, default=0, help="of the sensors' noise (default: %(default)s)")
    add_payload_option(parser)
    parser.add_argument(
        "--json",
        action="store_true",
        help="when it has stopped, print {simulated_s, real_time_factor, robots}, of Gazebo with its engine",
    )
    parser.set_defaults(run=run)


def obstacle(text: str) -> Box:
    """A box as written on the command line."""
    try:
        (x, y, z), (length, width, height) = ([float(word) for word in part.split(",")] for part in text.split(":"))
    except ValueError:
        raise RobotError(f"obstacle '{text}': is no box. Write X,Y,Z:LX,LY,LZ, its centre and its size in m.") from None
    return (x, y, z), (length, width, height)


def run(options: argparse.Namespace) -> int:
    """Serve the simulation until it is stopped."""
    from humanoid_sim import sim_node
    from humanoid_sim.run_report import robot_rows
    from humanoid_sim.scene import WORLDS
    from humanoid_sim.simulation import DEFAULT_DT, Simulation

    if not options.factor > 0:
        raise RobotError(f"--factor {options.factor:g}: give a number above zero, or inf for as fast as it goes.")
    if not options.seconds > 0:
        raise RobotError(f"--seconds {options.seconds:g}: give a time above zero, or leave it out to run on.")
    if options.seed < 0:
        raise RobotError(f"--seed {options.seed}: give a whole number, zero or more.")
    sim_node.ticks(options.rate, DEFAULT_DT)  # refuse it before the robots are loaded
    robots = named_robots(options.robot, options.payload)
    for name in options.real:
        if name not in robots:
            raise RobotError(f"--real {name}: is no robot of this world. {did_you_mean(name, robots)}")
    starts = {name: (-1.0, float(index), 0.0) for index, name in enumerate(robots)}
    boxes = tuple(obstacle(text) for text in options.obstacle)
    if options.engine == "gazebo":
        from humanoid_bringup.commands import gazebo_engine

        return gazebo_engine.run(options, robots, starts, boxes)
    if options.headless:
        raise RobotError("sim: --headless is for --engine gazebo; the other has no window.")
    around = WORLDS[options.world]
    world = dataclasses.replace(around, obstacles=(*around.obstacles, *boxes))
    simulation = Simulation(robots, world, options.seed, starts=starts)
    companions = []
    if options.walk:
        from humanoid_gait.gait_node import make_node
        from humanoid_gait.walker import Walker

        for name, robot in robots.items():
            simulation.place(name, Walker(robot).placed.position)  # where a walk begins, so that none must rise first
        companions = [functools.partial(make_node, name, robot, options.rate) for name, robot in robots.items()]
    factor = sim_node.run(
        simulation, options.factor, options.seconds, options.rate, options.interpolation, companions, options.real
    )
    if options.json:
        answer = {"simulated_s": round(simulation.time, 6), "real_time_factor": round(factor, 3)}
        print(json.dumps({**answer, "robots": robot_rows(simulation)}))
    return 0
