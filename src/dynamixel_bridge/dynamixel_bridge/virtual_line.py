"""What happens on the wire of a virtual servo bus: who hears a request, who answers, and when. Pure, on any clock."""

from __future__ import annotations

import heapq
import math
import struct
from collections.abc import Iterator, Sequence

from dynamixel_bridge import protocol2
from dynamixel_bridge.control_table import FRAMINGS
from dynamixel_bridge.packet import BROADCAST, Block, Instruction, Packet
from dynamixel_bridge.virtual_device import VirtualDevice
from dynamixel_bridge.virtual_faults import Faults, Mishaps
from dynamixel_bridge.virtual_servo import VirtualServo

BITS_PER_BYTE = 10
"""Start bit, eight bits, stop bit."""
BULK_HEAD = 5
"""Bytes of id, address and size in front of the data of a bulk write."""
GAP = 0.1
"""s of silence after which an unfinished packet is forgotten (ROBOTIS e-manual, byte to byte time)."""


class VirtualLine:
    """Devices on one line, with the line's own timing and faults."""

    def __init__(
        self, devices: Sequence[VirtualDevice], faults: Faults | None = None, seed: int = 0, start: float = 0.0
    ) -> None:
        """Connect devices at a time (s), on a clock that all later times are of."""
        self.devices = list(devices)
        self.mishaps = Mishaps(faults or Faults(), seed)
        self.plugged = True
        """Whether the adapter is plugged in; the devices have power all the same."""
        self._start = self.advanced = start
        self._line_free = self._heard = start
        self._decoders = {protocol: framing.requests_decoder() for protocol, framing in FRAMINGS.items()}
        self._answers: list[tuple[float, int, bytes]] = []
        self._number = 0
        self._happening: set[int] = set()

    def pass_time(self, now: float) -> None:
        """Let devices age and faults come and go."""
        for device in self.devices:
            if isinstance(device, VirtualServo):
                device.advance(now - self.advanced)
        self.advanced = now
        for number, event in enumerate(self.mishaps.faults.events):
            on = event.on(now - self._start)
            if on != (number in self._happening):
                self._happening ^= {number}
                self.mishaps.counts[event.what] += on
                self._happen(event.what, event.servo, on)

    def _happen(self, what: str, id_: int | None, on: bool) -> None:
        if what == "unplug":
            self.plugged = not on
            self._answers.clear()
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

    def hear(self, data: bytes, baud: int, now: float) -> None:
        """Take what the controller sends at a rate in bit/s; answers come out of `due`."""
        if now > self._heard + GAP:
            for decoder in self._decoders.values():
                decoder.clear()
        self._heard = now
        self._line_free = max(self._line_free, now) + len(data) * BITS_PER_BYTE / max(baud, 1)
        data = self.mishaps.on_request(data)
        for protocol, decoder in self._decoders.items():
            listening = [d for d in self.devices if d.model.protocol == protocol and d.baud == baud and not d.dead]
            for packet in decoder.feed(data):
                for device in listening:
                    if isinstance(device, VirtualServo):
                        device.silence = 0.0
                self._obey(packet, protocol, listening, baud)

    def next_due(self) -> float:
        """When the next answer has come, infinite if none is on its way."""
        return self._answers[0][0] if self._answers else math.inf

    def busy(self, now: float, around: float) -> bool:
        """Whether something is said on the line within some time (s) before or after."""
        return abs(self._line_free - now) < around

    def due(self, now: float) -> bytes:
        """What the controller has heard since the last call."""
        heard = b""
        while self._answers and self._answers[0][0] <= now:
            heard += heapq.heappop(self._answers)[2]
        return heard

    def _obey(self, packet: Packet, protocol: int, listening: list[VirtualDevice], baud: int) -> None:
        by_id: ById = {}
        for device in sorted(listening, key=lambda device: device.id):
            by_id.setdefault(device.id, []).append(device)
        if packet.id != BROADCAST:
            self._execute(packet, by_id.get(packet.id, []), baud)
        elif packet.code in WRITES:
            for id_, address, data in _writes(packet, protocol):
                for device in by_id.get(id_, []):
                    device.write(address, data)
        elif packet.code in CHAINED:
            self._chained_read(packet, protocol, by_id, baud)
        else:
            for asked in by_id.values():
                self._execute(packet, asked, baud)

    def _execute(self, packet: Packet, asked: Sequence[VirtualDevice], baud: int) -> None:
        """Let devices that share an id carry out an instruction; they answer at the same time."""
        ids = [device.id for device in asked]  # under which they answer, also when they get another
        answers = [device.execute(packet) for device in asked]
        if packet.id != BROADCAST or (asked and asked[0].model.protocol == 2):
            told = zip(asked, ids, answers, strict=True)
            spoken = [device.model.framing.answer(id_, *answer) for device, id_, answer in told if answer]
            self._answer_at_once(spoken, asked, baud)

    def _chained_read(self, packet: Packet, protocol: int, by_id: ById, baud: int) -> None:
        """Each waits until the one before it has answered, so behind a silent one all are silent."""
        parts = []
        wanted = _chain(packet, protocol)
        for id_, block in wanted:
            asked = by_id.get(id_, [])
            if not asked:
                break
            for device in asked:
                device.refresh()
            answers = [device.read(block) for device in asked]
            if packet.code == Instruction.FAST_SYNC_READ:  # in one packet, which has no room for two of one id
                parts.append((id_, *answers[0]))
            else:
                spoken = [asked[0].model.framing.answer(id_, *answer) for answer in answers]
                self._answer_at_once(spoken, asked, baud)
        if parts:
            self._answer(protocol2.fast_answer(parts, len(wanted)), by_id[parts[0][0]][0], baud)

    def _answer_at_once(self, spoken: Sequence[bytes], asked: Sequence[VirtualDevice], baud: int) -> None:
        if spoken:
            self._answer(_collided(spoken) if len(spoken) > 1 else spoken[0], asked[0], baud)

    def _answer(self, data: bytes, device: VirtualDevice, baud: int) -> None:
        self._line_free += device.value("return_delay") + len(data) * BITS_PER_BYTE / baud
        for delay, heard in self.mishaps.on_answer(data):
            self._number += 1
            heapq.heappush(self._answers, (self._line_free + delay, self._number, heard))


ById = dict[int, list[VirtualDevice]]
"""Several have one id when somebody has forgotten to give them others."""
WRITES = (Instruction.SYNC_WRITE, Instruction.BULK_WRITE)
CHAINED = (Instruction.SYNC_READ, Instruction.FAST_SYNC_READ, Instruction.BULK_READ)


def _collided(spoken: Sequence[bytes]) -> bytes:
    """What is heard when several speak at once: whoever sends a 0 pulls the line down for all."""
    heard = bytearray(b"\xff" * max(map(len, spoken)))
    for data in spoken:
        for place, byte in enumerate(data):
            heard[place] &= byte
    return bytes(heard)


def _writes(packet: Packet, protocol: int) -> Iterator[tuple[int, int, bytes]]:
    """Who shall write what: id, address, data."""
    entries = packet.parameters
    if packet.code == Instruction.SYNC_WRITE:
        width = 1 if protocol == 1 else 2
        address, size = (int.from_bytes(entries[i * width : (i + 1) * width], "little") for i in (0, 1))
        for at in range(2 * width, len(entries) - size, size + 1):
            yield entries[at], address, entries[at + 1 : at + 1 + size]
        return
    while len(entries) > BULK_HEAD:
        id_, address, size = struct.unpack_from("<BHH", entries)
        yield id_, address, entries[BULK_HEAD : BULK_HEAD + size]
        entries = entries[BULK_HEAD + size :]


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
