"""The virtual servo bus: a pseudo-terminal behind which devices answer byte for byte, as fast as the line would.

Any Dynamixel program can open the port. The rate it sets is honoured: a device that listens at another rate is deaf.
"""

from __future__ import annotations

import contextlib
import os
import pty
import select
import termios
import threading
import time
import tty
from collections.abc import Callable, Sequence
from pathlib import Path

from dynamixel_bridge.virtual_line import VirtualLine
from humanoid_description.errors import RobotError

SPEEDS = [name for name in dir(termios) if name[0] == "B" and name[1:].isdigit()]
BAUD_OF_SPEED = {getattr(termios, name): int(name[1:]) for name in SPEEDS}
OUTPUT_SPEED = 5
"""Place in the list that termios gives."""
TICK = 1e-3
"""s between motions of the body."""
AWAKE = 5e-4
"""s around traffic on a line in which nobody sleeps: sleepers wake late by an answer's time, and a line does not."""
AGEING = 1e-2
"""s between looks at what else no packet asks for: warmth, alarms, faults by the clock."""


class VirtualBus:
    """A line of devices behind a port."""

    def __init__(self, link: Path, line: VirtualLine, clock: Callable[[], float] = time.monotonic) -> None:
        """Plug in a line.

        Args:
            link: Path under which the port is found, the same after every unplug.
            line: With its devices.
            clock: That the line runs on, s.
        """
        self.link = link
        self.line = line
        self._clock = clock
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
        """Make the port appear; RobotError if something else is in its place."""
        self._master, self._slave = pty.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        try:
            self.link.parent.mkdir(parents=True, exist_ok=True)
            if self.link.is_symlink() and not self.link.exists():  # left by one that was killed
                self.link.unlink()
            self.link.symlink_to(os.ttyname(self._slave))
        except OSError as error:
            self.unplug()
            what = f"cannot be made ({error.strerror})"
            if isinstance(error, FileExistsError) and self.link.is_symlink():
                what = f"leads to {self.link.readlink()}: another twin runs there"
            elif isinstance(error, FileExistsError):
                what = "exists"
            raise RobotError(
                f"port {self.link}: {what}. Name another folder with --ports, or delete it if nobody needs it."
            ) from None

    def unplug(self) -> None:
        """Make the port vanish."""
        if self.plugged:
            with contextlib.suppress(OSError):  # it may be gone, or no longer be ours
                if self.link.readlink() == Path(os.ttyname(self._slave)):
                    self.link.unlink()
            os.close(self._master)
            os.close(self._slave)
            self._master = self._slave = -1

    def next_due(self) -> float:
        """When to call `serve` again at the latest, s."""
        return min(self.line.next_due(), self.line.advanced + AGEING)

    def serve(self) -> None:
        """Hear what was sent, answer what is due, and let time pass."""
        now = self._clock()
        if now >= self.line.advanced + AGEING:
            self.line.pass_time(now)
            if self.line.plugged != self.plugged:
                (self.plug if self.line.plugged else self.unplug)()
        if not self.plugged:
            return
        with contextlib.suppress(BlockingIOError):
            data = os.read(self._master, 4096)
            baud = BAUD_OF_SPEED.get(termios.tcgetattr(self._master)[OUTPUT_SPEED], 0)
            self.line.hear(data, baud, now)
        answer = self.line.due(self._clock())
        if answer:
            with contextlib.suppress(BlockingIOError):  # nobody reads: a full line forgets, as a real one does
                os.write(self._master, answer)


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
        due = min(moved + TICK, *(bus.next_due() for bus in buses))
        awake = spin or any(bus.line.busy(now, AWAKE) for bus in buses)
        with contextlib.suppress(InterruptedError):
            select.select([bus for bus in buses if bus.plugged], [], [], 0.0 if awake else max(0.0, due - now))
        for bus in buses:
            bus.serve()
        if time.monotonic() >= moved + TICK:
            moved = time.monotonic()
            advance(moved)
    for bus in buses:
        bus.unplug()
