"""What the shell tells ROS 2: settings that fight each other, or that lead nowhere."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from humanoid_bringup.doctor.finding import BROKEN, GOOD, WARNING, Finding

CHECK = "ros"
LARGEST_DOMAIN = 232
"""Beyond it the UDP ports of DDS do not exist."""
SAFE_DOMAINS = 101
"""Up to it they do not meet those that Linux gives to other programs."""
NEW_SHELL = (
    "Open a shell in which ROS is not sourced and run ./humanoid there, or delete .venv and use the sourced one."
)


def check_ros_environment(environment: Mapping[str, str], rclpy_folder: Path, prefix: Path) -> list[Finding]:
    """Findings about the environment.

    Args:
        environment: Variables.
        rclpy_folder: Where rclpy is imported from.
        prefix: Of this Python environment, in which the wheels are.
    """
    wheels = rclpy_folder.is_relative_to(prefix)
    source = "wheels" if wheels else f"the sourced ROS 2 {environment.get('ROS_DISTRO', '')}"
    findings = [Finding(CHECK, GOOD, f"rclpy comes from {source}")]
    if wheels:
        findings += _mixed(environment, prefix)
    elif environment.get("ROS_DISTRO") != "jazzy":
        what = f"ROS 2 {environment.get('ROS_DISTRO')} is sourced; the suite is tried with jazzy"
        findings.append(Finding(CHECK, WARNING, what, "Source /opt/ros/jazzy/setup.bash in a new shell."))
    findings += _files(environment)
    findings += _domain(environment)
    findings += _middleware(environment, wheels)
    return findings


def _mixed(environment: Mapping[str, str], prefix: Path) -> list[Finding]:
    """A second ROS beside the wheels: its libraries or messages would be loaded into ours."""
    findings = []
    marker = Path("share") / "ament_index" / "resource_index" / "packages" / "rclpy"
    for name, sign in (("AMENT_PREFIX_PATH", marker), ("LD_LIBRARY_PATH", Path("librcl.so"))):
        for text in environment.get(name, "").split(os.pathsep):
            folder = Path(text)
            if text and not folder.is_relative_to(prefix) and (folder / sign).exists():
                what = f"{name} has another ROS 2 ({folder}) beside the wheels; the two do not mix"
                findings.append(Finding(CHECK, BROKEN, what, NEW_SHELL))
    return findings


def _files(environment: Mapping[str, str]) -> list[Finding]:
    findings = []
    for name in ("FASTRTPS_DEFAULT_PROFILES_FILE", "FASTDDS_DEFAULT_PROFILES_FILE"):
        path = environment.get(name)
        if path and not Path(path).is_file():
            what = f"{name}: there is no file {path}"
            findings.append(Finding(CHECK, BROKEN, what, f"Run 'unset {name}', or name a file that exists."))
    logs = environment.get("ROS_LOG_DIR")
    if logs:
        parent = next(folder for folder in (Path(logs), *Path(logs).absolute().parents) if folder.exists())
        if not parent.is_dir() or not os.access(parent, os.W_OK):
            what = f"ROS_LOG_DIR: {logs} cannot be written"
            findings.append(Finding(CHECK, BROKEN, what, "Run 'unset ROS_LOG_DIR', or name a folder of yours."))
    return findings


def _domain(environment: Mapping[str, str]) -> list[Finding]:
    text = environment.get("ROS_DOMAIN_ID", "")
    if not text:
        return []
    if not text.isdigit() or int(text) > LARGEST_DOMAIN:
        what = f"ROS_DOMAIN_ID is '{text}'"
        return [
            Finding(CHECK, BROKEN, what, f"Set it to a number from 0 to {SAFE_DOMAINS}, the same for all programs.")
        ]
    if int(text) > SAFE_DOMAINS:
        what = f"ROS_DOMAIN_ID is {text}, whose ports other programs may take"
        return [
            Finding(CHECK, WARNING, what, f"Set it to a number from 0 to {SAFE_DOMAINS}, the same for all programs.")
        ]
    return [Finding(CHECK, GOOD, f"ROS_DOMAIN_ID is {text}: only programs with the same number are heard")]


def _middleware(environment: Mapping[str, str], wheels: bool) -> list[Finding]:
    findings = []
    rmw = environment.get("RMW_IMPLEMENTATION", "")
    if wheels and rmw not in ("", "rmw_fastrtps_cpp"):
        what = f"RMW_IMPLEMENTATION is {rmw}, which the wheels do not have"
        findings.append(Finding(CHECK, BROKEN, what, "Run 'unset RMW_IMPLEMENTATION'."))
    if environment.get("ROS_LOCALHOST_ONLY") == "1" and "ROS_AUTOMATIC_DISCOVERY_RANGE" in environment:
        what = "ROS_LOCALHOST_ONLY overrides ROS_AUTOMATIC_DISCOVERY_RANGE"
        findings.append(Finding(CHECK, WARNING, what, "Run 'unset ROS_LOCALHOST_ONLY': the other is the newer one."))
    if environment.get("ROS_DISCOVERY_SERVER"):
        what = "ROS_DISCOVERY_SERVER is set: nodes see only what that server tells"
        findings.append(Finding(CHECK, WARNING, what, "Run 'unset ROS_DISCOVERY_SERVER' unless such a server runs."))
    return findings
