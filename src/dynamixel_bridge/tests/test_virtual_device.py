"""Rules of a control table."""

from __future__ import annotations

import pytest

from dynamixel_bridge.control_table import EEPROM, Model, model, models
from dynamixel_bridge.packet import BROADCAST, Block, Instruction, Packet
from dynamixel_bridge.virtual_device import VirtualDevice

KINDS = [model("RX-28"), model("XM430-W350")]


@pytest.mark.parametrize("kind", models().values(), ids=lambda kind: kind.name)
def test_a_device_is_born_as_the_factory_made_it(kind: Model) -> None:
    device = VirtualDevice(kind, 9)
    error, data = device.read(Block(0, kind.size))
    assert error == 0
    for name, row in kind.rows.items():
        expected = 9 if name == "id" else row.initial
        assert row.count(data[row.address : row.address + row.size]) == expected, name
    assert VirtualDevice(kind, 1, device.eeprom).eeprom == device.eeprom


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_rules_of_writing(kind: Model) -> None:
    device = VirtualDevice(kind, 1)
    rows, old = kind.rows, kind.protocol == 1
    before = device.read(Block(0, kind.size))
    assert device.write(rows["present_position"].address, bytes(rows["present_position"].size)) == (8 if old else 7)
    assert device.write(rows["return_delay"].address, b"\xff") == (8 if old else 4)
    assert device.write(rows["goal_position"].address, b"\1") == (8 if old else 5)
    assert device.write(kind.size, b"\0") == (8 if old else 7)
    assert device.read(Block(0, kind.size)) == before
    assert device.write(rows["lower_limit"].address, rows["lower_limit"].bytes_of(100)) == 0
    assert device.write(rows["goal_position"].address, rows["goal_position"].bytes_of(99)) == (2 if old else 6)
    assert device.write(rows["goal_position"].address, rows["goal_position"].bytes_of(100)) == 0
    assert device.write(rows["torque_enable"].address, b"\1") == 0
    for row in rows.values():
        if row.area == EEPROM:
            assert device.write(row.address, row.bytes_of(row.initial)) == (8 if old else 7), row.name
    assert device.read(Block(kind.size - 1, 2)) == (8 if old else 7, b"")


def test_several_rows_are_written_all_or_none() -> None:
    device = VirtualDevice(model("RX-28"), 1)
    assert device.write(30, b"\x00\x01\x00\x02\xff\x0f") == 8  # goal and speed are good, torque limit is not
    assert (device.get("goal_position"), device.get("goal_speed")) == (0, 0)
    assert device.write(30, b"\x00\x01\x00\x02") == 0
    assert (device.get("goal_position"), device.get("goal_speed")) == (256, 512)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_instructions(kind: Model) -> None:
    device = VirtualDevice(kind, 1)
    width = 1 if kind.protocol == 1 else 2
    place = kind.rows["led"].address.to_bytes(width, "little")
    assert device.execute(Packet(1, Instruction.ACTION, b""))[0] == (0x40 if width == 1 else 2)
    assert device.execute(Packet(1, Instruction.REG_WRITE, place + b"\1")) == (0, b"")
    assert (device.get("led"), device.get("registered")) == (0, 1)
    assert device.execute(Packet(BROADCAST, Instruction.ACTION, b"")) is None
    assert (device.get("led"), device.get("registered")) == (1, 0)
    device.put("return_delay", 3)
    assert device.execute(Packet(1, Instruction.REBOOT, b"")) == (0, b"")
    assert (device.get("led"), device.get("return_delay")) == (0, 3)
    assert device.execute(Packet(1, Instruction.FACTORY_RESET, b"\xff")) == (0, b"")
    assert device.get("return_delay") == 250
    assert device.execute(Packet(1, 0x77, b""))[0] != 0
    device.put("status_return_level", 0)
    read = Packet(1, Instruction.READ, place + (1).to_bytes(width, "little"))
    assert device.execute(read) is None
    assert device.execute(Packet(1, Instruction.PING, b"")) is not None
    device.put("status_return_level", 1)
    assert device.execute(read) == (0, b"\0")
    assert device.execute(Packet(1, Instruction.WRITE, place + b"\1")) is None


def test_an_alarm_is_in_every_answer() -> None:
    for kind, expected in zip(KINDS, (0x04, 0x80), strict=True):
        device = VirtualDevice(kind, 1)
        device.alarms = kind.errors["overheat"]
        assert device.read(Block(0, 1))[0] == expected


def test_a_sensor_stops_at_the_end_of_its_range() -> None:
    device = VirtualDevice(model("CM-730"), 200)
    device.measure("gyro_x", 1e3)
    device.measure("gyro_y", -1e3)
    assert (device.get("gyro_x"), device.get("gyro_y")) == (1023, 0)
    servo = VirtualDevice(model("RX-28"), 1)
    servo.measure("present_speed", -1e3)
    assert servo.get("present_speed") == -1023
