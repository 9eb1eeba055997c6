"""What can be wrong between a computer and a robot's servos, each with its remedy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from dynamixel_bridge.commissioning import ATTEMPTS, COMMON_BAUDS, scan, workbench
from dynamixel_bridge.control_table import Model, model
from dynamixel_bridge.serial_port import PortError, latency_timer
from humanoid_description import Robot, RobotError

GOOD_LATENCY = 1
"""ms."""


@dataclass(frozen=True)
class Finding:
    """Something wrong."""

    what: str
    remedy: str


def check_bus(
    robot: Robot, ports: Mapping[str, str], progress: Callable[[str], None] = lambda text: None
) -> list[Finding]:
    """All that is wrong with a robot's servo buses; nothing is changed.

    Args:
        robot: With a section `bus`.
        ports: Path of the port by the name of the bus.
        progress: Told what is looked at.
    """
    bus = robot.parameters.servo_bus
    findings = []
    for port, path in ports.items():
        expected = {
            joint.bus_id: (name, model(robot.parameters.servos[joint.servo].model))
            for name, joint in robot.parameters.joints.items()
            if joint.bus_id is not None and (joint.port or bus.ports[0]) == port
        }
        if bus.imu_id is not None and bus.imu_model is not None and port == bus.ports[0]:
            expected[bus.imu_id] = ("inertial sensor", model(bus.imu_model))
        try:
            findings += _check_port(path, bus.baud, expected, progress)
        except PortError as error:
            what, _, remedy = str(error).partition(". ")
            findings.append(Finding(what, remedy))
    return findings


def _check_port(
    path: str, baud: int, expected: Mapping[int, tuple[str, Model]], progress: Callable[[str], None]
) -> list[Finding]:
    findings = []
    latency = latency_timer(path)
    if latency is not None and latency > GOOD_LATENCY:
        what = f"port {path}: the adapter holds bytes back for {latency} ms"
        findings.append(Finding(what, f"Write {GOOD_LATENCY} to its latency_timer below /sys/class/tty, as root."))
    missing = {}
    with workbench(path, baud) as bench:
        for id_, (name, kind) in expected.items():
            progress(f"id {id_}")
            found = bench.ping(id_, kind.protocol)
            if found is None:
                row = kind.rows.get("present_position", kind.rows["firmware_version"])
                if bench.garbled(id_, kind.protocol, row):
                    findings.append(_shared(id_))
                else:
                    missing[id_] = (name, kind)
                continue
            if bench.garbled(id_, kind.protocol, kind.rows.get("present_position", kind.rows["firmware_version"])):
                findings.append(_shared(id_))
                continue
            if found.number != kind.number:
                what = f"id {id_} ({name}): is a {found.model}, robot.yaml says {kind.name}"
                findings.append(Finding(what, "Correct the servo's model in robot.yaml, or the id."))
                continue
            try:
                delay = bench.read(id_, kind, "return_delay")
            except PortError:
                raise
            except RobotError as error:
                what, _, remedy = str(error).partition(". ")
                findings.append(Finding(what, remedy))
                continue
            if delay:
                what = f"id {id_} ({name}): waits {2 * delay} us before it answers"
                findings.append(Finding(what, f"Run './humanoid bridge configure {path} --id {id_} --return-delay 0'."))
    if missing:
        findings += _check_missing(path, baud, missing, progress)
    return findings


def _shared(id_: int) -> Finding:
    return Finding(
        f"id {id_}: answers come broken, so two servos probably share it",
        "Connect them one at a time and give one of them another id with './humanoid bridge configure'.",
    )


def _check_missing(
    path: str, baud: int, missing: Mapping[int, tuple[str, Model]], progress: Callable[[str], None]
) -> list[Finding]:
    """Look for devices that do not answer at other rates."""
    protocols = sorted({kind.protocol for _, kind in missing.values()})
    others = [rate for rate in COMMON_BAUDS if rate != baud]
    elsewhere = {found.id: found for found in scan(path, others, protocols, list(missing), progress, attempts=ATTEMPTS)}
    findings = []
    for id_, (name, _) in missing.items():
        if id_ in elsewhere:
            what = f"id {id_} ({name}): listens at {elsewhere[id_].baud} bit/s, not {baud}"
            remedy = (
                f"Run './humanoid bridge configure {path} --baud {elsewhere[id_].baud} --id {id_} --new-baud {baud}'."
            )
        else:
            what = f"id {id_} ({name}): does not answer"
            remedy = "Check its cable and power, and its id with './humanoid bridge scan'."
        findings.append(Finding(what, remedy))
    return findings
