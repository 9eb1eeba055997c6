"""Questions and answers on several ports at once, without a thread and without a busy wait.

Who talks on a port is a generator: it yields a question and is sent the bytes that came back. So the protocol's logic
knows no port, no clock and no select, and tests can answer it directly.
"""

from __future__ import annotations

import select
import time
from collections.abc import Generator, Mapping
from typing import NamedTuple

from dynamixel_bridge.serial_port import PortError, SerialPort

LONG = 60
"""Bytes: a longer answer comes in pieces, for which it is cheaper to sleep than to wake for each."""


class Ask(NamedTuple):
    """A question."""

    request: bytes
    """What to send; empty to hear more."""
    expected: int = 0
    """Bytes of the answer; 0 for none."""
    line_time: float = 0.0
    """How long request and answer take on the line, s."""
    patience: float = 0.0
    """How much longer to wait, s."""
    drain: bool = False
    """Whether to throw away first what has arrived meanwhile."""
    like: bytes = b""
    """How the answer begins if it is the one that was asked for."""
    then: bytes = b""
    """Sent as soon as such an answer is there, before anybody looks into it: the line need not wait for that."""

    def goes_on(self, heard: bytes) -> bool:
        """Whether `then` is sent after this answer."""
        return self.then != b"" and len(heard) == self.expected and heard.startswith(self.like)


Talk = Generator[Ask, bytes, None]


class _Turn:
    """A question that waits for its answer."""

    __slots__ = ("ask", "asleep_until", "deadline", "heard", "missing", "talk")

    def __init__(self, talk: Talk) -> None:
        self.talk = talk
        self.ask = Ask(b"")
        self.heard = b""
        self.missing = 0
        self.deadline = self.asleep_until = 0.0


def converse(talks: Mapping[SerialPort, Talk]) -> dict[SerialPort, PortError]:
    """Run talks to their end, all at once; returns the ports that were lost meanwhile, each with the reason."""
    turns: dict[SerialPort, _Turn] = {}
    lost: dict[SerialPort, PortError] = {}
    for port, talk in talks.items():
        turn = _Turn(talk)
        try:
            if _next(port, turn, None):
                turns[port] = turn
        except PortError as error:
            lost[port] = error
            talk.close()
    while turns:
        now = time.monotonic()
        awake = [port for port, turn in turns.items() if turn.asleep_until <= now]
        wake = min(turn.deadline if turn.asleep_until <= now else turn.asleep_until for turn in turns.values())
        if wake > now:
            ready = select.select(awake, [], [], wake - now)[0]
            now = time.monotonic()
        else:
            ready = select.select(awake, [], [], 0.0)[0]
        for port, turn in list(turns.items()):
            try:
                if port in ready:
                    data = port.read()
                    turn.heard += data
                    turn.missing -= len(data)
                    turn.asleep_until = 0.0
                if turn.missing <= 0 or now >= turn.deadline:
                    if turn.ask.goes_on(turn.heard):
                        port.write(turn.ask.then)
                    if not _next(port, turn, turn.heard):
                        del turns[port]
            except PortError as error:
                lost[port] = error
                turn.talk.close()
                del turns[port]
    return lost


def _next(port: SerialPort, turn: _Turn, answer: bytes | None) -> bool:
    """Hand over an answer and send the next question; False if there is none."""
    while True:
        try:
            ask = next(turn.talk) if answer is None else turn.talk.send(answer)
        except StopIteration:
            return False
        if ask.drain:
            port.drain()
        if ask.request:
            port.write(ask.request)
        if ask.expected:
            now = time.monotonic()
            turn.ask = ask
            turn.heard, turn.missing = b"", ask.expected
            turn.deadline = now + ask.line_time + ask.patience
            turn.asleep_until = now + ask.line_time if ask.expected > LONG else 0.0
            return True
        answer = b""
