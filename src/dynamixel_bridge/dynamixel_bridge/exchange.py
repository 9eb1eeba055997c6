"""Questions and answers on several ports at once, without a thread and without a busy wait.

Who talks on a port is a generator: it yields questions and is sent the bytes that came back. So the protocol's logic
knows no port, no clock and no select, and tests can answer it directly.
"""

from __future__ import annotations

import math
import select
import time
from collections.abc import Generator, Mapping
from typing import NamedTuple

from dynamixel_bridge.serial_port import PortError, SerialPort

LONG = 60
"""Bytes: a longer answer comes in pieces, for which it is cheaper to sleep than to wake for each."""


class Question(NamedTuple):
    """What is sent, and what shall come back."""

    request: bytes
    """Empty to hear more."""
    expected: int = 0
    """Bytes of the answer; 0 for none."""
    line_time: float = 0.0
    """How long request and answer take on the line, s."""
    like: bytes = b""
    """How the answer begins if it is the one that was asked for."""

    def answered_by(self, heard: bytes) -> bool:
        """Whether this looks like the answer, and like nothing beside it."""
        return len(heard) == self.expected and heard.startswith(self.like)


class Ask(NamedTuple):
    """Questions, each sent as soon as the one before is answered: the line need not wait until somebody looks into it.

    What is sent back is a list of what was heard to each of them. Behind a wrong answer none is asked.
    """

    questions: tuple[Question, ...] = ()
    patience: float = 0.0
    """How much longer than its time on the line to wait for an answer, s."""
    end: float = math.inf
    """Time (s) until which a further question must be answered, and beyond which there is no patience."""
    drain: bool = False
    """Whether to throw away first what has arrived meanwhile."""

    def goes_on(self, number: int, heard: bytes, now: float) -> bool:
        """Whether there is a question behind that of a number, to which this was heard, and time (s) for it."""
        further = number + 1 < len(self.questions) and self.questions[number].answered_by(heard)
        return further and now + self.questions[number + 1].line_time < self.end

    def deadline(self, number: int, now: float) -> float:
        """Until when (s) to wait for the answer to a question that is asked now."""
        line_time = self.questions[number].line_time
        return now + line_time + min(self.patience, max(0.0, self.end - now - line_time))


Talk = Generator[Ask, list[bytes], None]


class _Turn:
    """A question that waits for its answer."""

    __slots__ = ("answers", "ask", "asleep_until", "deadline", "expected", "heard", "talk")

    def __init__(self, talk: Talk) -> None:
        self.talk = talk
        self.ask = Ask()
        self.answers: list[bytes] = []
        self.heard = b""
        self.expected = 0
        self.deadline = self.asleep_until = 0.0


def converse(talks: Mapping[SerialPort, Talk]) -> dict[SerialPort, PortError]:
    """Run talks to their end, all at once; returns the ports that were lost meanwhile, each with the reason."""
    turns: dict[SerialPort, _Turn] = {}
    lost: dict[SerialPort, PortError] = {}
    for port, talk in talks.items():
        turn = _Turn(talk)
        try:
            if _begin(port, turn, next(talk, None)):
                turns[port] = turn
        except PortError as error:
            lost[port] = error
            talk.close()
    while turns:
        now = time.monotonic()
        awake = [port for port, turn in turns.items() if turn.asleep_until <= now]
        wake = min([turn.asleep_until if turn.asleep_until > now else turn.deadline for turn in turns.values()])
        ready = select.select(awake, [], [], wake - now if wake > now else 0.0)[0]
        now = time.monotonic()
        for port, turn in list(turns.items()):
            try:
                if port in ready:
                    turn.heard += port.read()
                    turn.asleep_until = 0.0
                if (len(turn.heard) >= turn.expected or now >= turn.deadline) and not _go_on(port, turn, now):
                    del turns[port]
            except PortError as error:
                lost[port] = error
                turn.talk.close()
                del turns[port]
    return lost


def _go_on(port: SerialPort, turn: _Turn, now: float) -> bool:
    """Send the next question, or hand over the answers and begin with what is asked then; False if nothing is."""
    turn.answers.append(turn.heard)
    number = len(turn.answers)
    if turn.ask.goes_on(number - 1, turn.heard, now):
        _send(port, turn, number)
        return True
    return _begin(port, turn, _answer(turn))


def _begin(port: SerialPort, turn: _Turn, ask: Ask | None) -> bool:
    """Send what is asked first; False if there is nothing more to wait for."""
    while ask is not None:
        turn.ask, turn.answers = ask, []
        if ask.drain:
            port.drain()
        if ask.questions:
            _send(port, turn, 0)
            if turn.expected:
                return True
            turn.answers.append(b"")
        ask = _answer(turn)
    return False


def _answer(turn: _Turn) -> Ask | None:
    """Hand over what was heard; what is asked then, if anything."""
    try:
        return turn.talk.send(turn.answers)
    except StopIteration:
        return None


def _send(port: SerialPort, turn: _Turn, number: int) -> None:
    question = turn.ask.questions[number]
    if question.request:
        port.write(question.request)
    now = time.monotonic()
    turn.heard, turn.expected = b"", question.expected
    turn.deadline = turn.ask.deadline(number, now)
    turn.asleep_until = now + question.line_time if question.expected > LONG else 0.0
