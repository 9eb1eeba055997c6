"""Ports that come and go under a bus."""

from __future__ import annotations

from pathlib import Path

import pytest

from dynamixel_bridge import links as links_module
from dynamixel_bridge.bus import Bus
from dynamixel_bridge.control_table import model
from dynamixel_bridge.device import Servo
from dynamixel_bridge.links import SerialLinks, SimulatedLinks
from dynamixel_bridge.serial_port import PortError
from dynamixel_bridge.virtual_line import VirtualLine

from .conftest import BAUD, PlugIn, servos

PATIENT = 5.0  # s: a busy machine is no silent servo


def test_two_limbs_on_two_real_ports(plug_in: PlugIn) -> None:
    plugged = {name: plug_in(servos("RX-28", [number])) for number, name in enumerate(("left", "right"), start=1)}
    links = SerialLinks({name: str(bus.link) for name, bus in plugged.items()}, BAUD)
    buses = {name: Bus([Servo(n, model("RX-28"))], BAUD, patience=PATIENT) for n, name in enumerate(plugged, start=1)}
    assert links.exchange({name: bus.cycle({}) for name, bus in buses.items()}) == {}
    assert all(servo.fresh for bus in buses.values() for servo in bus.servos.values())
    links.shout({name: bus.relax_now() for name, bus in buses.items()})
    links.close()


def test_an_unplugged_port_recovers_by_itself(plug_in: PlugIn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(links_module, "RETRY", 0.0)
    plugged = plug_in(servos("RX-28", [1]))
    links = SerialLinks({"body": str(plugged.link)}, BAUD)
    bus = Bus([Servo(1, model("RX-28"))], BAUD, patience=PATIENT)
    assert links.exchange({"body": bus.cycle({})}) == {}
    plugged.line.plugged = False
    while plugged.plugged:
        pass
    assert "the adapter is gone" in links.exchange({"body": bus.cycle({})})["body"]
    assert "no such port" in links.exchange({"body": bus.cycle({})})["body"]
    links.shout({"body": bus.relax_now()})
    plugged.line.plugged = True
    while not plugged.plugged or not plugged.link.exists():
        pass
    assert links.exchange({"body": bus.cycle({})}) == {}
    assert bus.servos[1].fresh
    links.close()


def test_all_ports_or_none_are_opened(plug_in: PlugIn, tmp_path: Path) -> None:
    plugged = plug_in(servos("RX-28", [1]))
    with pytest.raises(PortError, match="no such port"):
        SerialLinks({"left": str(plugged.link), "right": str(tmp_path / "none")}, BAUD)
    SerialLinks({"left": str(plugged.link)}, BAUD).close()  # it was given back


def test_simulated_ports_take_the_time_of_the_slowest() -> None:
    names = {"arm": [1], "leg": [1, 2, 3, 4]}
    lines = {name: VirtualLine(servos("RX-28", ids)) for name, ids in names.items()}
    told: list[float] = []
    links = SimulatedLinks(lines, BAUD, told.append)
    buses = {
        name: Bus([Servo(id_, model("RX-28")) for id_ in ids], BAUD, clock=links.clock) for name, ids in names.items()
    }
    assert links.exchange({name: bus.cycle({}) for name, bus in buses.items()}) == {}
    assert links.now == pytest.approx((4 * 20 + 16) * 10 / BAUD)
    lines["arm"].plugged = False
    assert list(links.exchange({name: bus.cycle({}) for name, bus in buses.items()})) == ["arm"]
    links.wait_until(1.0)
    assert links.clock() == lines["leg"].advanced == 1.0
    assert told == sorted(set(told))  # whoever moves the body hears of every moment once, though ports talk at once
    assert told[-1] == 1.0
