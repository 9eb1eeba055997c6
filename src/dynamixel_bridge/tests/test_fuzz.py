"""Noise on the line: no exception, no hang, and no more false packets than the checksum lets through."""

from __future__ import annotations

import pytest

from dynamixel_bridge import protocol1, protocol2
from dynamixel_bridge.fuzz import fuzz
from dynamixel_bridge.packet import Framing


@pytest.mark.parametrize(("framing", "chance"), [(protocol1, 2**-8), (protocol2, 2**-16)])
def test_noise_gives_no_more_false_packets_than_the_checksum_allows(framing: Framing, chance: float) -> None:
    counts: list[int] = []
    result = fuzz(framing, 20_000, seed=1, progress=counts.append)
    assert counts == [0, 10_000]
    expected = chance * result.candidates
    assert result.false <= expected + 5 * (expected + 1) ** 0.5
    assert result.found > 0.75 * result.sent  # the others were swallowed by a frame that noise began
    assert result == fuzz(framing, 20_000, seed=1)
