"""Protocol 2.0 on the bytes that the maker's e-manual prints, and on noise."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynamixel_bridge import protocol2
from dynamixel_bridge.packet import BROADCAST, Block, Instruction, Packet

NASTY = st.lists(st.sampled_from([0xFF, 0xFD, 0x00, 0x55]), max_size=30).map(bytes)
PACKETS = st.builds(Packet, st.integers(0, 252), st.integers(0, 255), st.binary(max_size=40) | NASTY)
POSITION = Block(132, 4)
# ROBOTIS e-manual, "DYNAMIXEL Protocol 2.0", instruction details.
REQUESTS = [
    ("FF FF FD 00 01 03 00 01 19 4E", protocol2.request(1, Instruction.PING)),
    ("FF FF FD 00 FE 03 00 01 31 42", protocol2.request(BROADCAST, Instruction.PING)),
    ("FF FF FD 00 01 07 00 02 84 00 04 00 1D 15", protocol2.read(1, POSITION)),
    ("FF FF FD 00 01 09 00 03 74 00 00 02 00 00 CA 89", protocol2.write(1, 116, b"\0\2\0\0")),
    (
        "FF FF FD 00 01 09 00 04 68 00 C8 00 00 00 AE 8E",
        protocol2.request(1, Instruction.REG_WRITE, b"\x68\0\xc8\0\0\0"),
    ),
    ("FF FF FD 00 01 03 00 05 02 CE", protocol2.request(1, Instruction.ACTION)),
    ("FF FF FD 00 01 04 00 06 01 A1 E6", protocol2.request(1, Instruction.FACTORY_RESET, b"\1")),
    ("FF FF FD 00 01 03 00 08 2F 4E", protocol2.request(1, Instruction.REBOOT)),
    ("FF FF FD 00 FE 09 00 82 84 00 04 00 01 02 CE FA", protocol2.sync_read(POSITION, [1, 2])),
    (
        "FF FF FD 00 FE 11 00 83 74 00 04 00 01 96 00 00 00 02 AA 00 00 00 82 87",
        protocol2.sync_write(116, [(1, b"\x96\0\0\0"), (2, b"\xaa\0\0\0")]),
    ),
    ("FF FF FD 00 FE 0A 00 8A 84 00 04 00 03 07 04 20 F2", protocol2.fast_sync_read(POSITION, [3, 7, 4])),
    (
        "FF FF FD 00 FE 0D 00 92 01 90 00 02 00 02 92 00 01 00 1A 05",
        protocol2.bulk_read([(1, Block(144, 2)), (2, Block(146, 1))]),
    ),
]
ANSWERS = [
    ("FF FF FD 00 01 07 00 55 00 06 04 26 65 5D", Packet(1, 0, b"\x06\x04\x26")),
    ("FF FF FD 00 02 07 00 55 00 06 04 26 6F 6D", Packet(2, 0, b"\x06\x04\x26")),
    ("FF FF FD 00 01 08 00 55 00 A6 00 00 00 8C C0", Packet(1, 0, b"\xa6\0\0\0")),
    ("FF FF FD 00 02 08 00 55 00 1F 08 00 00 BA BE", Packet(2, 0, b"\x1f\x08\0\0")),
    ("FF FF FD 00 01 04 00 55 00 A1 0C", Packet(1, 0, b"")),
    ("FF FF FD 00 01 06 00 55 00 77 00 C3 69", Packet(1, 0, b"\x77\0")),
    ("FF FF FD 00 02 05 00 55 00 24 8B A9", Packet(2, 0, b"\x24")),
]
FAST = (
    "FF FF FD 00 FE 19 00 55 00 03 A6 00 00 00 84 08 00 07 1F 08 00 00 16 CA 00 04 FF 03 00 00 D1 9E",
    [Packet(3, 0, b"\xa6\0\0\0"), Packet(7, 0, b"\x1f\x08\0\0"), Packet(4, 0, b"\xff\x03\0\0")],
)


@pytest.mark.parametrize(("printed", "built"), REQUESTS)
def test_the_manuals_requests_are_built_and_parsed(printed: str, built: bytes) -> None:
    assert built == bytes.fromhex(printed)
    (packet,) = protocol2.requests_decoder().feed(built)
    assert protocol2.request(*packet) == built


@pytest.mark.parametrize(("printed", "packet"), ANSWERS)
def test_the_manuals_answers_are_built_and_parsed(printed: str, packet: Packet) -> None:
    assert protocol2.answer(*packet) == bytes.fromhex(printed)
    assert protocol2.answers_decoder().feed(bytes.fromhex(printed)) == [packet]


def test_the_manuals_joint_answer_is_built_and_split() -> None:
    printed, packets = bytes.fromhex(FAST[0]), FAST[1]
    assert protocol2.fast_answer(packets and [(p.id, p.code, p.parameters) for p in packets], 3) == printed
    assert len(printed) == protocol2.fast_answer_size(3, 4)
    assert protocol2.split_fast_answer(printed, 4, 3) == packets
    # One that is cut or changed gives what came before, and nothing that is not checked.
    assert protocol2.split_fast_answer(printed[:-3], 4, 3) == packets[:2]
    for byte in range(16, 24):
        changed = bytearray(printed)
        changed[byte] ^= 0x10
        assert protocol2.split_fast_answer(bytes(changed), 4, 3) == packets[:1]
    assert protocol2.split_fast_answer(printed, 2, 3) == []
    assert protocol2.split_fast_answer(b"", 4, 3) == []


@given(st.lists(PACKETS, max_size=6), st.data())
def test_packets_survive_the_way_in_any_pieces(packets: list[Packet], data: st.DataObject) -> None:
    stream = b"".join(protocol2.answer(*packet) for packet in packets)
    decoder, found, at = protocol2.answers_decoder(), [], 0
    while at < len(stream):
        size = data.draw(st.integers(1, 9))
        found += decoder.feed(stream[at : at + size])
        at += size
    assert found == packets
    assert decoder.dropped == decoder.broken == 0


@given(NASTY)
def test_no_header_can_occur_inside_a_packet(parameters: bytes) -> None:
    body = protocol2.answer(1, 0, parameters)[7:-2]
    assert protocol2.HEADER not in body


@given(st.binary(max_size=60) | NASTY, PACKETS)
def test_every_byte_is_in_a_packet_or_dropped(noise: bytes, packet: Packet) -> None:
    decoder = protocol2.answers_decoder()
    stream = noise + protocol2.answer(*packet)
    found = decoder.feed(stream)
    decoder.clear()
    assert sum(len(protocol2.answer(*one)) for one in found) + decoder.dropped == len(stream)


def test_a_packet_whose_tail_was_lost_does_not_swallow_the_next() -> None:
    decoder = protocol2.answers_decoder()
    assert decoder.feed(protocol2.answer(1, 0, b"long enough to wait for")[:-6] + protocol2.answer(2, 0)) == [
        Packet(2, 0, b"")
    ]
    assert decoder.broken == 1


def test_requests_and_answers_are_not_taken_for_each_other() -> None:
    decoder = protocol2.answers_decoder()
    echo = protocol2.read(1, POSITION)  # some adapters hear what they send
    assert decoder.feed(echo + protocol2.answer(1, 0, b"\1")) == [Packet(1, 0, b"\1")]
    assert decoder.dropped == len(echo)
