"""`humanoid twin`: a simulated robot on a virtual servo bus that any Dynamixel program can use."""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from dynamixel_bridge.virtual_bus import VirtualBus, serve
from dynamixel_bridge.virtual_faults import Faults, read_faults
from dynamixel_bridge.virtual_line import VirtualLine
from dynamixel_bridge.virtual_robot import keep_eeprom, restore_eeprom, virtual_devices
from humanoid_bringup.commands import Commands, add_command, add_payload_option
from humanoid_description import RobotError, load_robot


def add_parsers(commands: Commands) -> None:
    """Add `twin`."""
    summary = "simulate a robot behind a virtual servo bus, for bridge, SDK and any other Dynamixel program"
    parser = add_command(commands, "twin", summary, "twin fibo_km --payload scenario_d --seconds 5")
    parser.add_argument("robot", help="name, or folder with a robot.yaml, with a section 'bus'")
    add_payload_option(parser)
    parser.add_argument(
        "--faults", type=Path, metavar="FILE", help="YAML of what shall go wrong; see docs/real_robot.md"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the faults (default: %(default)s)")
    parser.add_argument("--ports", type=Path, metavar="FOLDER", help="where the ports appear (default: a new folder)")
    parser.add_argument("--eeprom", type=Path, metavar="FILE", help="keep EEPROM values here from one run to the next")
    parser.add_argument("--seconds", type=float, default=math.inf, help="time to run (default: until stopped)")
    parser.add_argument(
        "--json", action="store_true", help="print {ports: [...]} as the first line, {fallen, ...} as the last"
    )
    parser.set_defaults(run=run)


@contextlib.contextmanager
def plugged(lines: Mapping[str, VirtualLine], folder: Path | None) -> Iterator[list[VirtualBus]]:
    """Ports of lines, by name in a folder; ports, and the folder if it was made here, are taken away in the end."""
    made = folder is None or not folder.exists()
    folder = folder or Path(tempfile.mkdtemp(prefix="twin_"))
    buses: list[VirtualBus] = []
    try:
        for name, line in lines.items():
            buses.append(VirtualBus(folder / name, line))
        yield buses
    finally:
        for bus in buses:
            bus.unplug()
        if made:
            with contextlib.suppress(OSError):  # somebody else may use it by now
                folder.rmdir()


def run(options: argparse.Namespace) -> int:
    """Serve the virtual robot until it is stopped."""
    from humanoid_bringup.bus_body import BusBody
    from humanoid_sim.simulation import Simulation

    if not options.seconds > 0:
        raise RobotError("twin: --seconds must be above zero.")
    robot = load_robot(options.robot, options.payload)
    ids = [joint.bus_id for joint in robot.parameters.joints.values() if joint.bus_id is not None]
    faults = read_faults(options.faults, ids) if options.faults else Faults()
    simulation = Simulation(robot)
    simulation.step(1)  # compiles, which can take a while, before anybody waits for an answer
    simulation.reset()
    body = BusBody(simulation, robot.name)
    devices = virtual_devices(robot, body)
    if options.eeprom:
        restore_eeprom(devices, options.eeprom)
        keep_eeprom(devices, options.eeprom)  # rather now than in the end it is found that this is not possible
    stopping = threading.Event()
    end = time.monotonic() + options.seconds

    def advance(now: float) -> None:
        body.advance(now)
        if now > end:
            stopping.set()

    lines = {
        f"{robot.name}_{port}": VirtualLine(found, faults, options.seed + number, time.monotonic())
        for number, (port, found) in enumerate(devices.items())
    }
    try:
        with plugged(lines, options.ports) as buses:
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, lambda *_: stopping.set())
            ports = [str(bus.link) for bus in buses]
            print(json.dumps({"ports": ports}) if options.json else "\n".join(ports), flush=True)
            print(f"{robot.name} is on the bus; its servos are off", file=sys.stderr, flush=True)
            serve(buses, stopping, advance)
    finally:
        if options.eeprom:
            keep_eeprom(devices, options.eeprom)
    counted = sum((line.mishaps.counts for line in lines.values()), Counter[str]())
    happened = ", ".join(f"{count} {what}" for what, count in counted.items() if count) or "none"
    print(f"stopped; faults: {happened}; simulation late by {body.late:.2f} s in all", file=sys.stderr)
    place = [round(float(value), 6) for value in simulation.observe(robot.name).base_position]
    fallen = simulation.fallen(robot.name)
    x, y, _ = place
    ended = {"fallen": fallen, "base_position_m": place, "late_s": round(body.late, 3)}
    told = f"{robot.name} {'has fallen' if fallen else 'stands'} at x {x:.2f} m, y {y:.2f} m"
    print(json.dumps(ended) if options.json else told)
    return 0
