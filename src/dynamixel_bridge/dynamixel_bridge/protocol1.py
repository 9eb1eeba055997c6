"""Protocol 1.0 (AX, RX, EX, MX): FF FF, id, length, instruction or error, parameters, checksum.

Nothing in it keeps FF FF out of the parameters, so a frame is believed by its length and checksum only.
"""

from __future__ import annotations

from collections.abc import Sequence

from dynamixel_bridge.packet import BROADCAST, Block, Instruction, Packet

version = 1
head = 4
HEADER = b"\xff\xff"
OVERHEAD = 6
"""Bytes of a packet without parameters."""


def request(id_: int, instruction: int, parameters: bytes = b"") -> bytes:
    """An instruction packet."""
    body = bytes((id_, len(parameters) + 2, instruction)) + parameters
    return HEADER + body + bytes((~sum(body) & 0xFF,))


answer = request
"""A status packet: the same frame with the error byte in place of the instruction."""


def answer_size(parameters: int) -> int:
    """Bytes of a status packet with this many bytes of parameters."""
    return OVERHEAD + parameters


def read(id_: int, block: Block) -> bytes:
    """Ask one device for a block."""
    return request(id_, Instruction.READ, bytes((block.address, block.size)))


def write(id_: int, address: int, data: bytes) -> bytes:
    """Write to one device."""
    return request(id_, Instruction.WRITE, bytes((address,)) + data)


def sync_write(address: int, data: Sequence[tuple[int, bytes]]) -> bytes:
    """Write as many bytes at one address of several devices, which do not answer."""
    head = bytes((address, len(data[0][1])))
    return request(BROADCAST, Instruction.SYNC_WRITE, head + b"".join(bytes((id_,)) + part for id_, part in data))


def bulk_read(blocks: Sequence[tuple[int, Block]]) -> bytes:
    """Ask several devices (MX) for a block each; they answer one after the other."""
    entries = b"".join(bytes((block.size, id_, block.address)) for id_, block in blocks)
    return request(BROADCAST, Instruction.BULK_READ, b"\0" + entries)


class Decoder:
    """Finds packets in a stream of bytes, and the next one after garbage."""

    def __init__(self, thorough: bool = True) -> None:
        """Look for packets inside a broken one too, or, as servos do, drop all of it."""
        self.dropped = 0
        self.broken = 0
        self._thorough = thorough
        self._buffer = b""

    def clear(self) -> None:
        """Forget an unfinished packet."""
        self.dropped += len(self._buffer)
        self._buffer = b""

    def feed(self, data: bytes) -> list[Packet]:
        """Take bytes as they arrive; returns the sound packets that they complete."""
        buffer = self._buffer + data
        packets = []
        at, end = 0, len(buffer)
        while True:
            start = buffer.find(HEADER, at)
            if start < 0:
                start = end - 1 if buffer.endswith(b"\xff") and end > at else end
                self.dropped += start - at
                break
            self.dropped += start - at
            at = start
            if end - at < 4:
                break
            length = buffer[at + 3]
            if buffer[at + 2] == 0xFF or length < 2:  # more header, or no packet at all
                at += 1
                self.dropped += 1
                continue
            after = at + 4 + length
            if after > end:
                break
            if sum(buffer[at + 2 : after]) & 0xFF == 0xFF:
                packets.append(Packet(buffer[at + 2], buffer[at + 4], buffer[at + 5 : after - 1]))
                at = after
            else:  # the length itself may be wrong: look again right behind the header
                skipped = 1 if self._thorough else after - at
                self.broken += 1
                self.dropped += skipped
                at += skipped
        self._buffer = buffer[start:]
        return packets


def requests_decoder() -> Decoder:
    """For a device: finds instruction packets."""
    return Decoder(thorough=False)


def answers_decoder() -> Decoder:
    """For a controller: finds status packets."""
    return Decoder()
