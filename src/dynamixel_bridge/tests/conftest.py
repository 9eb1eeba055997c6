"""A virtual bus that is served while a test runs."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from dynamixel_bridge.control_table import model
from dynamixel_bridge.virtual_bus import VirtualBus, serve
from dynamixel_bridge.virtual_device import VirtualDevice
from dynamixel_bridge.virtual_faults import Faults
from dynamixel_bridge.virtual_line import VirtualLine
from dynamixel_bridge.virtual_servo import FreeBody, VirtualServo

BAUD = 1_000_000


def servos(name: str, ids: Sequence[int], body: FreeBody | None = None) -> list[VirtualServo]:
    """Servos of one model, configured for a fast bus."""
    kind = model(name)
    eeprom = {"baud_rate": kind.baud_count(BAUD), "return_delay": 0}
    body = body or FreeBody()
    made = [VirtualServo(kind, id_, body, eeprom) for id_ in ids]
    for servo in made:
        servo.supply = min(12.0, servo.value("highest_voltage"))
    return made


PlugIn = Callable[..., VirtualBus]


@pytest.fixture
def plug_in(tmp_path: Path) -> Iterator[PlugIn]:
    """Plug in a bus, served by a thread until the test is over."""
    with contextlib.ExitStack() as stack:
        number = 0

        def plug_in(devices: Sequence[VirtualDevice], faults: Faults | None = None, seed: int = 0) -> VirtualBus:
            nonlocal number
            number += 1
            line = VirtualLine(devices, faults, seed, start=time.monotonic())
            bus = VirtualBus(tmp_path / f"port{number}", line)
            stopping = threading.Event()
            thread = threading.Thread(target=serve, args=([bus], stopping))
            thread.start()
            stack.callback(thread.join)
            stack.callback(stopping.set)
            return bus

        yield plug_in
