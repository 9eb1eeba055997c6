"""`humanoid call`: one service of a robot, such as the one that switches its servos on and off."""

from __future__ import annotations

import argparse
import json

from humanoid_bringup.commands import Commands, add_command, namespace
from humanoid_description import RobotError
from humanoid_description.errors import did_you_mean

VALUES = {"true": True, "false": False}


def add_parsers(commands: Commands) -> None:
    """Add `call`."""
    summary = "call a service of a robot: switch its servos on and off, stop it, let it walk, run its fall tests"
    parser = add_command(commands, "call", summary, "call torque false --robot /fibo_km")
    parser.add_argument("service", help="torque, stop, reset, walk, fall_test/run and others of docs/interface.md")
    parser.add_argument("value", nargs="?", choices=list(VALUES), help="for torque, walk, fall_test/pause and /pause")
    parser.add_argument(
        "--robot",
        type=namespace,
        default="/fibo_km",
        metavar="NAMESPACE",
        help="of the robot (default: %(default)s)",
    )
    parser.add_argument(
        "--wait", type=float, default=10.0, metavar="S", help="s to wait for the service to appear (default: 10)"
    )
    parser.add_argument("--json", action="store_true", help="print {service, done, message}")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print what the robot answers; the status is 1 if it refuses."""
    from humanoid_bringup.service_node import SERVICES, call, full_name

    if options.service not in SERVICES:
        raise RobotError(f"call: there is no service '{options.service}'. {did_you_mean(options.service, SERVICES)}")
    takes_value = hasattr(SERVICES[options.service].Request(), "data")
    if takes_value != (options.value is not None):
        wanted = "takes true or false" if takes_value else "takes no value"
        raise RobotError(f"call: {options.service} {wanted}. Write './humanoid call --help' for an example.")
    if not options.wait > 0:
        raise RobotError("call: --wait must be above zero.")
    value = VALUES[options.value] if takes_value else None
    done, message = call(options.robot, options.service, value, options.wait)
    if options.json:
        name = full_name(options.robot, options.service)
        print(json.dumps({"service": name, "done": done, "message": message}))
    else:
        print(message if done else f"refused: {message}")
    return 0 if done else 1
