"""The cycle of a servo bus: write all goals, read all states, each with the fastest instruction the models know.

A silent device costs its own timeout only. The others are fresh in the same cycle; its own state is marked stale and
keeps the last values that were measured, never invented ones. After SUSPECT silent cycles it is asked no longer with
the others but, one such device in a cycle, at the end, so that many dead ones do not slow the cycle down.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence

from dynamixel_bridge import protocol1, protocol2
from dynamixel_bridge.device import Device, Servo
from dynamixel_bridge.exchange import Ask, Question, Talk
from dynamixel_bridge.packet import BROADCAST, Block, Packet

SUSPECT = 3
"""Cycles in a row in which a device was asked in vain, after which it is asked apart."""
SUSPECTS_FIRST = 10
"""In one of so many cycles those are asked first: at the end of cycles that are too short nobody is asked."""
PATIENCE = 0.002
"""s beyond the line's own time until a device counts as silent; a USB adapter takes up to 1 ms."""
FLUSH = bytes(254)
"""Ends whatever packet a device believes to be in: noise on a length byte makes it wait for bytes that never come, and
it is deaf meanwhile."""
FLUSH_AFTER = 2
"""Devices that are silent one after the other before this is sent."""
BYTE_BITS = 10


class Bus:
    """Devices on one port. `cycle` is what is said there; exchange.converse says it."""

    def __init__(
        self,
        devices: Sequence[Device],
        baud: int,
        return_delay: float = 0.0,
        clock: Callable[[], float] = time.monotonic,
        patience: float = PATIENCE,
        slow: bool = True,
    ) -> None:
        """Make a bus of devices of one protocol.

        Args:
            devices: In the order in which they are read.
            baud: bit/s.
            return_delay: That the devices take before they answer, s.
            clock: Of the ends of cycles, s.
            patience: With a silent device, s beyond the line's own time.
            slow: Whether to read voltage, temperature and torque too, of one servo a cycle.
        """
        self.devices = {device.id: device for device in devices}
        self.servos = {device.id: device for device in devices if isinstance(device, Servo)}
        self.counts: Counter[str] = Counter()
        """Of cycles, cycles cut short, broken packets, stray answers."""
        self._clock = clock
        self._byte_time = BYTE_BITS / baud
        self._return_delay = return_delay
        self._framing = devices[0].model.framing
        self._decoder = self._framing.answers_decoder()
        self._questions = {device.id: self._question(device, device.block) for device in devices}
        self._written: dict[str, dict[int, bytes]] = {}
        self._queue: list[bytes] = []
        self._slow = self._slow_turns() if slow else iter(())
        self._patience = patience
        self._grouped: list[Device] = []
        self._grouping: list[tuple[str, list[Device]]] = []
        self._turn = self._first = 0
        self._silent = 0
        self._sending = 0.0  # s that the line still needs for what was sent without a question
        self._end = math.inf

    def _question(self, device: Device, block: Block) -> Question:
        """To one device for a block of its own."""
        head = self._framing.answer(device.id, 0, bytes(block.size))[: self._framing.head]
        return self._timed(self._framing.read(device.id, block), self._framing.answer_size(block.size), 1, head)

    def _timed(self, request: bytes, size: int, devices: int, head: bytes = b"") -> Question:
        """A question with its time on the line, if so many devices answer with so many bytes."""
        seconds = (len(request) + size) * self._byte_time + devices * self._return_delay
        return Question(request, size, seconds, head)

    def forget_written(self, id_: int) -> None:
        """Take nothing for written in a servo any longer, as after it has restarted."""
        for known in self._written.values():
            known.pop(id_, None)

    def write(self, name: str, values: Mapping[int, float]) -> None:
        """Write a row (SI units by id) at the start of the next cycle, where it differs from what was written last."""
        known = self._written.setdefault(name, {})
        groups: dict[int, list[tuple[int, bytes]]] = {}
        for id_, value in values.items():
            row = self.servos[id_].model.rows.get(name)
            data = row.bytes_for(value) if row else None
            if row is not None and data is not None and known.get(id_) != data:
                known[id_] = data
                groups.setdefault(row.address, []).append((id_, data))
        self._queue += [self._framing.sync_write(address, data) for address, data in groups.items()]

    def relax_now(self) -> bytes:
        """What switches all servos off at once, whatever state the bus is in: no device needs to answer it."""
        self._written.pop("torque_enable", None)
        rows = {servo.model.rows["torque_enable"].address for servo in self.servos.values()}
        return b"".join(self._framing.write(BROADCAST, address, b"\0") for address in rows)

    def cycle(self, goals: Mapping[int, float], end: float = math.inf) -> Talk:
        """Write goals (rad by id, none for servos that shall be left alone), then read every device.

        Args:
            goals: By id.
            end: Time (s) after which nothing is asked a second time.
        """
        self.counts["cycles"] += 1
        self._end = end
        if goals:
            self._queue += self._goal_packets(goals)
        queue, self._queue = self._queue, []
        for number, packet in enumerate(queue):
            self._sending += len(packet) * self._byte_time
            yield Ask((Question(packet),), drain=number == 0)
        for device in self.devices.values():
            device.fresh = device.asked = False
        try:
            yield from self._read_all()
            yield from self._read_slow()
        finally:
            self._count()

    def absent(self) -> None:
        """Mark every device stale in a cycle in which there is no port."""
        self._queue.clear()
        for device in self.devices.values():
            device.fresh, device.asked = False, True
        for servo in self.servos.values():
            servo.torque_on = None  # what was said meanwhile it has not heard
        self.counts["cycles without port"] += 1
        self._count()

    def _count(self) -> None:
        for device in self.devices.values():
            device.silent_cycles = 0 if device.fresh else device.silent_cycles + device.asked
            device.counts["stale"] += not device.fresh

    def _goal_packets(self, goals: Mapping[int, float]) -> Iterable[bytes]:
        groups: dict[int, list[tuple[int, bytes]]] = {}
        for id_, goal in goals.items():
            row = self.servos[id_].goal_row
            groups.setdefault(row.address, []).append((id_, row.bytes_for(goal)))
        return [self._framing.sync_write(address, data) for address, data in groups.items()]

    def _time_for(self, size: int) -> bool:
        """Whether an exchange of this many bytes fits into the cycle."""
        return self._end == math.inf or self._clock() + size * self._byte_time + self._sending < self._end

    def _read_all(self) -> Talk:
        devices = list(self.devices.values())
        devices = devices[self._first :] + devices[: self._first]
        devices.sort(key=lambda device: isinstance(device, Servo))  # an IMU first: it tells of the whole body
        self._first = self._silent = 0
        suspects = [device for device in devices if device.silent_cycles >= SUSPECT]
        first = self.counts["cycles"] % SUSPECTS_FIRST == 0
        if first:
            yield from self._read_suspects(suspects)
        again: list[Device] = []
        for way, group in self._groups(devices):
            if way == "single":
                done = yield from self._read_singly(group)
                again += [device for device in group[:done] if not device.fresh]
                if done < len(group):
                    self._cut_short(group[done])
                    return
            else:
                yield from self._read_chain(way, group, again)
        for device in again:
            if self._time_for(2 * self._framing.answer_size(device.block.size)):
                device.counts["asked again"] += 1
                yield from self._read_one(device, device.block)
        if not first:
            yield from self._read_suspects(suspects)

    def _groups(self, devices: list[Device]) -> list[tuple[str, list[Device]]]:
        """Devices that are not suspect, by the fastest way to read them together."""
        healthy = [device for device in devices if device.silent_cycles < SUSPECT]
        if healthy != self._grouped:
            self._grouped, self._grouping = healthy, _groups(healthy)
        return self._grouping

    def _read_suspects(self, suspects: list[Device]) -> Talk:
        """Ask the next one of the long silent, and if it is back, those behind it too."""
        for _ in suspects:
            self._turn += 1
            device = suspects[self._turn % len(suspects)]
            if not self._time_for(2 * self._framing.answer_size(device.block.size)):
                return
            yield from self._read_one(device, device.block)
            if not device.fresh:
                return

    def _cut_short(self, device: Device) -> None:
        """End a cycle whose time is up; the next one begins with the device whose turn it was."""
        self.counts["cut short"] += 1
        self._first = list(self.devices).index(device.id)

    def _read_singly(self, group: list[Device]) -> Generator[Ask, list[bytes], int]:
        """Read devices one by one, all that the time is enough for; how many had a turn."""
        done = 0
        while done < len(group):
            todo = group[done:]
            if not self._time_for(2 * self._framing.answer_size(todo[0].block.size)):
                break
            questions = [self._questions[device.id] for device in todo]
            answers = yield self._ask(*questions)
            for number, heard in enumerate(answers):
                device, last = todo[number], number + 1 == len(answers)
                yield from self._hear(heard, questions[number].expected, [device], device.block, last=last)
            done += len(answers)
        return done

    def _read_one(self, device: Device, block: Block) -> Talk:
        question = self._question(device, block)
        (heard,) = yield self._ask(question)
        yield from self._hear(heard, question.expected, [device], block)

    def _read_chain(self, way: str, group: list[Device], again: list[Device]) -> Talk:
        """Read devices that answer one after the other; behind a silent one the rest is asked anew."""
        todo = group
        while todo:
            if len(todo) == 1:
                yield from self._read_one(todo[0], todo[0].block)
            else:
                yield from self._ask_chain(way, todo)
            missing = [device for device in todo if not device.fresh]
            if not missing:
                return
            again.append(missing[0])
            todo = missing[1:]
            if todo and not self._time_for(sum(2 * self._framing.answer_size(device.block.size) for device in todo)):
                self._cut_short(todo[0])
                return

    def _ask_chain(self, way: str, todo: list[Device]) -> Talk:
        block, ids = todo[0].block, [device.id for device in todo]
        size = sum(self._framing.answer_size(device.block.size) for device in todo)
        if way == "fast_sync":
            size = protocol2.fast_answer_size(len(ids), block.size)
            request = protocol2.fast_sync_read(block, ids)
        elif way == "sync":
            request = protocol2.sync_read(block, ids)
        else:
            module = protocol1 if self._framing.version == 1 else protocol2
            request = module.bulk_read([(device.id, device.block) for device in todo])
        (heard,) = yield self._ask(self._timed(request, size, len(todo)))
        yield from self._hear(heard, size, todo, None, fast=way == "fast_sync")

    def _ask(self, first: Question, *others: Question) -> Ask:
        """Ask, once the line is done with what was sent before."""
        first = first._replace(line_time=first.line_time + self._sending)
        self._sending = 0.0
        return Ask((first, *others), self._patience, self._end)

    def _hear(
        self,
        heard: bytes,
        size: int,
        asked: Sequence[Device],
        block: Block | None,
        fast: bool = False,
        last: bool = True,
    ) -> Talk:
        """Look into an answer, and hear on for a while if something else was in its way.

        Args:
            heard: The answer.
            size: That it should have, bytes.
            asked: Who shall have answered.
            block: What was read; None for each device's own.
            fast: Whether all answer in one packet.
            last: Whether nobody was asked behind them; else more cannot be heard.
        """
        for device in asked:
            device.asked = True
            device.counts["asked"] += 1
        wanting = self._take(heard, size, asked, block, fast)
        if wanting and len(heard) >= size and not fast and last:
            (more,) = yield Ask((Question(b"", size),), self._patience, self._end)
            wanting = self._take(more, size, wanting, block, fast)
        for device in wanting:
            device.counts["missed"] += 1
        self._silent = self._silent + 1 if len(wanting) == len(asked) else 0
        if wanting:
            self._decoder.clear()
        if wanting and last:
            yield Ask(drain=True)
        if self._silent == FLUSH_AFTER and last:
            self.counts["flushes"] += 1
            self._sending += len(FLUSH) * self._byte_time
            yield Ask((Question(FLUSH),))

    def _take(self, heard: bytes, size: int, asked: Sequence[Device], block: Block | None, fast: bool) -> list[Device]:
        """Give devices their answers; returns those that have none."""
        if fast:
            packets = protocol2.split_fast_answer(heard, asked[0].block.size, len(asked))
            self.counts["broken packets"] += len(packets) < len(asked) and len(heard) >= size
        else:
            broken = self._decoder.broken
            packets = self._decoder.feed(heard)
            self.counts["broken packets"] += self._decoder.broken - broken
        wanting = {device.id: device for device in asked}
        for packet in packets:
            device = wanting.get(packet.id)
            wanted = block or (device.block if device else None)
            if device is None or wanted is None or len(packet.parameters) != wanted.size:
                self.counts["stray answers"] += 1
                continue
            del wanting[packet.id]
            self._answered(device, wanted, packet)
        return list(wanting.values())

    def _answered(self, device: Device, block: Block, packet: Packet) -> None:
        device.counts["answered"] += 1
        device.take_error(packet.code)
        if block == device.block:
            device.take(packet.parameters)
            device.fresh = True
        elif isinstance(device, Servo):
            device.take_slow(block, packet.parameters)

    def _slow_turns(self) -> Iterator[tuple[Servo, Block]]:
        """Forever; what comes first of all servos first, as the health of all must be known before they are enabled."""
        longest = max((len(servo.slow_blocks) for servo in self.servos.values()), default=0)
        while self.servos:
            for number in range(longest):
                for servo in self.servos.values():
                    yield from ((servo, block) for block in servo.slow_blocks[number : number + 1])

    def _read_slow(self) -> Talk:
        turn = next(self._slow, None)
        if turn is not None:
            servo, block = turn
            if servo.fresh and self._time_for(2 * self._framing.answer_size(block.size)):
                yield from self._read_one(servo, block)


def _groups(devices: Sequence[Device]) -> list[tuple[str, list[Device]]]:
    """Devices by the fastest way to read them together, and one group of those that are read alone, in their order.

    In one, because a cycle that is cut short goes on where it was cut: a group behind would never have its turn.
    """
    together: dict[tuple[str, Block | None], list[Device]] = {}
    for device in devices:
        way = next((way for way in ("fast_sync", "sync", "bulk") if way in device.model.reads), "single")
        together.setdefault((way, device.block if way.endswith("sync") else None), []).append(device)
    chains = [(way, group) for (way, _), group in together.items() if way != "single" and len(group) > 1]
    chained = {device.id for _, group in chains for device in group}
    alone = [device for device in devices if device.id not in chained]
    return [("single", alone), *chains] if alone else chains
