"""Finding and configuring servos with the maker's SDK, for all that is not urgent."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import dynamixel_sdk as sdk

from dynamixel_bridge.control_table import EEPROM, Model, Row, model_of_number
from dynamixel_bridge.packet import LARGEST_ID
from dynamixel_bridge.serial_port import SerialPort
from humanoid_description.errors import RobotError

ALL_IDS = range(LARGEST_ID + 1)
REFUSALS = {1: 0x02 | 0x08 | 0x10 | 0x40, 2: 0x7F}
"""Bits of an answer's error, by protocol, that say that an instruction was not carried out; the others are alarms."""
ATTEMPTS = 5
"""Before a device counts as silent: packets may be lost, or come late on a busy machine."""
COMMON_BAUDS = (1_000_000, 57_600, 115_200, 2_000_000, 3_000_000)
"""bit/s, the likeliest first."""


@dataclass(frozen=True)
class Found:
    """A device that answered."""

    id: int
    protocol: int
    baud: int
    """bit/s."""
    number: int
    """Of its model."""
    model: str
    """'unknown' if there is no control table for it."""


class Workbench:
    """A port on which devices are found, read and written, one at a time."""

    def __init__(self, path: str, baud: int) -> None:
        """Open a port at a rate in bit/s; PortError if that is not possible."""
        SerialPort(path, baud).close()  # the SDK's own errors name no remedy
        self.path = path
        self.baud = baud
        self._port = sdk.PortHandler(path)
        if not self._port.setBaudRate(baud):
            raise RobotError(f"port {path}: the SDK cannot run at {baud} bit/s. Take a common rate, such as 1000000.")
        self._handlers = {1: sdk.PacketHandler(1.0), 2: sdk.PacketHandler(2.0)}

    def close(self) -> None:
        """Give the port back."""
        self._port.closePort()

    def ping(self, id_: int, protocol: int, attempts: int = ATTEMPTS) -> Found | None:
        """The device with an id, or None."""
        for _ in range(attempts):
            self._port.clearPort()
            number, result, _ = self._handlers[protocol].ping(self._port, id_)
            if result == sdk.COMM_SUCCESS:
                break
        else:
            return None
        model = model_of_number(number)
        return Found(id_, protocol, self.baud, number, model.name if model else "unknown")

    def garbled(self, id_: int, protocol: int, row: Row) -> bool:
        """Whether answers to reading a row come broken, as when two devices share an id."""
        broken = 0
        for _ in range(5):
            self._port.clearPort()
            _, result, _ = self._handlers[protocol].readTxRx(self._port, id_, row.address, row.size)
            broken += result == sdk.COMM_RX_CORRUPT
        return broken > 2

    def read(self, id_: int, model: Model, name: str) -> int:
        """Count of a row."""
        row = model.rows[name]
        for _ in range(ATTEMPTS):
            self._port.clearPort()
            data, result, _ = self._handlers[model.protocol].readTxRx(self._port, id_, row.address, row.size)
            if result == sdk.COMM_SUCCESS:
                break
        if result != sdk.COMM_SUCCESS:
            why = self._handlers[model.protocol].getTxRxResult(result)
            raise RobotError(f"servo {id_}: {name} could not be read. {why} Check cable and power.")
        return row.count(bytes(data))

    def write(self, id_: int, model: Model, name: str, count: int) -> None:
        """Write a row."""
        row = model.rows[name]
        handler = self._handlers[model.protocol]
        for _ in range(ATTEMPTS):
            self._port.clearPort()
            result, error = handler.writeTxRx(self._port, id_, row.address, row.size, list(row.bytes_of(count)))
            if result == sdk.COMM_SUCCESS:
                break
        if result != sdk.COMM_SUCCESS or error & REFUSALS[model.protocol]:
            why = handler.getTxRxResult(result) if result != sdk.COMM_SUCCESS else handler.getRxPacketError(error)
            raise RobotError(f"servo {id_}: {name} could not be written. {why} Switch torque off, and try again.")

    def eeprom(self, id_: int, model: Model) -> dict[str, int]:
        """Everything that lasts without power."""
        return {name: self.read(id_, model, name) for name, row in model.rows.items() if row.area == EEPROM}


@contextlib.contextmanager
def workbench(path: str, baud: int) -> Iterator[Workbench]:
    """A workbench that gives its port back."""
    bench = Workbench(path, baud)
    try:
        yield bench
    finally:
        bench.close()


def scan(
    path: str,
    bauds: Sequence[int],
    protocols: Sequence[int] = (1, 2),
    ids: Sequence[int] = ALL_IDS,
    progress: Callable[[str], None] = lambda text: None,
    attempts: int = 1,
) -> list[Found]:
    """All devices that answer on a port at any of these rates (bit/s), each id being asked so many times."""
    found = []
    for baud in bauds:
        with workbench(path, baud) as bench:
            for protocol in protocols:
                for id_ in ids:
                    progress(f"{baud} bit/s, protocol {protocol}, id {id_}")
                    device = bench.ping(id_, protocol, attempts)
                    if device is not None:
                        found.append(device)
    return found


def changes(before: Mapping[str, int], wanted: Mapping[str, int]) -> dict[str, tuple[int, int]]:
    """Rows that would change, each with its count before and after."""
    return {name: (before[name], count) for name, count in wanted.items() if before[name] != count}


def configure(
    bench: Workbench, found: Found, model: Model, wanted: Mapping[str, int], backup: Path | None
) -> dict[str, tuple[int, int]]:
    """Write EEPROM rows (counts by name) with torque off, after all was checked and all EEPROM values were saved.

    The id and the rate come last, as the device is found under the new ones only from then on.

    Args:
        bench: That it is connected to.
        found: The device.
        model: Its kind.
        wanted: Counts by name.
        backup: New file for all EEPROM values; None if nothing shall be written.

    Returns:
        What changes.
    """
    before = bench.eeprom(found.id, model)
    _check(bench, found, model, before, wanted)
    changed = changes(before, wanted)
    if not changed or backup is None:
        return changed
    _save(backup, {"id": found.id, "model": model.name, "eeprom": before})
    if "torque_enable" in model.rows:
        bench.write(found.id, model, "torque_enable", 0)
    last = ("id", "baud_rate")
    for name in [*(name for name in changed if name not in last), *(name for name in last if name in changed)]:
        id_now = wanted["id"] if name == "baud_rate" and "id" in wanted else found.id
        bench.write(id_now, model, name, wanted[name])
    return changed


def _check(bench: Workbench, found: Found, model: Model, before: Mapping[str, int], wanted: Mapping[str, int]) -> None:
    """RobotError if any row cannot be written so, before the first one is."""
    for name, count in wanted.items():
        if name not in before:
            raise RobotError(f"servo {found.id}: a {model.name} has no {name} in its EEPROM. Leave it out.")
        row = model.rows[name]
        if not row.low <= count <= row.high:
            raise RobotError(f"servo {found.id}: {name} cannot be {count}. Give {row.low} to {row.high}.")
    after = {**before, **wanted}
    if {"lower_limit", "upper_limit"} & wanted.keys() and after["lower_limit"] > after["upper_limit"]:
        raise RobotError(f"servo {found.id}: its lower limit would be above its upper one. Give both, in order.")
    if after["id"] != found.id and bench.ping(after["id"], model.protocol) is not None:
        raise RobotError(f"servo {found.id}: the id {after['id']} is taken. Give another one.")


def _save(backup: Path, content: Mapping[str, object]) -> None:
    try:
        backup.parent.mkdir(parents=True, exist_ok=True)
        with backup.open("x") as file:
            file.write(json.dumps(content, indent=1) + "\n")
    except FileExistsError:
        raise RobotError(
            f"{backup}: exists, and a backup is never overwritten. Name another file with --backup."
        ) from None
    except OSError as error:
        raise RobotError(f"{backup}: cannot be written ({error.strerror}). Name another file with --backup.") from None
