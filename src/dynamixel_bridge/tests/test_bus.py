"""The cycle of a bus, on virtual lines and simulated time."""

from __future__ import annotations

import math

import pytest

from dynamixel_bridge.bus import PATIENCE, SUSPECT, Bus
from dynamixel_bridge.control_table import model
from dynamixel_bridge.device import ImuDevice, Servo
from dynamixel_bridge.links import SimulatedLinks
from dynamixel_bridge.virtual_faults import Faults
from dynamixel_bridge.virtual_line import VirtualLine
from dynamixel_bridge.virtual_servo import FreeBody, VirtualImu

from .conftest import BAUD, servos

IDS = list(range(1, 21))
MODELS = ["RX-28", "MX-28", "XL-320", "XM430-W350"]


class Rig:
    """Virtual servos and the bus that drives them."""

    def __init__(self, name: str, ids: list[int], faults: Faults | None = None) -> None:
        self.body = FreeBody()
        self.devices = servos(name, ids, self.body)
        self.links = SimulatedLinks({"bus": VirtualLine(self.devices, faults, seed=1)}, BAUD)
        self.bus = Bus([Servo(id_, model(name)) for id_ in ids], BAUD, clock=self.links.clock)

    def cycle(self, goals: dict[int, float] | None = None, seconds: float = math.inf) -> float:
        began = self.links.now
        self.links.exchange({"bus": self.bus.cycle(goals or {}, began + seconds)})
        return self.links.now - began


@pytest.mark.parametrize("name", MODELS)
def test_all_goals_are_written_and_all_states_read(name: str) -> None:
    rig = Rig(name, IDS)
    rig.bus.write("torque_enable", dict.fromkeys(IDS, 1.0))
    rig.cycle()
    rig.cycle({id_: 0.01 * id_ for id_ in IDS})
    count = model(name).rows["goal_position"].scale
    for id_, servo in rig.bus.servos.items():
        assert servo.fresh
        assert servo.position == pytest.approx(0.01 * id_, abs=0.51 * count)
        assert (servo.speed, servo.load) == (0.0, 0.0)
    for _ in range(80):
        rig.cycle()
    assert {servo.temperature for servo in rig.bus.servos.values()} == {35.0}
    assert all(servo.voltage == pytest.approx(rig.devices[0].supply) for servo in rig.bus.servos.values())
    assert all(servo.torque_on for servo in rig.bus.servos.values())
    assert rig.bus.counts == {"cycles": 82, "broken packets": 0}


def test_the_fastest_instruction_of_each_model_is_used() -> None:
    times = {name: Rig(name, IDS).cycle() for name in MODELS}
    size = {"RX-28": 20 * (8 + 12), "MX-28": 67 + 20 * 12, "XL-320": 34 + 20 * 17, "XM430-W350": 34 + 8 + 20 * 14}
    slow = {"RX-28": 8 + 8, "MX-28": 8 + 8, "XL-320": 14 + 13, "XM430-W350": 14 + 14}
    for name, seconds in times.items():
        assert seconds == pytest.approx((size[name] + slow[name]) * 10 / BAUD, rel=1e-9), name


@pytest.mark.parametrize("name", MODELS)
def test_a_silent_servo_costs_its_own_timeout_only(name: str) -> None:
    rig = Rig(name, IDS)
    whole = rig.cycle()
    before = rig.bus.servos[7].position
    rig.devices[6].dead = True
    rig.body.angles[8] = 0.3
    for _ in range(SUSPECT):
        spent = rig.cycle()
        stale = [id_ for id_, servo in rig.bus.servos.items() if not servo.fresh]
        assert stale == [7]
        assert rig.bus.servos[8].position == pytest.approx(0.3, abs=0.003)
        # It is asked twice, and those behind it in a chain, whose time on the line passed in silence, once more.
        assert spent < (2 if "sync" in "".join(model(name).reads) else 1) * whole + 2 * (PATIENCE + 0.0012)
    assert rig.bus.servos[7].position == before
    assert rig.cycle() < whole + PATIENCE + 0.0006  # from now on it is asked once, behind the others
    assert rig.bus.servos[7].counts["stale"] == SUSPECT + 1
    rig.devices[6].dead = False
    rig.cycle()
    assert rig.bus.servos[7].fresh


def test_many_dead_servos_do_not_slow_the_cycle_and_come_back_at_once() -> None:
    rig = Rig("RX-28", IDS)
    whole = rig.cycle()
    for device in rig.devices[5:]:
        device.dead = True
    for _ in range(SUSPECT):
        assert rig.cycle(seconds=0.009) < 0.0091
    for _ in range(5 * SUSPECT):
        rig.cycle(seconds=0.009)
    assert rig.cycle(seconds=0.009) < whole
    assert [servo.fresh for servo in rig.bus.servos.values()] == [True] * 5 + [False] * 15
    for device in rig.devices:
        device.dead = False
    rig.cycle(seconds=0.009)
    assert all(servo.fresh for servo in rig.bus.servos.values())


def test_cycles_that_are_too_short_give_everybody_a_turn_and_find_who_is_back() -> None:
    rig = Rig("RX-28", IDS)
    rig.links.lines["bus"].devices.append(VirtualImu(model("CM-730"), 200, rig.body))
    rig.bus = Bus([*rig.bus.servos.values(), ImuDevice(200, model("CM-730"))], BAUD, clock=rig.links.clock)
    rig.devices[6].dead = True
    seen = dict.fromkeys(rig.bus.devices, 0)
    for number in range(40):
        rig.cycle(seconds=0.002)
        for id_, device in rig.bus.devices.items():
            seen[id_] = number if device.fresh else seen[id_]
            assert id_ == 7 or number - seen[id_] < 6, f"{id_} starves"
    assert rig.bus.counts["cut short"] > 20
    assert rig.bus.servos[7].silent_cycles >= SUSPECT
    rig.devices[6].dead = False
    for _ in range(20):
        rig.cycle(seconds=0.002)
    assert rig.bus.servos[7].silent_cycles == 0


@pytest.mark.parametrize("name", MODELS)
def test_no_wrong_value_comes_through_a_bad_line(name: str) -> None:
    rig = Rig(name, IDS[:8], Faults(lost=0.03, corrupted=0.05, late=0.03, duplicated=0.03, late_by=0.004))
    for device in rig.devices:
        device.put("torque_enable", 1)
    goals = dict.fromkeys(IDS[:8], 0.0)
    fresh = 0
    for number in range(300):
        goals = {id_: 0.02 * id_ * math.sin(0.1 * number) for id_ in goals}
        ever = {id_: {device.value("present_position")} for id_, device in zip(goals, rig.devices, strict=True)}
        rig.cycle(goals, 0.02)
        rig.links.wait_until(0.02 * (number + 1))
        for (id_, servo), device in zip(rig.bus.servos.items(), rig.devices, strict=True):
            device.refresh()
            ever[id_].add(device.value("present_position"))
            if servo.fresh:
                fresh += 1
                assert any(servo.position == pytest.approx(angle, abs=1e-9) for angle in ever[id_])
    assert fresh > 0.8 * 300 * 8
    assert sum(servo.counts["missed"] for servo in rig.bus.servos.values()) > 100
    assert rig.bus.counts["broken packets"] > 10


def test_rows_are_written_where_they_changed() -> None:
    rig = Rig("RX-28", [1, 2])
    heard: list[int] = []
    hear = rig.links.lines["bus"].hear
    rig.links.lines["bus"].hear = lambda data, baud, now: (heard.append(len(data)), hear(data, baud, now))[1]  # type: ignore[method-assign,func-returns-value]
    rig.bus.write("torque_limit", {1: 0.5, 2: 0.5})
    rig.cycle()
    assert heard[0] == 8 + 2 * 3
    heard.clear()
    rig.bus.write("torque_limit", {1: 0.5, 2: 0.6})
    rig.cycle()
    assert heard[0] == 8 + 1 * 3
    assert [device.value("torque_limit") for device in rig.devices] == pytest.approx([0.5, 0.6], abs=0.001)
    rig.bus.forget_written(1)
    rig.bus.write("torque_limit", {1: 0.5})
    heard.clear()
    rig.cycle()
    assert heard[0] == 11
    rig.bus.write("bus_watchdog", {1: 0.5})  # RX has none
    heard.clear()
    rig.cycle()
    assert heard[0] == 8


def test_relaxing_needs_no_answer() -> None:
    rig = Rig("RX-28", [1, 2])
    rig.cycle({1: 0.1, 2: 0.1})
    assert [device.get("torque_enable") for device in rig.devices] == [1, 1]
    rig.links.shout({"bus": rig.bus.relax_now()})
    assert [device.get("torque_enable") for device in rig.devices] == [0, 0]


@pytest.mark.parametrize(("name", "errors"), [("RX-28", ("overheat",)), ("XM430-W350", ("alert",))])
def test_alarms_are_seen_in_the_same_cycle(name: str, errors: tuple[str, ...]) -> None:
    rig = Rig(name, [1])
    rig.devices[0].temperature = 99.0
    rig.devices[0].advance(0.001)
    rig.cycle()
    assert rig.bus.servos[1].errors == errors
    for _ in range(3):
        rig.cycle()
    assert rig.bus.servos[1].errors == ("overheat",)


def test_an_inertial_sensor_is_read_beside_the_servos() -> None:
    body = FreeBody()
    kind = model("CM-730")
    virtual = [*servos("RX-28", [1], body), VirtualImu(kind, 200, body)]
    links = SimulatedLinks({"bus": VirtualLine(virtual)}, BAUD)
    imu = ImuDevice(200, kind)
    bus = Bus([Servo(1, model("RX-28")), imu], BAUD, clock=links.clock)
    links.exchange({"bus": bus.cycle({})})
    assert imu.fresh
    assert imu.acceleration == pytest.approx((0.0, 0.0, 9.80665))
    assert imu.turning == (0.0, 0.0, 0.0)
    bus.absent()
    assert (imu.fresh, bus.counts["cycles without port"]) == (False, 1)
