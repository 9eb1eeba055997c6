"""Faults of the virtual bus, by chance and by the clock; the same seed gives the same faults.

A file of faults is YAML::

    lost: 0.01          # shares of packets, in both directions
    corrupted: 0.01     # one byte is changed
    late: 0.005         # of answers
    late_by: 0.02       # s
    duplicated: 0.001   # of answers
    events:
      - {what: dead, servo: 5, at: 10, seconds: 3}
      - {what: unplug, at: 20, seconds: 2}

Events: dead, wrong_id, stuck_encoder, overheat (each of a servo), brown_out (of a servo, or of all), unplug.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from humanoid_description.errors import RobotError, did_you_mean
from humanoid_description.strict_yaml import Section, read_yaml

SHARES = ("lost", "corrupted", "late", "duplicated")
EVENTS = ("dead", "wrong_id", "stuck_encoder", "overheat", "brown_out", "unplug")
OF_ONE_SERVO = EVENTS[:4]
KEYS = (*SHARES, "late_by", "events")
LONGEST = 1e9
"""s: bound of all times."""


@dataclass(frozen=True)
class Event:
    """A fault that comes and goes."""

    what: str
    """One of EVENTS."""
    at: float
    """s since the bus started."""
    seconds: float
    """How long it lasts, s."""
    servo: int | None = None
    """Id of the servo; None for the whole bus."""

    def on(self, now: float) -> bool:
        """Whether it is on at a time (s since the bus started)."""
        return self.at <= now < self.at + self.seconds


@dataclass(frozen=True)
class Faults:
    """What shall go wrong."""

    lost: float = 0.0
    """Share of packets that vanish, in each direction."""
    corrupted: float = 0.0
    """Share of packets of which a byte is changed, in each direction."""
    late: float = 0.0
    """Share of answers that are held back."""
    duplicated: float = 0.0
    """Share of answers that come twice."""
    late_by: float = 0.02
    """s."""
    events: tuple[Event, ...] = ()

    def __post_init__(self) -> None:
        """Refuse shares that are none."""
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name in SHARES and not 0 <= value <= 1:
                raise RobotError(f"faults: {field.name} is {value}. Give a share from 0 to 1.")
        if sum(getattr(self, share) for share in SHARES) > 1:
            raise RobotError("faults: the shares add up to more than 1. Give smaller ones.")


def read_faults(file: Path, ids: Collection[int]) -> Faults:
    """Faults from a file, for servos with these ids."""
    if not file.is_file():
        raise RobotError(f"{file}: there is no such file. Name a YAML file with faults.")
    top = read_yaml(file)
    numbers = {
        key: top.plain_number(key, 0.0, LONGEST if key == "late_by" else 1.0)
        for key in (*SHARES, "late_by")
        if key in top
    }
    events = [_event(entry, ids) for entry in top.section_list("events")] if "events" in top else []
    for key in top.content:
        if key not in KEYS:
            top.fail(key, "is not a known key", did_you_mean(key, KEYS))
    return Faults(**numbers, events=tuple(events))


def _event(entry: Section, ids: Collection[int]) -> Event:
    what = entry.text("what", EVENTS)
    servo = entry.integer("servo", 0, 252) if "servo" in entry else None
    if servo is None and what in OF_ONE_SERVO:
        entry.fail("servo", "is missing", f"Name the id of the servo that shall be {what}.")
    if servo is not None and what == "unplug":
        entry.fail("servo", "is given", "A whole port is unplugged; leave the servo out.")
    if servo is not None and servo not in ids:
        entry.fail("servo", f"is {servo}", f"The robot's servos have the ids {', '.join(map(str, sorted(ids)))}.")
    event = Event(what, entry.plain_number("at", 0.0, LONGEST), entry.plain_number("seconds", 0.0, LONGEST), servo)
    entry.finish()
    return event


class Mishaps:
    """Throws the dice for every packet, and counts what happened."""

    def __init__(self, faults: Faults, seed: int) -> None:
        self.faults = faults
        self.counts: Counter[str] = Counter()
        self._random = random.Random(seed)

    def on_request(self, data: bytes) -> bytes:
        """What the servos hear of what was sent."""
        what = self._draw("request", ("lost", "corrupted"))
        if what == "lost":
            return b""
        return self._damaged(data) if what == "corrupted" and data else data

    def on_answer(self, data: bytes) -> list[tuple[float, bytes]]:
        """What the controller hears of an answer: bytes, each with its delay (s)."""
        what = self._draw("answer", SHARES)
        if what == "lost":
            return []
        heard = (self.faults.late_by if what == "late" else 0.0, self._damaged(data) if what == "corrupted" else data)
        return [heard] * (2 if what == "duplicated" else 1)

    def _draw(self, packet: str, kinds: Sequence[str]) -> str | None:
        """Which fault hits a packet, at most one."""
        chance = self._random.random()
        for what in kinds:
            share: float = getattr(self.faults, what)
            if chance < share:
                self.counts[f"{packet}s {what}"] += 1
                return what
            chance -= share
        return None

    def _damaged(self, data: bytes) -> bytes:
        changed = bytearray(data)
        place = self._random.randrange(len(data))
        changed[place] ^= self._random.randrange(1, 256)
        return bytes(changed)
