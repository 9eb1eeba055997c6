"""Control tables: where a device keeps what, and what its counts mean in SI units and radians.

The tables are data, one file per family in control_tables/. Rows that mean the same have the same name in all of them.
"""

from __future__ import annotations

import functools
import importlib.resources
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from dynamixel_bridge import protocol1, protocol2
from dynamixel_bridge.packet import Block, Framing
from humanoid_description.errors import RobotError, did_you_mean

TO_SI = {
    "deg": math.pi / 180,
    "deg/s": math.pi / 180,
    "rpm": 2 * math.pi / 60,
    "g": 9.80665,
    "us": 1e-6,
    "V": 1.0,
    "degC": 1.0,
    "share": 1.0,
    "count": 1.0,
}
SIGN_BIT = 1 << 10
FRAMINGS: Mapping[int, Framing] = {1: protocol1, 2: protocol2}
READ_ONLY, EEPROM, RAM = "r", "e", "w"


@dataclass(frozen=True)
class Row:
    """One entry of a control table."""

    name: str
    address: int
    size: int
    """bytes."""
    area: str
    """READ_ONLY, EEPROM or RAM."""
    initial: int
    """Count at the factory."""
    low: int
    """Least count that may be written."""
    high: int
    """Greatest count that may be written."""
    scale: float
    """SI units per count."""
    zero: int
    """Count at zero."""
    sign: str
    """'unsigned', 'signed' (two's complement) or 'sign_bit_10'."""

    @property
    def block(self) -> Block:
        """Its place."""
        return Block(self.address, self.size)

    def count(self, data: bytes) -> int:
        """Count that bytes stand for."""
        if self.sign == "signed":
            return int.from_bytes(data, "little", signed=True)
        count = int.from_bytes(data, "little")
        if self.sign == "sign_bit_10" and count & SIGN_BIT:
            return -(count & SIGN_BIT - 1)
        return count

    def bytes_of(self, count: int) -> bytes:
        """Bytes that stand for a count."""
        if self.sign == "sign_bit_10" and count < 0:
            count = -count | SIGN_BIT
        return count.to_bytes(self.size, "little", signed=self.sign == "signed")

    def value(self, data: bytes) -> float:
        """Value that bytes stand for, in SI units and radians."""
        return (self.count(data) - self.zero) * self.scale

    def value_of(self, raw: int) -> float:
        """Value of the number that its bytes spell, two's complement where that is how a sign is written."""
        if raw & SIGN_BIT and self.sign == "sign_bit_10":
            raw = -(raw & SIGN_BIT - 1)
        return (raw - self.zero) * self.scale

    def nearest(self, value: float) -> int:
        """Count nearest to a value among those that may be written."""
        return min(max(round(value / self.scale) + self.zero, self.low), self.high)

    def bytes_for(self, value: float) -> bytes:
        """Bytes of the count nearest to a value."""
        return self.bytes_of(self.nearest(value))


@dataclass(frozen=True)
class Model:
    """A kind of device."""

    name: str
    number: int
    protocol: int
    reads: frozenset[str]
    """Ways of reading several at once: 'bulk', 'sync', 'fast_sync'."""
    rows: Mapping[str, Row]
    bauds: Mapping[int, int]
    """Rate in bit/s by the count of the row baud_rate."""
    errors: Mapping[str, int]
    """Bit by error, in the error byte (Protocol 1.0) or the row hardware_error (2.0)."""

    @property
    def framing(self) -> Framing:
        """How its packets are written."""
        return FRAMINGS[self.protocol]

    @property
    def size(self) -> int:
        """Bytes of the whole table."""
        return max(row.address + row.size for row in self.rows.values())

    def span(self, *names: str) -> Block:
        """Shortest block that holds all these rows."""
        rows = [self.rows[name] for name in names]
        start = min(row.address for row in rows)
        return Block(start, max(row.address + row.size for row in rows) - start)

    def error_names(self, bits: int) -> tuple[str, ...]:
        """Errors whose bit is set."""
        return tuple(name for name, bit in self.errors.items() if bits & bit)

    def baud_count(self, baud: int) -> int:
        """Count of the row baud_rate for a rate in bit/s."""
        for count, rate in self.bauds.items():
            if rate == baud:
                return count
        raise RobotError(f"{self.name}: has no baud rate {baud}. It has {', '.join(map(str, self.bauds.values()))}.")


@functools.cache
def models() -> Mapping[str, Model]:
    """All known kinds of device, by name."""
    found = {}
    for file in sorted(importlib.resources.files(__package__).joinpath("control_tables").iterdir(), key=str):
        table = yaml.load(file.read_text(), Loader=yaml.CSafeLoader)
        for name, details in table["models"].items():
            found[name] = _model(name, table, details)
    return found


def model(name: str) -> Model:
    """A kind of device by its name."""
    if name not in models():
        raise RobotError(f"servo model '{name}': has no control table here. {did_you_mean(name, models())}")
    return models()[name]


def model_of_number(number: int) -> Model | None:
    """A kind of device by the number it tells, None if unknown."""
    return next((model for model in models().values() if model.number == number), None)


def _model(name: str, table: Mapping[str, Any], details: Mapping[str, Any]) -> Model:
    quantity_of = {row: quantity for quantity, rows in table["quantities"].items() for row in rows}
    initial = {"model_number": details["number"], **details.get("initial", {})}
    rows = {}
    for key, (address, size, area, *rest) in table["rows"].items():
        scale, unit, zero, sign = table["units"].get(quantity_of.get(key), (1, "count", 0, "unsigned"))
        if key == "present_load" and "load_unit" in details:
            ampere, stall = details["load_unit"]
            scale = ampere / stall
        first, low, high = rest if len(rest) == 3 else (sum(rest), 0, 256**size - 1)
        rows[key] = Row(key, address, size, area, initial.get(key, first), low, high, scale * TO_SI[unit], zero, sign)
    reads = frozenset(table["reads"])
    return Model(name, details["number"], table["protocol"], reads, rows, table["bauds"], table["errors"])
