"""Protocol 1.0 on the bytes that the maker's e-manual prints, and on noise."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynamixel_bridge import protocol1
from dynamixel_bridge.packet import BROADCAST, Block, Instruction, Packet

PACKETS = st.builds(Packet, st.integers(0, 252), st.integers(0, 255), st.binary(max_size=40))
# ROBOTIS e-manual, "DYNAMIXEL Protocol 1.0", instruction details.
EXAMPLES = [
    ("FF FF 01 02 01 FB", protocol1.request(1, Instruction.PING)),
    ("FF FF 01 02 00 FC", protocol1.answer(1, 0)),
    ("FF FF 01 04 02 2B 01 CC", protocol1.read(1, Block(43, 1))),
    ("FF FF 01 03 00 20 DB", protocol1.answer(1, 0, b"\x20")),
    ("FF FF FE 04 03 03 01 F6", protocol1.write(BROADCAST, 3, b"\1")),
    ("FF FF 01 05 04 1E F4 01 E2", protocol1.request(1, Instruction.REG_WRITE, b"\x1e\xf4\x01")),
    ("FF FF FE 02 05 FA", protocol1.request(BROADCAST, Instruction.ACTION)),
    ("FF FF 00 02 06 F7", protocol1.request(0, Instruction.FACTORY_RESET)),
    ("FF FF 01 02 08 F4", protocol1.request(1, Instruction.REBOOT)),
    (
        "FF FF FE 0E 83 1E 04 00 10 00 50 01 01 20 02 60 03 67",
        protocol1.sync_write(30, [(0, b"\x10\x00\x50\x01"), (1, b"\x20\x02\x60\x03")]),
    ),
    ("FF FF FE 09 92 00 02 01 1E 02 02 24 1D", protocol1.bulk_read([(1, Block(30, 2)), (2, Block(36, 2))])),
    ("FF FF 01 04 00 00 80 7A", protocol1.answer(1, 0, b"\x00\x80")),
    ("FF FF 01 02 24 D8", protocol1.answer(1, 0x24)),
]


@pytest.mark.parametrize(("printed", "built"), EXAMPLES)
def test_the_manuals_examples_are_built_and_parsed(printed: str, built: bytes) -> None:
    assert built == bytes.fromhex(printed)
    (packet,) = protocol1.Decoder().feed(built)
    assert protocol1.request(*packet) == built


@given(st.lists(PACKETS, max_size=6), st.data())
def test_packets_survive_the_way_in_any_pieces(packets: list[Packet], data: st.DataObject) -> None:
    stream = b"".join(protocol1.answer(*packet) for packet in packets)
    decoder, found, at = protocol1.Decoder(), [], 0
    while at < len(stream):
        size = data.draw(st.integers(1, 9))
        found += decoder.feed(stream[at : at + size])
        at += size
    assert found == packets
    assert decoder.dropped == decoder.broken == 0


@given(st.binary(max_size=60), PACKETS)
def test_every_byte_is_in_a_packet_or_dropped(noise: bytes, packet: Packet) -> None:
    decoder = protocol1.Decoder()
    stream = noise + protocol1.answer(*packet)
    found = decoder.feed(stream)
    decoder.clear()
    assert sum(len(protocol1.answer(*one)) for one in found) + decoder.dropped == len(stream)


def test_a_broken_packet_costs_nobody_else_theirs() -> None:
    broken = bytearray(protocol1.answer(1, 0, b"\1\2"))
    broken[5] ^= 4
    decoder = protocol1.Decoder()
    assert decoder.feed(bytes(broken) + protocol1.answer(2, 0, b"\3\4")) == [Packet(2, 0, b"\3\4")]
    assert decoder.broken == 1
    # A lost first byte, and a header that follows a stray FF.
    assert decoder.feed(protocol1.answer(1, 0)[1:] + b"\xff" + protocol1.answer(3, 0)) == [Packet(3, 0, b"")]
