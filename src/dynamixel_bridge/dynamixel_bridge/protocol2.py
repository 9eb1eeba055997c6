"""Protocol 2.0 (MX 2.0, X, XL-320): FF FF FD 00, id, length, instruction, parameters, CRC-16.

FF FF FD cannot occur inside a packet: behind it the sender stuffs an FD, which the receiver takes out again. The one
exception is the joint answer to a fast sync read, which is not stuffed.
"""

from __future__ import annotations

from collections.abc import Sequence

from dynamixel_bridge.packet import BROADCAST, Block, Instruction, Packet

version = 2
head = 8
HEADER = b"\xff\xff\xfd\x00"
OVERHEAD = 11
"""Bytes of a status packet without parameters."""
PATTERN, STUFFED = b"\xff\xff\xfd", b"\xff\xff\xfd\xfd"
MAX_LENGTH = 4096
"""A frame that says it is longer is taken for garbage, or it would swallow seconds of what follows."""
FAST_OVERHEAD = 4
"""Bytes around the data of each device in the joint answer to a fast sync read: error, id, CRC."""


def _crc_table() -> tuple[int, ...]:
    """CRC-16 with the polynomial 0x8005, per leading byte (ROBOTIS e-manual, CRC calculation)."""
    table = []
    for byte in range(256):
        crc = byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ 0x8005) & 0xFFFF if crc & 0x8000 else crc << 1 & 0xFFFF
        table.append(crc)
    return tuple(table)


CRC_TABLE = _crc_table()


def crc16(data: bytes, crc: int = 0) -> int:
    """Checksum of bytes, going on from that of the bytes before them."""
    table = CRC_TABLE
    for byte in data:
        crc = (crc << 8 & 0xFF00) ^ table[crc >> 8 ^ byte]
    return crc


def _frame(id_: int, body: bytes) -> bytes:
    stuffed = body.replace(PATTERN, STUFFED)
    packet = HEADER + bytes((id_,)) + (len(stuffed) + 2).to_bytes(2, "little") + stuffed
    return packet + crc16(packet).to_bytes(2, "little")


def request(id_: int, instruction: int, parameters: bytes = b"") -> bytes:
    """An instruction packet."""
    return _frame(id_, bytes((instruction,)) + parameters)


def answer(id_: int, error: int, parameters: bytes = b"") -> bytes:
    """A status packet."""
    return _frame(id_, bytes((Instruction.STATUS, error)) + parameters)


def answer_size(parameters: int) -> int:
    """Bytes of a status packet with this many bytes of parameters, without stuffing."""
    return OVERHEAD + parameters


def _place(block: Block) -> bytes:
    return block.address.to_bytes(2, "little") + block.size.to_bytes(2, "little")


def read(id_: int, block: Block) -> bytes:
    """Ask one device for a block."""
    return request(id_, Instruction.READ, _place(block))


def write(id_: int, address: int, data: bytes) -> bytes:
    """Write to one device."""
    return request(id_, Instruction.WRITE, address.to_bytes(2, "little") + data)


def sync_write(address: int, data: Sequence[tuple[int, bytes]]) -> bytes:
    """Write as many bytes at one address of several devices, which do not answer."""
    head = _place(Block(address, len(data[0][1])))
    return request(BROADCAST, Instruction.SYNC_WRITE, head + b"".join(bytes((id_,)) + part for id_, part in data))


def sync_read(block: Block, ids: Sequence[int]) -> bytes:
    """Ask several devices for the same block; they answer one after the other."""
    return request(BROADCAST, Instruction.SYNC_READ, _place(block) + bytes(ids))


def fast_sync_read(block: Block, ids: Sequence[int]) -> bytes:
    """Ask several devices for the same block; they answer with one joint packet."""
    return request(BROADCAST, Instruction.FAST_SYNC_READ, _place(block) + bytes(ids))


def bulk_read(blocks: Sequence[tuple[int, Block]]) -> bytes:
    """Ask several devices for a block each; they answer one after the other."""
    return request(BROADCAST, Instruction.BULK_READ, b"".join(bytes((id_,)) + _place(block) for id_, block in blocks))


def fast_answer_size(devices: int, size: int) -> int:
    """Bytes of the joint answer of several devices to a fast sync read of a block of this size."""
    return len(HEADER) + 4 + devices * (size + FAST_OVERHEAD)


def fast_answer(answers: Sequence[tuple[int, int, bytes]], devices: int) -> bytes:
    """Joint answer to a fast sync read: of each device in turn its id, error and data.

    Args:
        answers: Of the devices up to the first silent one, behind which the line stays silent.
        devices: How many were asked, which is what the length in the frame speaks of.
    """
    size = len(answers[0][2])
    length = 1 + devices * (size + FAST_OVERHEAD)
    packet = HEADER + bytes((BROADCAST,)) + length.to_bytes(2, "little") + bytes((Instruction.STATUS,))
    crc = crc16(packet)
    for id_, error, data in answers:  # each checksum goes over all that was sent before it, checksums included
        part = bytes((error, id_)) + data
        crc = crc16(part, crc)
        packet += part + crc.to_bytes(2, "little")
        crc = crc16(crc.to_bytes(2, "little"), crc)
    return packet


def split_fast_answer(data: bytes, size: int, devices: int) -> list[Packet]:
    """Answers in the joint packet of a fast sync read, up to the first that is missing or whose checksum is wrong."""
    start = data.find(HEADER)
    at = start + len(HEADER) + 4
    length = 1 + devices * (size + FAST_OVERHEAD)
    head = bytes((BROADCAST,)) + length.to_bytes(2, "little") + bytes((Instruction.STATUS,))
    if start < 0 or data[start + len(HEADER) : at] != head:
        return []
    end = at + devices * (size + FAST_OVERHEAD)
    whole = len(data) >= end and crc16(data[start : end - 2]) == int.from_bytes(data[end - 2 : end], "little")
    crc = 0 if whole else crc16(data[start:at])
    answers: list[Packet] = []
    while len(data) >= at + size + FAST_OVERHEAD and len(answers) < devices:
        tail = at + 2 + size
        if not whole:  # the checksums in between tell which of them came through
            crc = crc16(data[at:tail], crc)
            if crc != int.from_bytes(data[tail : tail + 2], "little"):
                break
            crc = crc16(data[tail : tail + 2], crc)
        answers.append(Packet(data[at + 1], data[at], data[at + 2 : tail]))
        at = tail + 2
    return answers


class Decoder:
    """Finds packets in a stream of bytes, and the next one after garbage."""

    def __init__(self, status: bool) -> None:
        """Look for status packets, or for instruction packets."""
        self.dropped = 0
        self.broken = 0
        self._status = status
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
                start = _unfinished_header(buffer, at)
                self.dropped += start - at
                break
            self.dropped += start - at
            at = start
            if end - at < 7:
                break
            length = buffer[at + 5] | buffer[at + 6] << 8
            if not 3 + self._status <= length <= MAX_LENGTH or buffer[at + 4] > BROADCAST:
                at += 1
                self.dropped += 1
                continue
            after = at + 7 + length
            if after > end:
                # Stuffing keeps headers out of a packet: where one is, the tail of this packet was lost.
                again = buffer.find(HEADER, at + 4)
                if again < 0:
                    break
                self.broken += 1
                self.dropped += again - at
                at = again
                continue
            if crc16(buffer[at : after - 2]) == buffer[after - 2] | buffer[after - 1] << 8:
                packet = self._packet(buffer[at + 4], buffer[at + 7 : after - 2])
                if packet is None:
                    self.dropped += after - at
                else:
                    packets.append(packet)
                at = after
            else:  # a controller looks for packets inside it too; servos drop all of it
                skipped = 1 if self._status else after - at
                self.broken += 1
                self.dropped += skipped
                at += skipped
        self._buffer = buffer[start:]
        return packets

    def _packet(self, id_: int, body: bytes) -> Packet | None:
        if (body[0] == Instruction.STATUS) is not self._status:
            return None
        body = body.replace(STUFFED, PATTERN)
        return Packet(id_, body[1], body[2:]) if self._status else Packet(id_, body[0], body[1:])


def _unfinished_header(buffer: bytes, at: int) -> int:
    """Where a header may have begun at the end of the buffer, or the end."""
    for size in (3, 2, 1):
        if len(buffer) - at >= size and buffer.endswith(HEADER[:size]):
            return len(buffer) - size
    return len(buffer)


def requests_decoder() -> Decoder:
    """For a device: finds instruction packets."""
    return Decoder(status=False)


def answers_decoder() -> Decoder:
    """For a controller: finds status packets."""
    return Decoder(status=True)
