"""A robot's devices as virtual ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dynamixel_bridge.virtual_robot import keep_eeprom, restore_eeprom, virtual_devices
from dynamixel_bridge.virtual_servo import FreeBody
from humanoid_description import RobotError, load_robot

ROBOT = load_robot("fibo_km")


def test_all_servos_and_the_sensor_are_there_and_keep_their_eeprom(tmp_path: Path) -> None:
    devices = virtual_devices(ROBOT, FreeBody())
    assert {port: len(found) for port, found in devices.items()} == {"body": 21}
    assert all(device.baud == 1_000_000 for device in devices["body"])
    first = devices["body"][0]
    first.put("id", 77)
    first.put("return_delay", 9)
    first.put("max_torque", 500)
    file = tmp_path / "eeprom.json"
    again = virtual_devices(ROBOT, FreeBody())
    restore_eeprom(again, file)  # there is none yet
    assert again["body"][0].id == 19
    keep_eeprom(devices, file)
    restore_eeprom(again, file)
    assert [device.eeprom for device in again["body"]] == [device.eeprom for device in devices["body"]]
    assert again["body"][0].id == 77
    assert again["body"][0].get("torque_limit") == 500


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "Delete it to start anew"),
        ("[1, 2]", "the file does not hold values by name"),
        ('{"body/1": 7}', "body/1 does not hold values by name"),
        ('{"body/1": {"return_delay": "fast"}}', "return_delay cannot be fast"),
        ('{"body/1": {"return_delay": 70000}}', "return_delay cannot be 70000"),
        ('{"body/1": {"goal_position": 512}}', "goal_position cannot be 512"),
        ('{"body/1": {"return_dely": 1}}', "return_dely cannot be 1"),
        ('{"body/99": {"return_delay": 1}}', "body/99: the robot has no such device"),
    ],
)
def test_bad_eeprom_values_are_refused_and_change_nothing(tmp_path: Path, content: str, message: str) -> None:
    file = tmp_path / "eeprom.json"
    file.write_text(content)
    devices = virtual_devices(ROBOT, FreeBody())
    before = [device.eeprom for device in devices["body"]]
    with pytest.raises(RobotError, match=message):
        restore_eeprom(devices, file)
    assert [device.eeprom for device in devices["body"]] == before


def test_a_file_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RobotError, match="EEPROM values cannot be kept there"):
        keep_eeprom(virtual_devices(ROBOT, FreeBody()), tmp_path / "none" / "eeprom.json")
    file = tmp_path / "eeprom.json"
    file.write_text(json.dumps({}))
    restore_eeprom(virtual_devices(ROBOT, FreeBody()), file)
