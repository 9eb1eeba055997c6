"""The virtual bus, spoken to by the maker's own SDK, unmodified."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import dynamixel_sdk as sdk
import pytest
import serial

from dynamixel_bridge import protocol1, protocol2
from dynamixel_bridge.control_table import model
from dynamixel_bridge.packet import Block, Instruction
from dynamixel_bridge.virtual_bus import VirtualBus
from dynamixel_bridge.virtual_faults import Event, Faults
from dynamixel_bridge.virtual_line import VirtualLine
from dynamixel_bridge.virtual_servo import FreeBody
from humanoid_description.errors import RobotError

from .conftest import BAUD, PlugIn, servos

OK = (sdk.COMM_SUCCESS, 0)
IDS = [3, 7, 4]


class PatientPort(sdk.PortHandler):
    """The SDK's port on a machine that may be busy with other things."""

    patience = 5000.0  # ms

    def setPacketTimeout(self, packet_length: int) -> None:
        self.setPacketTimeoutMillis(self.patience)


class Program:
    """A program that uses the SDK."""

    def __init__(self, bus: VirtualBus, protocol: int, baud: int = BAUD) -> None:
        self.port = PatientPort(str(bus.link))
        assert self.port.setBaudRate(baud)
        self.handler = sdk.PacketHandler(protocol)

    def silent(self, id_: int) -> bool:
        """Whether nobody answers to an id."""
        self.port.patience = 50.0
        result = self.handler.ping(self.port, id_)[1]
        self.port.patience = PatientPort.patience
        return bool(result == sdk.COMM_RX_TIMEOUT)


@pytest.fixture
def program(plug_in: PlugIn, request: pytest.FixtureRequest) -> Iterator[Program]:
    """The SDK on a bus of three servos."""
    name, protocol = request.param
    program = Program(plug_in(servos(name, IDS)), protocol)
    yield program
    program.port.closePort()


BOTH = pytest.mark.parametrize("program", [("RX-28", 1), ("MX-28", 1), ("XM430-W350", 2), ("XL-320", 2)], indirect=True)
FAST = pytest.mark.parametrize("program", [("XM430-W350", 2)], indirect=True)
BULK_1 = pytest.mark.parametrize("program", [("MX-28", 1)], indirect=True)
NUMBERS = {"RX-28": 28, "MX-28": 29, "XM430-W350": 1020, "XL-320": 350}


@BOTH
def test_ping_read_and_write(program: Program, request: pytest.FixtureRequest) -> None:
    name = request.node.callspec.params["program"][0]
    rows = model(name).rows
    assert program.handler.ping(program.port, 7) == (NUMBERS[name], *OK)
    assert program.silent(9)
    assert program.handler.write1ByteTxRx(program.port, 7, rows["torque_enable"].address, 1) == OK
    goal = rows["goal_position"]
    write, read = (getattr(program.handler, f"{what}{goal.size}ByteTxRx") for what in ("write", "read"))
    assert write(program.port, 7, goal.address, 700) == OK
    assert read(program.port, 7, goal.address) == (700, *OK)
    assert read(program.port, 7, rows["present_position"].address) == (700, *OK)
    assert read(program.port, 3, rows["present_position"].address) == (model(name).rows["goal_position"].zero, *OK)


@BOTH
def test_sync_write(program: Program, request: pytest.FixtureRequest) -> None:
    rows = model(request.node.callspec.params["program"][0]).rows
    goal = rows["goal_position"]
    for id_ in IDS:
        assert program.handler.write1ByteTxRx(program.port, id_, rows["torque_enable"].address, 1) == OK
    group = sdk.GroupSyncWrite(program.port, program.handler, goal.address, goal.size)
    for id_ in IDS:
        group.addParam(id_, list((300 + id_).to_bytes(goal.size, "little")))
    assert group.txPacket() == sdk.COMM_SUCCESS
    read = getattr(program.handler, f"read{goal.size}ByteTxRx")
    assert [read(program.port, id_, rows["present_position"].address)[0] for id_ in IDS] == [303, 307, 304]


@FAST
def test_sync_read_and_fast_sync_read(program: Program) -> None:
    block = model("XM430-W350").span("present_load", "present_position")
    group = sdk.GroupSyncRead(program.port, program.handler, block.address, block.size)
    for id_ in IDS:
        group.addParam(id_)
    for ask in (group.txRxPacket, group.fastSyncRead):
        assert ask() == sdk.COMM_SUCCESS
        assert [group.getData(id_, 132, 4) for id_ in IDS] == [2048, 2048, 2048]


@FAST
def test_bulk_write(program: Program) -> None:
    rows = model("XM430-W350").rows
    group = sdk.GroupBulkWrite(program.port, program.handler)
    group.addParam(3, rows["torque_enable"].address, 1, [1])
    group.addParam(7, rows["goal_position"].address, 4, list((700).to_bytes(4, "little")))
    assert group.txPacket() == sdk.COMM_SUCCESS
    assert program.handler.read1ByteTxRx(program.port, 3, rows["torque_enable"].address) == (1, *OK)
    assert program.handler.read4ByteTxRx(program.port, 7, rows["goal_position"].address) == (700, *OK)


@FAST
def test_bulk_read_of_protocol_2(program: Program) -> None:
    group = sdk.GroupBulkRead(program.port, program.handler)
    group.addParam(3, 144, 2)
    group.addParam(7, 146, 1)
    assert group.txRxPacket() == sdk.COMM_SUCCESS
    assert (group.getData(3, 144, 2), group.getData(7, 146, 1)) == (120, 35)


@BULK_1
def test_bulk_read_of_protocol_1(program: Program) -> None:
    # Not by GroupBulkRead, which in version 4.1.0 calls its own packet handler with an argument too many.
    assert program.handler.bulkReadTx(program.port, [2, 3, 36, 1, 7, 42], 6) == sdk.COMM_SUCCESS
    assert program.handler.readRx(program.port, 3, 2) == ([0, 8], *OK)
    assert program.handler.readRx(program.port, 7, 1) == ([120], *OK)


class Recorder(sdk.PortHandler):
    """A port of the SDK that keeps what the SDK sends."""

    def __init__(self) -> None:
        super().__init__("nowhere")
        self.sent = b""

    def clearPort(self) -> None:
        """There is none."""

    def writePort(self, packet: list[int]) -> int:
        self.sent = bytes(packet)
        return len(packet)


def test_the_sdk_sends_the_bytes_that_we_send() -> None:
    port = Recorder()
    for framing, handler in ((protocol1, sdk.PacketHandler(1)), (protocol2, sdk.PacketHandler(2))):
        handler.readTx(port, 7, 36, 6)
        assert port.sent == framing.read(7, Block(36, 6))
        port.is_using = False
        handler.write2ByteTxOnly(port, 7, 30, 513)
        assert port.sent == framing.write(7, 30, b"\1\2")
        group = sdk.GroupSyncWrite(port, handler, 30, 2)
        group.addParam(3, [1, 2])
        group.addParam(7, [3, 4])
        group.txPacket()
        assert port.sent == framing.sync_write(30, [(3, b"\1\2"), (7, b"\3\4")])
        port.is_using = False
        handler.action(port, 254)
        assert port.sent == framing.request(254, Instruction.ACTION)
    handler = sdk.PacketHandler(2)
    port.is_using = False
    handler.syncReadTx(port, 132, 4, [3, 7], 2, False)
    assert port.sent == protocol2.sync_read(Block(132, 4), [3, 7])
    port.is_using = False
    handler.syncReadTx(port, 132, 4, [3, 7], 2, True)
    assert port.sent == protocol2.fast_sync_read(Block(132, 4), [3, 7])


def test_a_servo_is_deaf_at_another_rate(plug_in: PlugIn) -> None:
    program = Program(plug_in(servos("RX-28", [1])), 1, baud=57600)
    assert program.silent(1)
    program.port.setBaudRate(BAUD)
    assert program.handler.ping(program.port, 1)[1] == sdk.COMM_SUCCESS
    program.port.closePort()


def test_both_protocols_live_on_one_line(plug_in: PlugIn) -> None:
    program = Program(plug_in([*servos("RX-28", [1]), *servos("XM430-W350", [2])]), 1)
    assert program.handler.ping(program.port, 1)[0] == 28
    assert sdk.PacketHandler(2).ping(program.port, 2)[0] == 1020
    assert program.silent(2)
    program.port.closePort()


def test_two_servos_with_one_id_garble_each_other(plug_in: PlugIn) -> None:
    body = FreeBody()
    first, second = servos("RX-28", [1, 2], body)
    body.angles.update({1: 0.4, 2: -0.7})
    second.put("id", 1)
    program = Program(plug_in([first, second]), 1)
    assert program.handler.ping(program.port, 1)[1] == sdk.COMM_SUCCESS  # both say the same
    assert program.handler.read2ByteTxRx(program.port, 1, 36)[1] != sdk.COMM_SUCCESS
    program.port.closePort()


def test_what_is_there_is_not_replaced_by_a_port(tmp_path: Path) -> None:
    line = VirtualLine(servos("RX-28", [1]))
    link = tmp_path / "port"
    link.write_text("precious")
    with pytest.raises(RobotError, match=r"port: exists\. Name another folder with --ports, or delete it"):
        VirtualBus(link, line)
    assert link.read_text() == "precious"
    link.unlink()
    first = VirtualBus(link, line)
    with pytest.raises(RobotError, match="another twin runs there"):
        VirtualBus(link, line)
    first.serve()
    assert link.exists()
    first.unplug()
    link.symlink_to("/dev/pts/no_longer_there")
    VirtualBus(link, line).unplug()
    assert not link.is_symlink()
    with pytest.raises(RobotError, match="cannot be made"):
        VirtualBus(Path("/proc/none/port"), line)


def test_a_port_takes_only_its_own_link_away(tmp_path: Path) -> None:
    bus = VirtualBus(tmp_path / "port", VirtualLine(servos("RX-28", [1])))
    bus.link.unlink()
    bus.link.write_text("precious")
    bus.unplug()
    assert bus.link.read_text() == "precious"


class Clock:
    """Time that a test sets."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_answers_come_when_the_line_lets_them(tmp_path: Path) -> None:
    clock = Clock()
    (servo,) = servos("RX-28", [1])
    servo.put("return_delay", 250)
    bus = VirtualBus(tmp_path / "port", VirtualLine([servo]), clock)
    with serial.Serial(str(bus.link), BAUD, timeout=0) as port:
        port.write(protocol1.read(1, Block(36, 6)))
        bus.serve()
        due = 8 * 10e-6 + 500e-6 + 12 * 10e-6  # instruction, return delay, answer
        clock.now = due - 1e-7
        bus.serve()
        assert port.read(99) == b""
        clock.now = due + 1e-7
        bus.serve()
        assert len(port.read(99)) == 12
    bus.unplug()


def test_an_unplugged_port_comes_back_under_its_name(tmp_path: Path) -> None:
    clock = Clock()
    events = (Event("unplug", 1.0, 1.0), Event("dead", 4.0, 1.0, servo=1), Event("wrong_id", 6.0, 1.0, servo=1))
    (servo,) = servos("RX-28", [1])
    bus = VirtualBus(tmp_path / "port", VirtualLine([servo], Faults(events=events)), clock)
    port = os.open(bus.link, os.O_RDWR | os.O_NONBLOCK | os.O_NOCTTY)
    clock.now = 1.5
    bus.serve()
    assert not bus.link.exists()
    with pytest.raises(OSError, match="Input/output error"):
        os.write(port, b"?")
    os.close(port)
    clock.now = 2.5
    bus.serve()
    assert bus.link.exists()
    clock.now = 4.5
    bus.serve()
    assert servo.dead
    clock.now = 6.5
    bus.serve()
    assert (servo.dead, servo.get("id")) == (False, 101)
    clock.now = 7.5
    bus.serve()
    assert servo.get("id") == 1
    assert bus.line.mishaps.counts == {"unplug": 1, "dead": 1, "wrong_id": 1}
    bus.unplug()
