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
        configure(bench, found, kind, wanted, tmp_path / "backup.json")
        with pytest.raises(RobotError, match="never overwritten"):
            configure(bench, found, kind, wanted, tmp_path / "backup.json")
    assert {row: servo.get(row) for row in wanted} == wanted
    assert json.loads((tmp_path / "backup.json").read_text()) == {"id": 3, "model": name, "eeprom": before}
    assert changes(before, servo.eeprom).keys() == wanted.keys()
    assert [device.id for device in scan(str(bus.link), [57_600], [kind.protocol], [3, 9], attempts=3)] == [9]


def test_what_cannot_be_is_refused(plug_in: PlugIn, tmp_path: Path) -> None:
    bus = plug_in(servos("RX-28", [3, 4]))
    kind = model("RX-28")
    with workbench(str(bus.link), BAUD) as bench:
        found = bench.ping(3, 1)
        assert found is not None
        with pytest.raises(RobotError, match="the id 4 is taken"):
            configure(bench, found, kind, {"id": 4}, tmp_path / "backup.json")
        with pytest.raises(RobotError, match="upper_limit cannot be 5000"):
            bench.write(3, kind, "upper_limit", 5000)
        with pytest.raises(RobotError, match="could not be read"):
            bench.read(99, kind, "id")
        with pytest.raises(RobotError, match="could not be written"):
            bench.write(99, kind, "id", 1)
        assert bench.ping(99, 1) is None
    with pytest.raises(PortError, match="no such port"), workbench(str(tmp_path / "none"), BAUD):
        pass
    with pytest.raises(RobotError, match="SDK cannot run at 12345"), workbench(str(bus.link), 12_345):
        pass
