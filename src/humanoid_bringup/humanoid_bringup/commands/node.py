"""`humanoid node`: the nodes that stand beside a robot, each as a process of its own."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

from humanoid_bringup.commands import Commands, add_command, namespace
from humanoid_description import Robot, RobotError, load_robot

CONTROL_RATE = 100.0


def add_parsers(commands: Commands) -> None:
    """Add `node` with its kinds."""
    example = "node gait fibo_km --namespace /real"
    top = add_command(commands, "node", "run one node beside a robot: gait, fall_test, adapt, balance or tf", example)
    kinds = top.add_subparsers(metavar="NODE", required=True)
    parser = _add_kind(kinds, "gait", "walk the robot of a namespace on the service walk and cmd_vel", gait)
    parser.add_argument(
        "--rate", type=float, default=CONTROL_RATE, help="of the joint states, Hz (default: %(default)s)"
    )
    parser = _add_kind(kinds, "fall_test", "serve fall tests of the robot of a namespace", fall_test)
    parser.add_argument("--protocol", default="12", help="paper, 6, 9, 12 or cop (default: %(default)s)")
    parser.add_argument("--rate", type=float, default=1.36, help="of the ramp, degrees/s (default: %(default)s)")
    parser.add_argument(
        "--helper",
        choices=["person", "reset"],
        default="person",
        help="who puts the robot back: a person, who confirms, or the simulator (default: %(default)s)",
    )
    parser = _add_kind(kinds, "adapt", "adapt the model to the fall tests that are heard", adapt)
    parser.add_argument("--models", type=Path, metavar="FOLDER", help="history of models (default: models/ROBOT)")

    _add_kind(kinds, "balance", "tell centre of mass, zero moment point and support polygon, as measured", balance)
    parser = _add_kind(kinds, "tf", "tell where the base is as tf, on a ROS machine", tf)
    parser.add_argument("--prefix", default="", help="before the names of the robot's frames (default: none)")


def _add_kind(
    kinds: Commands, name: str, summary: str, run: Callable[[argparse.Namespace], int]
) -> argparse.ArgumentParser:
    parser = add_command(kinds, name, summary, f"node {name} fibo_km --namespace /real")
    parser.add_argument("robot", help="name, or folder with a robot.yaml")
    parser.add_argument("--namespace", type=namespace, help="of the robot (default: its name)")
    parser.add_argument("--json", action="store_true", help="print {node, namespace, robot} as the first line")
    parser.set_defaults(run=run)
    return parser


def _serve(options: argparse.Namespace, name: str, robot: Robot, build: Callable[[Any], object]) -> int:
    from humanoid_bringup import companion_node

    space = options.namespace or f"/{robot.name}"
    if options.json:
        print(json.dumps({"node": name, "namespace": space, "robot": robot.name}), flush=True)
    companion_node.run(name, space, build)
    return 0


def gait(options: argparse.Namespace) -> int:
    """Walk."""
    from humanoid_gait.gait_node import GaitNode

    if not 1.0 <= options.rate <= 1000.0:
        raise RobotError(f"node gait: --rate is {options.rate}. Give 1 to 1000 Hz.")
    robot = load_robot(options.robot)
    return _serve(options, "gait", robot, lambda node: GaitNode(node, robot, options.rate))


def fall_test(options: argparse.Namespace) -> int:
    """Serve fall tests."""
    from humanoid_adapt.fall_test_node import FallTestNode
    from humanoid_adapt.protocol import protocol
    from humanoid_adapt.routine import Settings

    if not 0.0 < options.rate < 90.0:
        raise RobotError(f"node fall_test: --rate is {options.rate}. Give degrees/s above zero.")
    robot = load_robot(options.robot)
    protocol(robot, options.protocol)  # refuse it before ROS is there
    settings = Settings(rate=math.radians(options.rate), fall_seconds=1.0)
    return _serve(
        options,
        "fall_test",
        robot,
        lambda node: FallTestNode(node, robot, options.protocol, settings, options.helper),
    )


def adapt(options: argparse.Namespace) -> int:
    """Serve the estimator."""
    from humanoid_adapt.adapt_node import AdaptNode

    robot = load_robot(options.robot)
    models = options.models or Path("models") / robot.name
    return _serve(options, "adapt", robot, lambda node: AdaptNode(node, robot, models))


def balance(options: argparse.Namespace) -> int:
    """Tell what keeps the robot upright."""
    from humanoid_bringup.balance_node import BalanceNode

    return _serve(options, "balance", load_robot(options.robot), BalanceNode)


def tf(options: argparse.Namespace) -> int:
    """Tell where the base is."""
    from humanoid_bringup.base_tf_node import BaseTfNode

    robot = load_robot(options.robot)
    return _serve(options, "base_tf", robot, lambda node: BaseTfNode(node, robot, options.prefix))
