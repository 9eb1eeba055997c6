"""The computer: Python, packages, disk, shared memory, network ports."""

from __future__ import annotations

import importlib.metadata
import re
import shutil
import socket
from collections.abc import Iterable
from pathlib import Path

from packaging.requirements import Requirement

from humanoid_bringup.doctor.finding import BROKEN, GOOD, WARNING, Finding

OLDEST_PYTHON, NEWEST_PYTHON = (3, 11), (3, 14)
"""As ./humanoid demands."""
REMAKE = "Delete the folder .venv and run the same command again: it is made anew."
DISK_NEEDED = 1e9
"""bytes, for set-up, logs and a recording."""
SHARED_MEMORY_NEEDED = 64e6
"""bytes, as Fast DDS gives messages from process to process there."""


def check_python(version: tuple[int, int]) -> Finding:
    """Whether this Python is one of the supported ones."""
    text = f"Python {version[0]}.{version[1]}"
    if OLDEST_PYTHON <= version <= NEWEST_PYTHON:
        return Finding("python", GOOD, text)
    remedy = "Install Python 3.11 to 3.14 and run ./humanoid with it (python3.12 humanoid doctor)."
    return Finding("python", BROKEN, f"{text} is not supported", remedy)


def check_packages(requirements: str, without_ros: bool) -> Finding:
    """Whether the packages are installed as they are pinned.

    Args:
        requirements: Text of requirements.txt.
        without_ros: A sourced ROS 2 stands in for the ros-* packages.
    """
    pinned = [Requirement(line) for line in re.findall(r"^([a-z].*==.*?) *\\?$", requirements, re.MULTILINE)]
    wanted = [
        pin
        for pin in pinned
        if (pin.marker is None or pin.marker.evaluate()) and not (without_ros and pin.name.startswith("ros-"))
    ]
    wrong = []
    for pin in wanted:
        try:
            installed = importlib.metadata.version(pin.name)
        except importlib.metadata.PackageNotFoundError:
            wrong.append(f"{pin.name} is missing")
            continue
        if not pin.specifier.contains(installed, prereleases=True):
            wrong.append(f"{pin.name} is {installed}, not {str(pin.specifier).removeprefix('==')}")
    if wrong:
        return Finding("packages", BROKEN, ", ".join(wrong), REMAKE)
    return Finding("packages", GOOD, f"{len(wanted)} packages as pinned")


def check_load(load: float, cores: int) -> Finding:
    """Whether programs that must be in time get the processor; `load` is of how many want to run."""
    text = f"{load:.1f} programs want to run on {cores} cores"
    if load > cores:
        remedy = "End other programs: until then servo buses and simulators will be late."
        return Finding("load", WARNING, text, remedy)
    return Finding("load", GOOD, text)


def check_disk(folders: Iterable[Path], needed: float = DISK_NEEDED) -> list[Finding]:
    """Whether there is room (bytes) where we write."""
    findings = []
    for folder in folders:
        free = shutil.disk_usage(folder).free
        text = f"{folder}: {free / 1e9:.1f} GB free"
        if free < needed:
            remedy = f"Free {needed / 1e9:.1f} GB there: old recordings, .cache and ROS logs are the first to go."
            findings.append(Finding("disk", BROKEN, text, remedy))
        else:
            findings.append(Finding("disk", GOOD, text))
    return findings


def check_shared_memory(folder: Path = Path("/dev/shm"), needed: float = SHARED_MEMORY_NEEDED) -> Finding:
    """Whether ROS can hand messages over in memory."""
    try:
        free = shutil.disk_usage(folder).free
    except OSError as error:
        remedy = f"Mount a tmpfs at {folder}; in a container, start it with --ipc=host."
        return Finding("shared memory", WARNING, f"{folder}: {error.strerror}", remedy)
    text = f"{folder}: {free / 1e6:.0f} MB free"
    if free < needed:
        remedy = "Delete fastrtps_* in it when no ROS program runs; in a container, start it with --ipc=host."
        return Finding("shared memory", WARNING, text, remedy)
    return Finding("shared memory", GOOD, text)


def check_tcp_port(port: int) -> Finding:
    """Whether the page in the browser can be served on a port of this machine."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            remedy = (
                "If it is not our own viewer, give 'view' another --port, or end what uses it ('ss -ltnp' names it)."
            )
            return Finding("ports", WARNING, f"port {port} of this machine is taken", remedy)
    return Finding("ports", GOOD, f"port {port} is free for the viewer")
