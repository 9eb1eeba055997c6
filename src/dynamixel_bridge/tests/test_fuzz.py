"""Noise on the line: no exception, no hang, and no false packets but those that the checksum lets through."""

from __future__ import annotations

import random

import pytest

from dynamixel_bridge import protocol1, protocol2
from dynamixel_bridge.fuzz import fuzz
from dynamixel_bridge.packet import Framing


@pytest.mark.parametrize("framing", [protocol1, protocol2])
def test_no_packet_is_invented_and_few_are_lost(framing: Framing) -> None:
    counts: list[int] = []
    result = fuzz(framing, 20_000, seed=2, progress=counts.append)
    assert counts == [0, 10_000]
    assert result.invented == 0
    assert result.found > 0.9 * result.sent  # the others were swallowed by a frame that noise began
    assert result == fuzz(framing, 20_000, seed=2)


@pytest.mark.parametrize(("framing", "chance"), [(protocol1, 2**-8), (protocol2, 2**-16)])
def test_pure_noise_passes_as_often_as_its_checksum_is_right_by_chance(framing: Framing, chance: float) -> None:
    generator = random.Random(1)
    decoder = framing.answers_decoder()
    header = framing.answer(1, 0)[: 2 if framing is protocol1 else 5]
    length = b"" if framing is protocol1 else b"\x06\x00\x55"
    false = 0
    for _ in range(20_000):
        false += len(decoder.feed(header + length + generator.randbytes(24)))
        decoder.clear()
    expected = chance * (decoder.broken + false)
    assert decoder.broken > 1000
    assert abs(false - expected) <= 5 * (expected + 1) ** 0.5
