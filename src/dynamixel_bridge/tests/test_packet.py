"""The two protocols are one kind of framing to the rest."""

from __future__ import annotations

import pytest

from dynamixel_bridge import protocol1, protocol2
from dynamixel_bridge.packet import Block, Framing, Instruction, Packet


@pytest.mark.parametrize("framing", [protocol1, protocol2])
def test_both_protocols_ask_for_the_same_things(framing: Framing) -> None:
    stream = framing.read(7, Block(36, 6)) + framing.write(8, 24, b"\1") + framing.sync_write(30, [(1, b"ab")])
    seven, eight, everyone = framing.requests_decoder().feed(stream)
    assert (seven.id, seven.code) == (7, Instruction.READ)
    assert (eight.id, eight.code, eight.parameters[-1]) == (8, Instruction.WRITE, 1)
    assert (everyone.id, everyone.code, everyone.parameters[-3:]) == (254, Instruction.SYNC_WRITE, b"\1ab")


@pytest.mark.parametrize("framing", [protocol1, protocol2])
def test_the_size_of_an_answer_is_known_beforehand(framing: Framing) -> None:
    for size in (0, 1, 6):
        assert len(framing.answer(1, 0, bytes(size))) == framing.answer_size(size)
        assert framing.answers_decoder().feed(framing.answer(1, 0, bytes(size))) == [Packet(1, 0, bytes(size))]
