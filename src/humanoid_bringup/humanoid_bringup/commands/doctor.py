"""`humanoid doctor`: what is wrong with machine, ROS, running programs and servo ports, and what to do."""

from __future__ import annotations

import argparse
import dataclasses
import importlib.util
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from humanoid_bringup.commands import Commands, add_command
from humanoid_bringup.commands.bridge import robot_and_ports, show_progress
from humanoid_bringup.doctor.finding import BROKEN, GOOD, Finding
from humanoid_bringup.doctor.machine import (
    check_disk,
    check_load,
    check_packages,
    check_python,
    check_shared_memory,
    check_tcp_port,
)
from humanoid_bringup.doctor.ros_environment import check_ros_environment
from humanoid_bringup.doctor.ros_graph import judge
from humanoid_bringup.doctor.serial_ports import adapters, check_adapters, check_robot
from humanoid_bringup.extras import CHECKOUT
from humanoid_description import RobotError

VIEWER_PORT = 8080


def add_parsers(commands: Commands) -> None:
    """Add `doctor`."""
    summary = "say what is wrong with machine, ROS, running programs and servo ports, and what to do"
    parser = add_command(commands, "doctor", summary, "doctor --robot fibo_km --port /dev/ttyUSB0")
    parser.add_argument("--seconds", type=float, default=4.0, help="to listen to ROS programs (default: %(default)s)")
    parser.add_argument("--robot", help="whose servos to check too: name, or folder with a robot.yaml")
    parser.add_argument(
        "--port", action="append", default=[], metavar="[BUS=]PATH", help="port of each of its buses; repeatable"
    )
    parser.add_argument(
        "--json", action="store_true", help="print {healthy, findings: [{check, level, what, remedy}]} as JSON"
    )
    parser.set_defaults(run=run)


def _examine(options: argparse.Namespace) -> Iterator[Finding]:
    rclpy = importlib.util.find_spec("rclpy")
    yield check_python(sys.version_info[:2])
    requirements = CHECKOUT / "requirements.txt"
    if requirements.is_file():
        wheels = rclpy is not None and rclpy.origin is not None and Path(rclpy.origin).is_relative_to(sys.prefix)
        yield check_packages(requirements.read_text(), without_ros=not wheels)
    yield from check_disk(dict.fromkeys([Path.cwd(), Path(tempfile.gettempdir())]))
    yield check_load(os.getloadavg()[0], os.cpu_count() or 1)
    yield check_shared_memory()
    yield check_tcp_port(VIEWER_PORT)
    yield from check_adapters(adapters())
    if options.robot:
        yield from check_robot(*robot_and_ports(options), show_progress)
        show_progress("")
    if rclpy is None or rclpy.origin is None:
        remedy = "Run this as ./humanoid, or source ROS 2 Jazzy."
        yield Finding("ros", BROKEN, "this Python has no rclpy", remedy)
        return
    settings = check_ros_environment(os.environ, Path(rclpy.origin).parent, Path(sys.prefix))
    yield from settings
    if any(finding.level == BROKEN for finding in settings):
        return  # ROS would only fail in some other way
    from humanoid_bringup.doctor.graph_node import listen

    print(f"listening to ROS programs for {options.seconds:g} s", file=sys.stderr, flush=True)
    yield from judge(listen(options.seconds))


def run(options: argparse.Namespace) -> int:
    """Print what was found; the status is 1 if anything is broken."""
    if not 0 < options.seconds <= 3600:
        raise RobotError("doctor: --seconds must be above zero.")
    if options.port and not options.robot:
        raise RobotError("doctor: --port needs --robot, whose servos are expected there.")
    findings = []
    for finding in _examine(options):
        findings.append(finding)
        if not options.json:
            print(f"{finding.level:<8} {finding.check}: {finding.what}", flush=True)
            if finding.level != GOOD:
                print(f"         -> {finding.remedy}", flush=True)
    healthy = all(finding.level != BROKEN for finding in findings)
    if options.json:
        print(json.dumps({"healthy": healthy, "findings": [dataclasses.asdict(finding) for finding in findings]}))
    return 0 if healthy else 1
