"""Finding and configuring servos with the maker's SDK on a virtual bus."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dynamixel_bridge.commissioning import changes, configure, scan, workbench
from dynamixel_bridge.control_table import model
from dynamixel_bridge.serial_port import PortError
from humanoid_description.errors import RobotError

from .conftest import BAUD, PlugIn, servos


def test_a_scan_finds_what_is_there(plug_in: PlugIn) -> None:
    bus = plug_in([*servos("RX-64", [3]), *servos("XM430-W350", [5])])
    told: list[str] = []
    found = scan(str(bus.link), [57_600, BAUD], ids=range(2, 7), progress=told.append, attempts=3)
    assert [(device.id, device.model, device.protocol, device.baud) for device in found] == [
        (3, "RX-64", 1, BAUD),
        (5, "XM430-W350", 2, BAUD),
    ]
    assert len(told) == 2 * 2 * 5


@pytest.mark.parametrize("name", ["RX-28", "XM430-W350"])
def test_a_servo_is_configured_after_a_backup(plug_in: PlugIn, tmp_path: Path, name: str) -> None:
    kind = model(name)
    (servo,) = servos(name, [3])
    servo.put("torque_enable", 1)
    bus = plug_in([servo])
    before = servo.eeprom
    wanted = {"id": 9, "baud_rate": kind.baud_count(57_600), "return_delay": 4, "upper_limit": 700}
    with workbench(str(bus.link), BAUD) as bench:
        found = bench.ping(3, kind.protocol)
        assert found is not None
        assert bench.eeprom(3, kind) == before
        (tmp_path / "taken").touch()
        with pytest.raises(RobotError, match="never overwritten"):
            configure(bench, found, kind, wanted, tmp_path / "taken")
        with pytest.raises(RobotError, match="cannot be written"):
            configure(bench, found, kind, wanted, Path("/proc/none/backup.json"))
        assert configure(bench, found, kind, wanted, None).keys() == wanted.keys()
        assert servo.eeprom == before
        configure(bench, found, kind, wanted, tmp_path / "backup.json")
    assert {row: servo.get(row) for row in wanted} == wanted
    assert json.loads((tmp_path / "backup.json").read_text()) == {"id": 3, "model": name, "eeprom": before}
    assert changes(before, servo.eeprom).keys() == wanted.keys()
    assert [device.id for device in scan(str(bus.link), [57_600], [kind.protocol], [3, 9], attempts=3)] == [9]


def test_what_cannot_be_is_refused(plug_in: PlugIn, tmp_path: Path) -> None:
    devices = servos("RX-28", [3, 4])
    bus = plug_in(devices)
    kind = model("RX-28")
    with workbench(str(bus.link), BAUD) as bench:
        found = bench.ping(3, 1)
        assert found is not None
        for wanted, message in (
            ({"return_delay": 9, "id": 4}, "the id 4 is taken"),
            ({"return_delay": 9, "id": 999}, "id cannot be 999. Give 0 to 252"),
            ({"return_delay": 9, "upper_limit": 5000}, "upper_limit cannot be 5000"),
            ({"lower_limit": 600, "upper_limit": 500}, "lower limit would be above its upper one"),
            ({"goal_position": 500}, "has no goal_position in its EEPROM"),
        ):
            with pytest.raises(RobotError, match=message):
                configure(bench, found, kind, wanted, tmp_path / "backup.json")
        assert not (tmp_path / "backup.json").exists()
        assert devices[0].get("return_delay") == 0
        with pytest.raises(RobotError, match="could not be read"):
            bench.read(99, kind, "id")
        with pytest.raises(RobotError, match="could not be written"):
            bench.write(99, kind, "id", 1)
        assert bench.ping(99, 1) is None
    with pytest.raises(PortError, match="no such port"), workbench(str(tmp_path / "none"), BAUD):
        pass
    with pytest.raises(RobotError, match="SDK cannot run at 12345"), workbench(str(bus.link), 12_345):
        pass


def test_a_servo_with_an_alarm_can_be_configured(plug_in: PlugIn, tmp_path: Path) -> None:
    (servo,) = servos("RX-28", [3])
    servo.put("highest_voltage", 100)  # its supply is above
    servo.advance(0.01)
    assert servo.alarms
    bus = plug_in([servo])
    kind = model("RX-28")
    with workbench(str(bus.link), BAUD) as bench:
        found = bench.ping(3, 1)
        assert found is not None
        configure(bench, found, kind, {"highest_voltage": 190}, tmp_path / "backup.json")
        assert servo.get("highest_voltage") == 190
        bench.write(3, kind, "torque_enable", 1)
        with pytest.raises(RobotError, match="could not be written"):
            bench.write(3, kind, "return_delay", 5)
