"""A robot's devices as virtual ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from dynamixel_bridge.virtual_robot import read_eeprom, save_eeprom, virtual_devices
from dynamixel_bridge.virtual_servo import FreeBody
from humanoid_description import RobotError, load_robot


def test_all_servos_and_the_sensor_are_there_and_keep_their_eeprom(tmp_path: Path) -> None:
    robot = load_robot("fibo_km")
    devices = virtual_devices(robot, FreeBody())
    assert {port: len(found) for port, found in devices.items()} == {"body": 21}
    assert all(device.baud == 1_000_000 for device in devices["body"])
    first = devices["body"][0]
    first.put("id", 77)
    first.put("return_delay", 9)
    file = tmp_path / "eeprom.json"
    assert read_eeprom(file) == {}
    save_eeprom(devices, file)
    again = virtual_devices(robot, FreeBody(), read_eeprom(file))
    assert [device.eeprom for device in again["body"]] == [device.eeprom for device in devices["body"]]
    assert again["body"][0].id == 77
    file.write_text("{")
    with pytest.raises(RobotError, match="Delete it to start anew"):
        read_eeprom(file)
