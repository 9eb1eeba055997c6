"""Packets on a servo bus, whatever protocol frames them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple, Protocol

BROADCAST = 0xFE
"""Id that every device obeys."""
LARGEST_ID = 252
ALERT = 0x80
"""Bit in the error byte of Protocol 2.0: the row hardware_error says more."""


class Instruction(IntEnum):
    """What a controller asks for; STATUS is what a device answers in Protocol 2.0."""

    PING = 0x01
    READ = 0x02
    WRITE = 0x03
    REG_WRITE = 0x04
    ACTION = 0x05
    FACTORY_RESET = 0x06
    REBOOT = 0x08
    STATUS = 0x55
    SYNC_READ = 0x82
    SYNC_WRITE = 0x83
    FAST_SYNC_READ = 0x8A
    BULK_READ = 0x92
    BULK_WRITE = 0x93


class Packet(NamedTuple):
    """A packet without its frame. A tuple, as thousands a second are made."""

    id: int
    code: int
    """Instruction of a request; error byte of an answer."""
    parameters: bytes


@dataclass(frozen=True)
class Block:
    """A stretch of a control table."""

    address: int
    size: int
    """bytes."""


class Decoder(Protocol):
    """Finds packets in a stream of bytes."""

    dropped: int
    """Bytes so far that belonged to no sound packet."""
    broken: int
    """Frames so far whose checksum was wrong."""

    def feed(self, data: bytes) -> list[Packet]:
        """Take bytes as they arrive; returns the sound packets that they complete."""

    def clear(self) -> None:
        """Forget an unfinished packet."""


class Framing(Protocol):
    """How a protocol writes requests and answers. Protocol 1.0 and 2.0 each give one."""

    version: int
    head: int
    """Bytes of an answer before its error: they tell whose it is and how long."""

    def request(self, id_: int, instruction: int, parameters: bytes = b"") -> bytes:
        """An instruction packet."""

    def answer(self, id_: int, error: int, parameters: bytes = b"") -> bytes:
        """A status packet."""

    def answer_size(self, parameters: int) -> int:
        """Bytes of a status packet with this many bytes of parameters, without stuffing."""

    def read(self, id_: int, block: Block) -> bytes:
        """Ask one device for a block."""

    def write(self, id_: int, address: int, data: bytes) -> bytes:
        """Write to one device."""

    def sync_write(self, address: int, data: Sequence[tuple[int, bytes]]) -> bytes:
        """Write as many bytes at one address of several devices, which do not answer."""

    def requests_decoder(self) -> Decoder:
        """For a device: finds instruction packets."""

    def answers_decoder(self) -> Decoder:
        """For a controller: finds status packets."""
