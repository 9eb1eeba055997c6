"""Gazebo as a process: whether it is there, its command line and its environment."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from humanoid_description import RobotError
from humanoid_sim.gz_modules import outer_path
from humanoid_sim.gz_world import worlds_folder

MISSING = 3
"""Exit status of commands that need Gazebo where it is not installed."""
GENERATIONS = {8: "Harmonic", 9: "Ionic", 10: "Jetty"}
INSTALL = "Install Gazebo Harmonic (ROS 2 Jazzy: sudo apt install ros-jazzy-ros-gz), source ROS and try again."


class GazeboMissing(RobotError):
    """There is no Gazebo on this machine that could be used."""


@dataclass(frozen=True)
class GazeboProcess:
    """What starts Gazebo, for whoever starts it."""

    command: tuple[str, ...]
    environment: Mapping[str, str]
    """The whole environment, this process's included."""


def find_gazebo() -> str:
    """Path of the command `gz` of a Gazebo that can be used; GazeboMissing with what to do if there is none."""
    gz = shutil.which("gz")
    if gz is None:
        raise GazeboMissing(f"Gazebo is not installed: there is no command 'gz'. {INSTALL}")
    answer = subprocess.run([gz, "sim", "--versions"], capture_output=True, text=True, check=False)
    versions = [int(number) for number in re.findall(r"^(\d+)\.", answer.stdout, re.MULTILINE)]
    if not set(versions) & set(GENERATIONS):
        told = ", ".join(map(str, versions)) or "none"
        raise GazeboMissing(f"{gz}: has gz sim of the versions: {told}. This needs 8 to 10. {INSTALL}")
    return gz


def environment() -> dict[str, str]:
    """In which Gazebo's own Python finds this suite and what it needs."""
    # Its standard library is Gazebo's; all else is found where we find it.
    standard = {sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")}
    ours = [
        entry for entry in sys.path if Path(entry).is_dir() and entry not in standard and "lib-dynload" not in entry
    ]
    return {
        "GZ_IP": "127.0.0.1",  # stays on this machine unless somebody has said otherwise
        **os.environ,
        "PYTHONPATH": _joined(*ours, os.environ.get("PYTHONPATH", ""), *outer_path()),
        "GZ_SIM_RESOURCE_PATH": _joined(str(worlds_folder()), os.environ.get("GZ_SIM_RESOURCE_PATH", "")),
    }


def _joined(*paths: str) -> str:
    words = (word for path in paths for word in path.split(os.pathsep) if word)
    return os.pathsep.join(dict.fromkeys(words))


def gazebo_process(world: Path, headless: bool, steps: int | None = None) -> GazeboProcess:
    """Command line and environment of Gazebo with a world.

    Args:
        world: File, such as gz_world.write_world makes it.
        headless: Without a window.
        steps: Of the physics, after which it ends; until stopped if not given.
    """
    # With its warnings: it only warns of a second model of the same name, and leaves it out.
    command = [find_gazebo(), "sim", "-v", "2", "-r", *(["-s"] if headless else [])]
    command += ["--iterations", str(steps)] if steps is not None else []
    return GazeboProcess((*command, str(world)), environment())
