"""The checks of servo ports."""

from __future__ import annotations

import os
from pathlib import Path

from humanoid_bringup.doctor.finding import BROKEN, GOOD, WARNING
from humanoid_bringup.doctor.serial_ports import adapters, check_adapters, check_robot
from humanoid_description import load_robot

NOBODY = 65534


def test_adapters_are_found_by_their_names(tmp_path: Path) -> None:
    for name in ("ttyUSB1", "ttyACM0", "tty1", "null"):
        (tmp_path / name).touch()
    assert [port.name for port in adapters(tmp_path)] == ["ttyACM0", "ttyUSB1"]
    (finding,) = check_adapters([])
    assert finding.level == GOOD


def test_an_adapter_that_holds_bytes_back_is_a_warning(tmp_path: Path) -> None:
    port = tmp_path / "ttyUSB0"
    port.touch()
    assert [finding.level for finding in check_adapters([port], lambda path: 1)] == [GOOD]
    (finding,) = check_adapters([port], lambda path: 16)
    assert finding.level == WARNING
    assert "latency_timer" in finding.remedy


def test_a_port_of_somebody_else_is_told_with_the_group(tmp_path: Path) -> None:
    port = tmp_path / "ttyUSB0"
    port.touch()
    port.chmod(0)
    user = os.geteuid()
    if user == 0:  # whom no mode keeps out
        os.seteuid(NOBODY)
    try:
        (finding,) = check_adapters([port])
    finally:
        os.seteuid(user)
    assert finding.level == BROKEN
    assert "dialout" in finding.remedy


def test_a_robot_whose_servos_do_not_answer_is_broken(tmp_path: Path) -> None:
    findings = check_robot(load_robot("fibo_km"), {"body": str(tmp_path / "none")}, lambda text: None)
    assert [finding.level for finding in findings] == [BROKEN]
    assert "Plug in the adapter" in findings[0].remedy
