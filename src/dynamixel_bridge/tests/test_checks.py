"""What the check of a robot's buses finds."""

from __future__ import annotations

from pathlib import Path

import pytest

from dynamixel_bridge import checks
from dynamixel_bridge.checks import check_bus
from dynamixel_bridge.commissioning import Workbench
from dynamixel_bridge.control_table import Model
from dynamixel_bridge.virtual_robot import virtual_devices
from dynamixel_bridge.virtual_servo import FreeBody, VirtualServo
from humanoid_description import RobotError, load_robot

from .conftest import PlugIn

ROBOT = load_robot("fibo_km")


def test_a_good_robot_has_no_findings_and_a_bad_one_has_all(plug_in: PlugIn, monkeypatch: pytest.MonkeyPatch) -> None:
    body = FreeBody()
    devices = virtual_devices(ROBOT, body)["body"]
    bus = plug_in(devices)
    assert check_bus(ROBOT, {"body": str(bus.link)}) == []
    by_id = {device.id: device for device in devices if isinstance(device, VirtualServo)}
    by_id[1].put("return_delay", 250)
    by_id[2].put("baud_rate", 34)
    by_id[3].dead = True
    by_id[5].put("id", 4)
    body.angles.update({4: 0.4, 5: -0.7})
    by_id[6].put("model_number", 64)
    monkeypatch.setattr(checks, "latency_timer", lambda path: 16)
    findings = check_bus(ROBOT, {"body": str(bus.link)})
    found = [f"{finding.what}. {finding.remedy}" for finding in findings]
    for what in (
        "holds bytes back for 16 ms. Write 1 to its latency_timer",
        "id 1 (right_shoulder_pitch): waits 500 us before it answers. Run './humanoid bridge configure",
        "id 2 (left_shoulder_pitch): listens at 57600 bit/s, not 1000000. Run './humanoid bridge configure",
        "id 3 (right_shoulder_roll): does not answer. Check its cable and power",
        "id 4: answers come broken, so two servos probably share it",
        "id 5 (right_elbow): does not answer",
        "id 6 (left_elbow): is a RX-64, robot.yaml says RX-28",
    ):
        assert any(what in text for text in found), what
    assert len(found) == 7


def test_a_row_that_cannot_be_read_is_a_finding_and_the_check_goes_on(
    plug_in: PlugIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    devices = virtual_devices(ROBOT, FreeBody())["body"]
    devices[1].put("return_delay", 250)
    bus = plug_in(devices)
    read = Workbench.read

    def interrupted(bench: Workbench, id_: int, kind: Model, name: str) -> int:
        if id_ == devices[0].id:
            devices[0].dead = True  # its cable has come off meanwhile
        return read(bench, id_, kind, name)

    monkeypatch.setattr(Workbench, "read", interrupted)
    findings = check_bus(ROBOT, {"body": str(bus.link)})
    assert findings[0].what == "servo 19: return_delay could not be read"
    assert "Check cable and power" in findings[0].remedy
    assert "waits 500 us" in findings[1].what


def test_a_port_that_cannot_be_opened_is_a_finding(tmp_path: Path) -> None:
    (finding,) = check_bus(ROBOT, {"body": str(tmp_path / "none")})
    assert "there is no such port" in finding.what
    assert "Plug in the adapter" in finding.remedy
    with pytest.raises(RobotError, match="no section 'bus'"):
        check_bus(load_robot("nao"), {})
