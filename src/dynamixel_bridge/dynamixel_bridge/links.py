"""The way from buses to their ports, which come and go; and the same way on simulated time, for tests and trials."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Protocol

from dynamixel_bridge.exchange import Ask, Talk, converse
from dynamixel_bridge.serial_port import PortError, SerialPort
from dynamixel_bridge.virtual_line import VirtualLine

RETRY = 0.5
"""s between attempts to open a port that is gone."""


class Links(Protocol):
    """What carries the talks of buses, by the name of the bus."""

    def exchange(self, talks: Mapping[str, Talk]) -> dict[str, str]:
        """Run talks to their end; returns the buses that have no port, each with the reason."""

    def shout(self, packets: Mapping[str, bytes]) -> None:
        """Send without waiting for anything, as well as it goes."""


class SerialLinks:
    """Serial ports that are opened again by themselves after they were unplugged."""

    def __init__(self, paths: Mapping[str, str], baud: int) -> None:
        """Open all ports (path by name of the bus) at a rate in bit/s; PortError if one cannot be opened."""
        self._paths = dict(paths)
        self._baud = baud
        self._ports: dict[str, SerialPort] = {}
        self._reasons: dict[str, str] = {}
        self._tried = dict.fromkeys(paths, 0.0)
        try:
            for name, path in self._paths.items():
                self._ports[name] = SerialPort(path, baud)
        except PortError:
            self.close()
            raise

    def exchange(self, talks: Mapping[str, Talk]) -> dict[str, str]:
        """Run talks to their end; returns the buses that have no port, each with the reason."""
        self._reopen()
        name_of = {port: name for name, port in self._ports.items()}
        lost = converse({self._ports[name]: talk for name, talk in talks.items() if name in self._ports})
        for port, error in lost.items():
            self._drop(name_of[port], str(error))
        return {name: self._reasons[name] for name in talks if name not in self._ports}

    def shout(self, packets: Mapping[str, bytes]) -> None:
        """Send without waiting for anything, as well as it goes."""
        for name, data in packets.items():
            if name in self._ports:
                try:
                    self._ports[name].write(data)
                except PortError as error:
                    self._drop(name, str(error))

    def close(self) -> None:
        """Give all ports back."""
        for port in self._ports.values():
            port.close()
        self._ports.clear()

    def _drop(self, name: str, reason: str) -> None:
        self._ports.pop(name).close()
        self._reasons[name] = reason
        self._tried[name] = time.monotonic()

    def _reopen(self) -> None:
        for name, path in self._paths.items():
            if name not in self._ports and time.monotonic() >= self._tried[name] + RETRY:
                self._tried[name] = time.monotonic()
                try:
                    self._ports[name] = SerialPort(path, self._baud)
                except PortError as error:
                    self._reasons[name] = str(error)


class SimulatedLinks:
    """Virtual lines on simulated time: a cycle takes what it would take on real ones, and no moment longer."""

    def __init__(
        self, lines: Mapping[str, VirtualLine], baud: int, advance: Callable[[float], None] = lambda now: None
    ) -> None:
        """Take lines (by the name of the bus) at a rate in bit/s; `advance` is told each new time (s)."""
        self.lines = dict(lines)
        """By the name of the bus."""
        self._baud = baud
        self._advance = advance
        self._advanced = 0.0
        self.now = 0.0
        """Simulated time, s."""

    def clock(self) -> float:
        """Simulated time, s."""
        return self.now

    def wait_until(self, moment: float) -> None:
        """Let time pass."""
        self._go_on(max(self.now, moment))
        for line in self.lines.values():
            line.pass_time(self.now)

    def exchange(self, talks: Mapping[str, Talk]) -> dict[str, str]:
        """Run talks to their end; returns the buses that have no port, each with the reason."""
        absent = {}
        started, ended = self.now, self.now
        for name, talk in talks.items():  # at the same time: each begins when all began
            self.now = started
            if self.lines[name].plugged:
                self._talk(self.lines[name], talk)
            else:
                absent[name] = "the adapter is gone. Plug it in again."
            ended = max(ended, self.now)
        self.now = ended
        return absent

    def shout(self, packets: Mapping[str, bytes]) -> None:
        """Send without waiting for anything."""
        for name, data in packets.items():
            if self.lines[name].plugged:
                self.lines[name].hear(data, self._baud, self.now)

    def _talk(self, line: VirtualLine, talk: Talk) -> None:
        ask = next(talk, None)
        while ask is not None:
            if ask.drain:
                line.due(self.now)
            answers = [self._answer(line, ask, 0)] if ask.questions else []
            while answers and ask.goes_on(len(answers) - 1, answers[-1], self.now):
                answers.append(self._answer(line, ask, len(answers)))
            try:
                ask = talk.send(answers)
            except StopIteration:
                return

    def _answer(self, line: VirtualLine, ask: Ask, number: int) -> bytes:
        question, deadline = ask.questions[number], ask.deadline(number, self.now)
        if question.request:
            line.hear(question.request, self._baud, self.now)
        answer = b""
        while len(answer) < question.expected:
            if line.next_due() > deadline:
                self._go_on(deadline)
                break
            self._go_on(max(self.now, line.next_due()))
            answer += line.due(self.now)
        return answer

    def _go_on(self, moment: float) -> None:
        self.now = moment
        if moment > self._advanced:  # on another port it may be later already
            self._advanced = moment
            self._advance(moment)
