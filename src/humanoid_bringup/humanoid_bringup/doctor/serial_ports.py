"""Servo ports: whether they may be opened, and what is wrong on their buses."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from dynamixel_bridge.checks import GOOD_LATENCY, check_bus
from dynamixel_bridge.serial_port import latency_timer
from humanoid_bringup.doctor.finding import BROKEN, GOOD, WARNING, Finding
from humanoid_description import Robot

CHECK = "serial"


def adapters(devices: Path = Path("/dev")) -> list[Path]:
    """Serial adapters that are plugged in."""
    return sorted([*devices.glob("ttyUSB*"), *devices.glob("ttyACM*")])


def check_adapters(ports: Iterable[Path], latency: Callable[[str], int | None] = latency_timer) -> list[Finding]:
    """Whether adapters may be used and are quick."""
    findings = []
    for port in ports:
        held = latency(str(port))
        if not os.access(port, os.R_OK | os.W_OK, effective_ids=True):
            remedy = "Run 'sudo usermod -aG dialout $USER', log out and in again."
            findings.append(Finding(CHECK, BROKEN, f"{port}: you may not open it", remedy))
        elif held is not None and held > GOOD_LATENCY:
            remedy = f"Write {GOOD_LATENCY} to its latency_timer below /sys/class/tty, as root."
            findings.append(Finding(CHECK, WARNING, f"{port}: the adapter holds bytes back for {held} ms", remedy))
        else:
            findings.append(Finding(CHECK, GOOD, f"{port}: can be opened"))
    return findings or [Finding(CHECK, GOOD, "no serial adapter is plugged in")]


def check_robot(robot: Robot, ports: Mapping[str, str], progress: Callable[[str], None]) -> list[Finding]:
    """What `bridge check` finds on a robot's buses (paths by the names of the buses)."""
    found = [Finding(CHECK, BROKEN, finding.what, finding.remedy) for finding in check_bus(robot, ports, progress)]
    return found or [Finding(CHECK, GOOD, f"all servos of {robot.name} answer as robot.yaml says")]
