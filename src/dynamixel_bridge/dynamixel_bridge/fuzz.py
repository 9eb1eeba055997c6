"""Noise for the frame decoders: random bytes, and sound packets that were cut, changed, doubled and mixed."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from dynamixel_bridge.packet import Framing, Packet


@dataclass(frozen=True)
class FuzzResult:
    """What a decoder made of noise."""

    strings: int
    bytes: int
    sent: int
    """Packets that went into the stream unharmed."""
    found: int
    """Of them, how many came out."""
    false: int
    """Packets that came out and were never sent: noise that happens to be a packet, checksum included."""
    invented: int
    """Packets that came out and are nowhere in the stream, byte for byte."""
    candidates: int
    """Frames whose checksum was looked at and found wrong, or right by chance."""


def fuzz(framing: Framing, strings: int, seed: int, progress: Callable[[int], None] = lambda done: None) -> FuzzResult:
    """Feed byte strings, half of them random and half mutated packets, each followed by a sound packet."""
    generator = random.Random(seed)
    decoder = framing.answers_decoder()
    total = sent = found = false = invented = 0
    for number in range(strings):
        noise, pieces = _noise(framing, generator)
        probe = _packet(generator)
        data = noise + framing.answer(*probe)
        total += len(data)
        cut = generator.randrange(len(data) + 1)  # a stream comes in pieces
        out = decoder.feed(data[:cut]) + decoder.feed(data[cut:])
        expected = [*pieces, probe]
        for packet in out:
            if packet in expected:
                expected.remove(packet)
                found += 1
            else:
                false += 1
                invented += framing.answer(*packet) not in data
        sent += len(pieces) + 1
        decoder.clear()
        if number % 10_000 == 0:
            progress(number)
    return FuzzResult(strings, total, sent, found, false, invented, decoder.broken + false)


def _packet(generator: random.Random) -> Packet:
    # Bytes of headers and stuffing are what can go wrong, so they come often.
    data = bytes(generator.choice((0xFF, 0xFD, 0, byte)) for byte in generator.randbytes(generator.randrange(16)))
    return Packet(generator.randrange(253), generator.randrange(128), data)


def _noise(framing: Framing, generator: random.Random) -> tuple[bytes, list[Packet]]:
    """Bytes, and the packets that are whole in them."""
    kind = generator.randrange(6)
    if kind < 3:
        return generator.randbytes(generator.randrange(24)), []
    packet = _packet(generator)
    data = bytearray(framing.answer(*packet))
    if kind == 3:
        del data[generator.randrange(len(data)) :]
    elif kind == 4:
        data[generator.randrange(len(data))] ^= 1 << generator.randrange(8)
    else:
        return bytes(data * 2), [packet, packet]
    return bytes(data), []
