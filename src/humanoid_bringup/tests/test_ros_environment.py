"""The checks of what a shell tells ROS."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

import pytest

from humanoid_bringup.doctor.finding import BROKEN, GOOD, WARNING, Finding
from humanoid_bringup.doctor.ros_environment import check_ros_environment

PREFIX = Path("/home/me/suite/.venv")
WHEELS = PREFIX / "lib" / "rclpy"
SOURCED = Path("/opt/ros/jazzy/lib/python3.12/site-packages/rclpy")


def bad(findings: list[Finding]) -> list[Finding]:
    return [finding for finding in findings if finding.level != GOOD]


def test_the_environment_of_these_tests_is_sound() -> None:
    spec = importlib.util.find_spec("rclpy")
    assert spec is not None
    assert spec.origin is not None
    assert bad(check_ros_environment(os.environ, Path(spec.origin).parent, Path(sys.prefix))) == []


def test_a_second_ros_beside_the_wheels_is_found(tmp_path: Path) -> None:
    marker = tmp_path / "share" / "ament_index" / "resource_index" / "packages" / "rclpy"
    marker.parent.mkdir(parents=True)
    marker.touch()
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "librcl.so").touch()
    environment = {"ROS_DISTRO": "jazzy", "AMENT_PREFIX_PATH": f"{PREFIX}:{tmp_path}"}
    environment["LD_LIBRARY_PATH"] = f":{tmp_path / 'lib'}"
    findings = bad(check_ros_environment(environment, WHEELS, PREFIX))
    assert [finding.level for finding in findings] == [BROKEN, BROKEN]
    assert all("Open a shell in which ROS is not sourced" in finding.remedy for finding in findings)
    assert bad(check_ros_environment(environment, SOURCED, PREFIX)) == []


@pytest.mark.parametrize(
    ("name", "value", "level"),
    [
        ("ROS_DOMAIN_ID", "5", GOOD),
        ("ROS_DOMAIN_ID", "150", WARNING),
        ("ROS_DOMAIN_ID", "233", BROKEN),
        ("ROS_DOMAIN_ID", "five", BROKEN),
        ("RMW_IMPLEMENTATION", "rmw_fastrtps_cpp", GOOD),
        ("RMW_IMPLEMENTATION", "rmw_cyclonedds_cpp", BROKEN),
        ("FASTRTPS_DEFAULT_PROFILES_FILE", "/no/such/file.xml", BROKEN),
        ("ROS_LOG_DIR", "/dev/null/logs", BROKEN),
        ("ROS_DISCOVERY_SERVER", "127.0.0.1:11811", WARNING),
    ],
)
def test_a_setting_that_leads_nowhere_is_named(name: str, value: str, level: str) -> None:
    findings = bad(check_ros_environment({name: value}, WHEELS, PREFIX))
    assert [finding.level for finding in findings] == ([] if level == GOOD else [level])
    assert all(finding.what.startswith(name) for finding in findings)


def test_two_settings_that_fight_are_named() -> None:
    environment = {"ROS_LOCALHOST_ONLY": "1", "ROS_AUTOMATIC_DISCOVERY_RANGE": "SUBNET"}
    (finding,) = bad(check_ros_environment(environment, WHEELS, PREFIX))
    assert "unset ROS_LOCALHOST_ONLY" in finding.remedy


def test_another_distribution_is_a_warning() -> None:
    (finding,) = bad(check_ros_environment({"ROS_DISTRO": "humble"}, SOURCED, PREFIX))
    assert finding.level == WARNING
    assert "humble" in finding.what
