"""The virtual servo bus: a pseudo-terminal behind which devices answer byte for byte, as fast as the line would.

Any Dynamixel program can open the port. The rate it sets is honoured: a device that listens at another rate is deaf.
"""

from __future__ import annotations

import contextlib
import heapq
import os
import pty
import select
import termios
import threading
import time
import tty
from collections.abc import Callable, Sequence
from pathlib import Path

from dynamixel_bridge import protocol2
from dynamixel_bridge.control_table import FRAMINGS
from dynamixel_bridge.packet import BROADCAST, Block, Decoder, Instruction, Packet
from dynamixel_bridge.virtual_device import VirtualDevice
from dynamixel_bridge.virtual_faults import Faults, Mishaps
from dynamixel_bridge.virtual_servo import VirtualServo

BAUD_OF_SPEED = {
    getattr(termios, name): int(name[1:]) for name in dir(termios) if name[0] == "B" and name[1:].isdigit()
}
BITS_PER_BYTE = 10
"""Start bit, eight bits, stop bit."""
TICK = 1e-3
"""s between looks at what no packet asks for: the body's motion, faults by the clock."""
GAP = 0.1
"""s of silence after which an unfinished packet is forgotten (ROBOTIS e-manual, byte to byte time)."""


class VirtualBus:
    """One port with its devices."""

    def __init__(
        self,
        link: Path,
        devices: Sequence[VirtualDevice],
        faults: Faults | None = None,
        seed: int = 0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Plug in a bus.

        Args:
            link: Path under which the port is found, the same after every unplug.
            devices: On the bus.
            faults: That shall happen.
            seed: Of the faults.
            clock: Time, s.
        """
        self.link = link
        self.devices = list(devices)
        self.mishaps = Mishaps(faults or Faults(), seed)
        self._clock = clock
        self._start = self._advanced = clock()
        self._line_free = self._heard = self._start
        self._decoders: dict[int, Decoder] = {}
        self._answers: list[tuple[float, int, bytes]] = []
        self._number = 0
        self._happening: set[int] = set()
        self._master = self._slave = -1
        self.plug()

    @property
    def plugged(self) -> bool:
        """Whether the port is there."""
        return self._master >= 0

    def fileno(self) -> int:
        """For select."""
        return self._master

    def plug(self) -> None:
        """Make the port appear."""
        self._master, self._slave = pty.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        self.link.parent.mkdir(parents=True, exist_ok=True)
        self.link.unlink(missing_ok=True)
        self.link.symlink_to(os.ttyname(self._slave))
        self._decoders = {protocol: framing.requests_decoder() for protocol, framing in FRAMINGS.items()}

    def unplug(self) -> None:
        """Make the port vanish; the servos keep their power."""
        if self.plugged:
            self.link.unlink(missing_ok=True)
            os.close(self._master)
            os.close(self._slave)
            self._master = self._slave = -1
            self._answers.clear()

    def next_due(self) -> float:
        """When to call `serve` again at the latest, s."""
        return min(self._answers[0][0] if self._answers else self._advanced + TICK, self._advanced + TICK)

    def serve(self) -> None:
        """Hear what was sent, answer what is due, and let time pass."""
        now = self._clock()
        if now >= self._advanced + TICK:
            self._pass_time(now)
        if self.plugged:
            self._hear(now)
            self._speak(self._clock())

    def _pass_time(self, now: float) -> None:
        for device in self.devices:
            if isinstance(device, VirtualServo):
                device.advance(now - self._advanced)
        self._advanced = now
        for number, event in enumerate(self.mishaps.faults.events):
            on = event.on(now - self._start)
            if on != (number in self._happening):
                self._happening ^= {number}
                self.mishaps.counts[event.what] += on
                self._happen(event.what, event.servo, on)

    def _happen(self, what: str, id_: int | None, on: bool) -> None:
        if what == "unplug":
            (self.unplug if on else self.plug)()
        for device in self.devices:
            if not isinstance(device, VirtualServo) or (id_ is not None and device.id_in_body != id_):
                continue
            if what == "wrong_id":
                device.put("id", (device.id_in_body + 100) % 253 if on else device.id_in_body)
            elif what == "stuck_encoder":
                device.stuck_at = device.value("present_position") if on else None
            elif what == "overheat":
                device.temperature = device.value("temperature_limit") + 5 if on else 35.0
            elif what == "brown_out":
                device.browned_out = on
            elif what == "dead":
                device.dead = on

    def _hear(self, now: float) -> None:
        try:
            data = os.read(self._master, 4096)
        except BlockingIOError:
            return
        baud = BAUD_OF_SPEED.get(termios.tcgetattr(self._master)[5], 0)
        if now > self._heard + GAP:
            for decoder in self._decoders.values():
                decoder.clear()
        self._heard = now
        data = self.mishaps.on_request(data)
        self._line_free = max(self._line_free, now) + len(data) * BITS_PER_BYTE / max(baud, 1)
        for protocol, decoder in self._decoders.items():
            listening = [d for d in self.devices if d.model.protocol == protocol and d.baud == baud and not d.dead]
            for packet in decoder.feed(data):
                self._obey(packet, protocol, listening, baud)

    def _speak(self, now: float) -> None:
        while self._answers and self._answers[0][0] <= now:
            _, _, data = heapq.heappop(self._answers)
            with contextlib.suppress(BlockingIOError):  # nobody reads: a full line forgets, as a real one does
                os.write(self._master, data)

    def _obey(self, packet: Packet, protocol: int, listening: list[VirtualDevice], baud: int) -> None:
        by_id = {device.get("id"): device for device in reversed(listening)}
        for device in listening:
            if packet.code in READS:
                device.refresh()
        if packet.code == Instruction.SYNC_WRITE and packet.id == BROADCAST:
            _sync_write(packet, protocol, by_id)
        elif packet.code in CHAINED and packet.id == BROADCAST:
            self._chained_read(packet, protocol, by_id, baud)
        elif packet.id == BROADCAST:
            for _, device in sorted(by_id.items()):
                answer = device.execute(packet)
                if answer is not None and device.model.protocol == 2:
                    self._answer(device.model.framing.answer(device.get("id"), *answer), device, baud)
        else:
            asked = [device for device in listening if device.get("id") == packet.id]
            answers = [(device, device.execute(packet)) for device in asked]
            spoken = [device.model.framing.answer(packet.id, *answer) for device, answer in answers if answer]
            if spoken:
                self._answer(_collided(spoken), asked[0], baud)

    def _chained_read(self, packet: Packet, protocol: int, by_id: dict[int, VirtualDevice], baud: int) -> None:
        """Each waits until the one before it has answered, so behind a silent one all are silent."""
        parts = []
        wanted = _chain(packet, protocol)
        for id_, block in wanted:
            device = by_id.get(id_)
            if device is None:
                break
            error, data = device.read(block)
            if packet.code == Instruction.FAST_SYNC_READ:
                parts.append((id_, error, data))
            else:
                self._answer(device.model.framing.answer(id_, error, data), device, baud)
        if parts:
            self._answer(protocol2.fast_answer(parts, len(wanted)), by_id[parts[0][0]], baud)

    def _answer(self, data: bytes, device: VirtualDevice, baud: int) -> None:
        self._line_free += device.value("return_delay") + len(data) * BITS_PER_BYTE / baud
        for delay, heard in self.mishaps.on_answer(data):
            self._number += 1
            heapq.heappush(self._answers, (self._line_free + delay, self._number, heard))


CHAINED = (Instruction.SYNC_READ, Instruction.FAST_SYNC_READ, Instruction.BULK_READ)
READS = (Instruction.READ, *CHAINED)


def _collided(spoken: Sequence[bytes]) -> bytes:
    """What is heard when several speak at once: whoever sends a 0 pulls the line down for all."""
    heard = bytearray(b"\xff" * max(map(len, spoken)))
    for data in spoken:
        for place, byte in enumerate(data):
            heard[place] &= byte
    return bytes(heard)


def _sync_write(packet: Packet, protocol: int, by_id: dict[int, VirtualDevice]) -> None:
    width = 1 if protocol == 1 else 2
    address, size = (int.from_bytes(packet.parameters[i * width : (i + 1) * width], "little") for i in (0, 1))
    entries = packet.parameters[2 * width :]
    for at in range(0, len(entries) - size, size + 1):
        if entries[at] in by_id:
            by_id[entries[at]].write(address, entries[at + 1 : at + 1 + size])


def _chain(packet: Packet, protocol: int) -> list[tuple[int, Block]]:
    """Who shall read what, in order."""
    data = packet.parameters
    if packet.code != Instruction.BULK_READ:
        address, size = (int.from_bytes(data[i : i + 2], "little") for i in (0, 2))
        return [(id_, Block(address, size)) for id_ in data[4:]]
    if protocol == 1:
        return [(data[i + 1], Block(data[i + 2], data[i])) for i in range(1, len(data) - 2, 3)]
    words = [(data[i], data[i + 1 : i + 3], data[i + 3 : i + 5]) for i in range(0, len(data) - 4, 5)]
    return [(id_, Block(int.from_bytes(at, "little"), int.from_bytes(size, "little"))) for id_, at, size in words]


def serve(
    buses: Sequence[VirtualBus],
    stopping: threading.Event,
    advance: Callable[[float], None] = lambda now: None,
    spin: bool = False,
) -> None:
    """Serve buses until told to stop.

    Args:
        buses: Of one body.
        stopping: Set to end.
        advance: Called with the time (s) about every TICK, to move the body.
        spin: Take a whole core to be exact to microseconds, for measurements.
    """
    moved = time.monotonic()
    while not stopping.is_set():
        now = time.monotonic()
        due = min(bus.next_due() for bus in buses)
        with contextlib.suppress(InterruptedError):
            select.select([bus for bus in buses if bus.plugged], [], [], 0.0 if spin else max(0.0, due - now))
        for bus in buses:
            bus.serve()
        if time.monotonic() >= moved + TICK:
            moved = time.monotonic()
            advance(moved)
    for bus in buses:
        bus.unplug()
