"""The wire of a virtual bus, on a clock of its own."""

from __future__ import annotations

import math

from dynamixel_bridge import protocol1, protocol2
from dynamixel_bridge.packet import BROADCAST, Block, Instruction
from dynamixel_bridge.virtual_faults import Event, Faults
from dynamixel_bridge.virtual_line import GAP, VirtualLine

from .conftest import BAUD, servos

BYTE = 10 / BAUD


def test_a_chain_of_answers_takes_the_line_one_after_the_other() -> None:
    line = VirtualLine(servos("XM430-W350", [1, 2]))
    request = protocol2.sync_read(Block(132, 4), [1, 2])
    line.hear(request, BAUD, 1.0)
    answer = protocol2.answer_size(4)
    first = 1.0 + (len(request) + answer) * BYTE
    assert math.isclose(line.next_due(), first)
    assert line.due(first - 1e-9) == b""
    assert len(line.due(first + 1e-9)) == answer
    assert math.isclose(line.next_due(), first + answer * BYTE)
    assert len(line.due(2.0)) == answer
    assert line.next_due() == math.inf


def test_a_request_waits_until_the_one_before_is_through() -> None:
    line = VirtualLine(servos("RX-28", [1]))
    write = protocol1.sync_write(30, [(1, b"\0\2")])
    read = protocol1.read(1, Block(36, 2))
    line.hear(write, BAUD, 0.0)
    line.hear(read, BAUD, 0.0)
    assert math.isclose(line.next_due(), (len(write) + len(read) + protocol1.answer_size(2)) * BYTE)


def test_an_unfinished_packet_deafens_until_the_gap_or_a_flush() -> None:
    (servo,) = servos("RX-28", [1])
    ping = protocol1.request(1, Instruction.PING)
    longer = bytearray(ping)
    longer[3] = 200  # noise on the length
    for flush, wait, heard in ((b"", 0.001, False), (bytes(254), 0.004, True), (b"", 2 * GAP, True)):
        line = VirtualLine([servo])
        line.hear(bytes(longer), BAUD, 0.0)
        line.hear(flush, BAUD, 0.0)
        line.hear(ping, BAUD, wait)
        assert (line.next_due() < math.inf) is heard


def test_a_broadcast_write_reaches_all_and_nobody_answers() -> None:
    devices = servos("RX-28", [1, 2])
    line = VirtualLine(devices)
    line.hear(protocol1.write(BROADCAST, 25, b"\1"), BAUD, 0.0)
    assert [device.get("led") for device in devices] == [1, 1]
    assert line.next_due() == math.inf


def test_events_reach_the_servo_they_name() -> None:
    first, second = servos("RX-28", [1, 2])
    names = ("stuck_encoder", "overheat", "brown_out")
    line = VirtualLine([first, second], Faults(events=tuple(Event(name, 1.0, 1.0, servo=2) for name in names)))
    line.pass_time(1.5)
    assert (second.stuck_at, second.browned_out) == (0.0, True)
    assert second.temperature > 80
    assert (first.stuck_at, first.browned_out, first.temperature < 80) == (None, False, True)
    line.pass_time(2.5)
    assert (second.stuck_at, second.browned_out, second.temperature) == (None, False, 35.0)


def test_a_bus_watchdog_switches_off_when_the_controller_is_gone() -> None:
    (servo,) = servos("XM430-W350", [1])
    line = VirtualLine([servo])
    rows = servo.model.rows
    line.hear(protocol2.write(1, rows["torque_enable"].address, b"\1"), BAUD, 0.0)
    line.hear(protocol2.write(1, rows["bus_watchdog"].address, b"\x05"), BAUD, 0.0)
    for tick in range(9):
        line.pass_time(0.01 * tick)
        line.hear(protocol2.request(1, Instruction.PING), BAUD, 0.01 * tick)
    assert servo.get("torque_enable") == 1
    line.pass_time(0.3)
    assert servo.get("torque_enable") == 0


def test_behind_a_silent_servo_a_chain_is_silent() -> None:
    devices = servos("XM430-W350", [1, 2, 3])
    devices[1].dead = True
    line = VirtualLine(devices)
    line.hear(protocol2.sync_read(Block(132, 4), [1, 2, 3]), BAUD, 0.0)
    assert [packet.id for packet in protocol2.answers_decoder().feed(line.due(1.0))] == [1]
    line.hear(protocol2.fast_sync_read(Block(132, 4), [1, 2, 3]), BAUD, 1.0)
    assert [packet.id for packet in protocol2.split_fast_answer(line.due(2.0), 4, 3)] == [1]


def test_all_answer_a_broadcast_ping_in_protocol_2_and_none_in_protocol_1() -> None:
    line = VirtualLine([*servos("XL430-W250", [9, 5]), *servos("RX-28", [7])])
    line.hear(protocol2.request(BROADCAST, Instruction.PING), BAUD, 0.0)
    assert [packet.id for packet in protocol2.answers_decoder().feed(line.due(1.0))] == [5, 9]
    line.hear(protocol1.request(BROADCAST, Instruction.PING), BAUD, 1.0)
    assert line.due(2.0) == b""


def test_writes_reach_all_who_share_an_id() -> None:
    devices = servos("XM430-W350", [1, 2])
    devices[1].put("id", 1)
    line = VirtualLine(devices)
    led = devices[0].model.rows["led"].address
    line.hear(protocol2.sync_write(led, [(1, b"\1")]), BAUD, 0.0)
    assert [device.get("led") for device in devices] == [1, 1]
    line.hear(protocol2.write(BROADCAST, led, b"\0"), BAUD, 0.0)
    assert [device.get("led") for device in devices] == [0, 0]
    bulk = bytes((1, led, 0, 1, 0, 1))
    line.hear(protocol2.request(BROADCAST, Instruction.BULK_WRITE, bulk), BAUD, 0.0)
    assert [device.get("led") for device in devices] == [1, 1]
    cut = protocol2.request(BROADCAST, Instruction.BULK_WRITE, bytes((1, led, 0)))
    line.hear(cut, BAUD, 0.0)  # is no write
    assert line.due(1.0) == b""


def test_who_shares_an_id_answers_a_chain_at_once() -> None:
    devices = servos("XM430-W350", [1, 2])
    devices[1].put("id", 1)
    devices[1].temperature = 77.0
    line = VirtualLine(devices)
    line.hear(protocol2.sync_read(Block(146, 1), [1]), BAUD, 0.0)
    heard = line.due(1.0)
    assert len(heard) == protocol2.answer_size(1)
    assert protocol2.answers_decoder().feed(heard) == []
