"""`humanoid bridge`: the real robot, and the tools to set its servos up."""

from __future__ import annotations

import argparse
import dataclasses
import json
import math
import re
import signal
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from dynamixel_bridge.bridge import Bridge, default_limits
from dynamixel_bridge.checks import check_bus
from dynamixel_bridge.commissioning import ALL_IDS, COMMON_BAUDS, configure, scan, workbench
from dynamixel_bridge.control_table import Model, model
from dynamixel_bridge.device import Servo
from dynamixel_bridge.joint_test import Swing, try_joint
from dynamixel_bridge.links import SerialLinks
from humanoid_bringup.commands import Commands, add_command, namespace
from humanoid_description import Robot, RobotError, load_robot
from humanoid_description.errors import did_you_mean

PORT_POLL = 0.1
"""s between looks for a port."""
LOWEST_RATE, HIGHEST_RATE = 1, 1000
"""Cycles a second: slower no silence is noticed in time, faster no servo answers."""


def add_parsers(commands: Commands) -> None:
    """Add `bridge` with its tools."""
    top = add_command(commands, "bridge", "drive a real robot, and set its servos up", "bridge scan /dev/ttyUSB0")
    tools = top.add_subparsers(metavar="TOOL", required=True)
    _add_run(tools)
    _add_scan(tools)
    _add_configure(tools)
    parser = _add_tool(
        tools, "zero", "take the present pose as the joints' zero", "bridge zero my_robot --port /dev/ttyUSB0"
    )
    _add_robot(parser)
    parser.add_argument("--write", action="store_true", help="change robot.yaml (default: print what to write)")
    parser.set_defaults(run=zero)
    parser = _add_tool(tools, "test", "move one joint a little", "bridge test left_knee my_robot --port /dev/ttyUSB0")
    parser.add_argument("joint", help="name of the joint")
    _add_robot(parser)
    parser.add_argument("--degrees", type=float, default=5.0, help="to each side (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=4.0, help="of the swing (default: %(default)s)")
    parser.set_defaults(run=test)
    parser = _add_tool(
        tools, "check", "find what is wrong with ports and servos", "bridge check my_robot --port /dev/ttyUSB0"
    )
    _add_robot(parser)
    parser.set_defaults(run=check)


def _add_tool(tools: Commands, name: str, summary: str, example: str) -> argparse.ArgumentParser:
    parser = add_command(tools, name, summary, example)
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    return parser


def _add_robot(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("robot", help="name, or folder with a robot.yaml, with a section 'bus'")
    parser.add_argument(
        "--port",
        action="append",
        required=True,
        metavar="[BUS=]PATH",
        help="port of each bus of robot.yaml; repeatable",
    )


def _add_run(tools: Commands) -> None:
    parser = _add_tool(tools, "run", "serve a robot as a ROS 2 node", "bridge run fibo_km --port /dev/ttyUSB0")
    _add_robot(parser)
    parser.add_argument("--namespace", type=namespace, help="of the robot (default: its name)")
    parser.add_argument("--rate", type=float, default=100.0, help="cycles per second (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=math.inf, help="time to run (default: until stopped)")
    parser.add_argument(
        "--relax-after",
        type=float,
        default=60.0,
        help="s without commands before torque goes off (default: %(default)s)",
    )
    parser.add_argument(
        "--patience", type=float, default=2.0, help="ms to wait for a silent servo (default: %(default)s)"
    )
    parser.add_argument(
        "--at-end",
        choices=["hold", "relax"],
        default="hold",
        help="what the servos do when this ends (default: %(default)s)",
    )
    parser.add_argument(
        "--wait", type=float, default=0.0, metavar="S", help="s to wait for ports to appear (default: %(default)s)"
    )
    parser.set_defaults(run=run)


def _add_scan(tools: Commands) -> None:
    parser = _add_tool(tools, "scan", "find all servos on a port", "bridge scan /dev/ttyUSB0 --baud 1000000 --ids 1-30")
    parser.add_argument("path", help="port, such as /dev/ttyUSB0")
    parser.add_argument("--baud", type=int, action="append", help="bit/s; repeatable (default: the common ones)")
    parser.add_argument("--protocol", type=int, choices=[1, 2], help="(default: both)")
    parser.add_argument("--ids", default="0-252", metavar="FIRST-LAST", help="(default: %(default)s)")
    parser.set_defaults(run=find)


def _add_configure(tools: Commands) -> None:
    example = "bridge configure /dev/ttyUSB0 --id 1 --new-id 7 --return-delay 0 --dry-run"
    parser = _add_tool(tools, "configure", "write a servo's EEPROM, after a backup", example)
    parser.add_argument("path", help="port, such as /dev/ttyUSB0")
    parser.add_argument("--id", type=int, required=True, help="of the servo now")
    parser.add_argument("--baud", type=int, default=1_000_000, help="of the servo now, bit/s (default: %(default)s)")
    parser.add_argument("--new-id", type=int, help="id to give it")
    parser.add_argument("--new-baud", type=int, help="rate to give it, bit/s")
    parser.add_argument("--return-delay", type=float, metavar="US", help="us before it answers")
    parser.add_argument("--lower", type=float, metavar="DEG", help="least angle from the centre of its travel")
    parser.add_argument("--upper", type=float, metavar="DEG", help="greatest angle from the centre of its travel")
    parser.add_argument("--restore", type=Path, metavar="FILE", help="write back what a backup holds")
    parser.add_argument("--backup", type=Path, metavar="FILE", help="(default: servo_ID_TIME.json here)")
    parser.add_argument("--dry-run", action="store_true", help="only say what would change")
    parser.set_defaults(run=set_up)


def show_progress(text: str) -> None:
    """One line that is written over, on a terminal only."""
    if sys.stderr.isatty():
        print(f"\r{text:<50}", end="", file=sys.stderr, flush=True)


def robot_and_ports(options: argparse.Namespace) -> tuple[Robot, dict[str, str]]:
    """The robot, and the path of each of its ports."""
    robot = load_robot(options.robot)
    bus = robot.parameters.servo_bus
    paths: dict[str, str] = {}
    for number, text in enumerate(options.port):
        name, equals, path = text.rpartition("=")
        name = name if equals else bus.ports[min(number, len(bus.ports) - 1)]
        if name not in bus.ports or name in paths:
            raise RobotError(
                f"--port {text}: the buses of {robot.name} are {', '.join(bus.ports)}. Give one port for each."
            )
        paths[name] = path
    for name in bus.ports:
        if name not in paths:
            raise RobotError(f"--port: {robot.name} has the bus '{name}' too. Add --port {name}=PATH.")
    return robot, paths


def _print(options: argparse.Namespace, answer: dict[str, Any], lines: list[str]) -> None:
    print(json.dumps(answer) if options.json else "\n".join(lines))


def run(options: argparse.Namespace) -> int:
    """Serve the robot until stopped."""
    from dynamixel_bridge import bridge_node

    if not LOWEST_RATE <= options.rate <= HIGHEST_RATE:
        raise RobotError(
            f"bridge run: --rate is {options.rate:g}. Give {LOWEST_RATE} to {HIGHEST_RATE} cycles a second."
        )
    if not all(value > 0 for value in (options.seconds, options.relax_after, options.patience)):
        raise RobotError("bridge run: --seconds, --relax-after and --patience must be above zero.")
    if not 0 <= options.wait < math.inf:
        raise RobotError(f"bridge run: --wait is {options.wait:g}. Give seconds, not below zero.")
    robot, paths = robot_and_ports(options)
    _await_ports(list(paths.values()), options.wait)
    limits = dataclasses.replace(default_limits(robot), relax_after=options.relax_after)
    space = options.namespace or f"/{robot.name}"
    if options.json:
        print(json.dumps({"namespace": space, "ports": paths}), flush=True)
    bridge_node.run(
        robot,
        paths,
        space,
        limits,
        options.rate,
        options.seconds,
        options.patience * 1e-3,
        options.at_end == "relax",
    )
    return 0


def _await_ports(paths: list[str], seconds: float) -> None:
    """Wait until all ports are there, or the time is over: opening them then says what is missing."""
    end = time.monotonic() + seconds
    if seconds > 0 and not all(Path(path).exists() for path in paths):
        print(f"waiting for {', '.join(paths)}", file=sys.stderr, flush=True)
    while time.monotonic() < end and not all(Path(path).exists() for path in paths):
        time.sleep(PORT_POLL)


def find(options: argparse.Namespace) -> int:
    """Print what answers."""
    first, _, last = options.ids.partition("-")
    if not first.isdigit() or not (last or first).isdigit() or not 0 <= int(first) <= int(last or first) < len(ALL_IDS):
        raise RobotError(f"--ids {options.ids}: is no range. Write it as 1-20, from 0 to 252.")
    ids = range(int(first), int(last or first) + 1)
    protocols = (options.protocol,) if options.protocol else (1, 2)
    found = scan(options.path, options.baud or COMMON_BAUDS, protocols, ids, show_progress)
    show_progress("")
    rows = [dataclasses.asdict(device) for device in found]
    lines = [
        f"id {row['id']:>3}  {row['model']:<12} {row['baud']:>8} bit/s  protocol {row['protocol']}" for row in rows
    ]
    _print(options, {"servos": rows}, lines or ["nothing answers"])
    return 0 if found else 1


def set_up(options: argparse.Namespace) -> int:
    """Back up, then write what is asked for."""
    if options.id not in ALL_IDS:
        raise RobotError(f"--id {options.id}: is none. Give {ALL_IDS[0]} to {ALL_IDS[-1]}.")
    with workbench(options.path, options.baud) as bench:
        found = bench.ping(options.id, 1) or bench.ping(options.id, 2)
        if found is None:
            raise RobotError(
                f"servo {options.id}: does not answer at {options.baud} bit/s. Find it with 'bridge scan'."
            )
        kind = model(found.model)
        backup = options.backup or Path(f"servo_{options.id}_{time.strftime('%Y%m%d_%H%M%S')}.json")
        changed = configure(bench, found, kind, _wanted(options, kind), None if options.dry_run else backup)
        if changed and not options.dry_run:
            print(f"what it held before is in {backup}", file=sys.stderr)
    lines = [f"{name}: {old} -> {new}" for name, (old, new) in changed.items()] or ["nothing to change"]
    answer = {
        "id": options.id,
        "model": kind.name,
        "changes": changed,
        "written": bool(changed) and not options.dry_run,
    }
    _print(options, answer, [*lines, "nothing was written"] if options.dry_run else lines)
    return 0


def _wanted(options: argparse.Namespace, kind: Model) -> dict[str, int]:
    if options.restore:
        try:
            saved = json.loads(options.restore.read_text())
            wanted = {row: int(count) for row, count in saved["eeprom"].items()}
        except (OSError, ValueError, KeyError, AttributeError, TypeError) as error:
            raise RobotError(
                f"{options.restore}: is no backup of a servo ({error}). Name one that configure made."
            ) from None
        if saved.get("model") != kind.name:
            raise RobotError(
                f"{options.restore}: is of a {saved.get('model')}, this is a {kind.name}. Name another backup."
            )
        return wanted
    wanted = {}
    if options.new_id is not None:
        wanted["id"] = options.new_id
    if options.new_baud is not None:
        wanted["baud_rate"] = kind.baud_count(options.new_baud)
    if options.return_delay is not None:
        wanted["return_delay"] = _count(kind, "return_delay", options.return_delay, 1e-6)
    for end in ("lower", "upper"):
        if getattr(options, end) is not None:
            wanted[f"{end}_limit"] = _count(kind, f"{end}_limit", getattr(options, end), math.radians(1.0))
    if not wanted:
        raise RobotError(
            "bridge configure: nothing is asked for. Give --new-id, --new-baud, --return-delay, or limits."
        )
    return wanted


def _count(kind: Model, name: str, value: float, unit: float) -> int:
    """Count of a row for a value in a unit (SI units); RobotError if it has none."""
    row = kind.rows.get(name)
    if row is None:
        raise RobotError(f"bridge configure: a {kind.name} has no {name}. Leave it out.")
    low, high = ((count - row.zero) * row.scale / unit for count in (row.low, row.high))
    if not low <= value <= high:
        raise RobotError(f"bridge configure: {name} cannot be {value:g}. Give {low:g} to {high:g}.")
    return row.nearest(value * unit)


def zero(options: argparse.Namespace) -> int:
    """Read the pose and turn it into zeros."""
    robot, paths = robot_and_ports(options)
    links = SerialLinks(paths, robot.parameters.servo_bus.baud)
    bridge = Bridge(robot, links, period=1.0, patience=0.02)
    readings = []
    for _ in range(50):
        bridge.cycle()
        readings.append(np.where(bridge.fresh, [servo.position for servo in bridge.servos], np.nan))
    links.close()
    silent = [
        name for name, column in zip(robot.joint_names, np.array(readings).T, strict=True) if np.isnan(column).all()
    ]
    if silent:
        raise RobotError(f"bridge zero: {', '.join(silent)} do not answer. Run './humanoid bridge check'.")
    angles = np.degrees(np.nanmedian(np.array(readings), axis=0))
    zeros = {name: round(float(angle), 3) for name, angle in zip(robot.joint_names, angles, strict=True)}
    if options.write:
        _write_zeros(robot.folder / "robot.yaml", zeros)
    _print(options, {"zeros_deg": zeros}, [f"{name}: zero: [{angle}, deg]" for name, angle in zeros.items()])
    return 0


def _write_zeros(file: Path, zeros: dict[str, float]) -> None:
    text = file.read_text()
    for name, angle in zeros.items():
        text, count = re.subn(rf"(?m)^(  {name}: .*zero: )\[[^\]]*\]", rf"\g<1>[{angle}, deg]", text)
        if count != 1:
            raise RobotError(
                f"{file}: joints.{name}: has no 'zero: [0, deg]' on its line. Add it; nothing was changed."
            )
    new = file.with_suffix(".new")
    new.write_text(text)
    new.replace(file)


def test(options: argparse.Namespace) -> int:
    """Swing one joint."""
    robot, paths = robot_and_ports(options)
    if options.joint not in robot.parameters.joints:
        known = did_you_mean(options.joint, robot.joint_names)
        raise RobotError(f"joint '{options.joint}': {robot.name} has none of that name. {known}")
    joint, bus = robot.parameters.joints[options.joint], robot.parameters.servo_bus
    if joint.bus_id is None:
        raise RobotError(f"{robot.name}: joint {options.joint} has no servo id. Add 'id' to it in robot.yaml.")
    port = joint.port or bus.ports[0]
    swing = Swing(math.radians(options.degrees), options.seconds)
    links = SerialLinks({port: paths[port]}, bus.baud)
    servo = Servo(joint.bus_id, model(robot.parameters.servos[joint.servo].model))
    for number in (signal.SIGTERM, signal.SIGHUP):  # as by Ctrl-C: the joint is switched off before this ends
        signal.signal(number, signal.default_int_handler)
    result = try_joint(links, port, bus.baud, servo, joint, swing)
    links.close()
    answer = {
        "moved_deg": round(math.degrees(result.moved), 2),
        "asked_deg": round(math.degrees(result.asked), 2),
        "largest_error_deg": round(math.degrees(result.largest_error), 2),
        "greatest_load": round(result.greatest_load, 3),
        "temperature_degc": result.temperature,
        "missed": result.missed,
        "good": result.good,
    }
    verdict = "follows" if result.good else "does not follow: check horn, gear and torque limit"
    lines = [f"{options.joint} {verdict}", *(f"  {key:<18} {value}" for key, value in answer.items())]
    _print(options, answer, lines)
    return 0 if result.good else 1


def check(options: argparse.Namespace) -> int:
    """Print what is wrong; the status is 1 if anything is."""
    robot, paths = robot_and_ports(options)
    findings = check_bus(robot, paths, show_progress)
    show_progress("")
    rows = [dataclasses.asdict(finding) for finding in findings]
    _print(options, {"findings": rows}, [f"{row['what']}. {row['remedy']}" for row in rows] or ["all is well"])
    return 1 if findings else 0
