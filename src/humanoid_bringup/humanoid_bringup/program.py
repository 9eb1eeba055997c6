"""A user's program that controls a robot, run in a process of its own so that nothing it does can disturb ours.

The program is Python text with a function `control(robot)`, called in every period with what the robot feels
(program_child.ProgramRobot says what it can read and do). A syntax error, an exception, a value that is no number, a
wrong return, a call that does not come back, a crash: each ends the program, with the reason and its line.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from humanoid_bringup import program_child
from humanoid_description import RobotError

PATIENCE = 1.0
"""s that a call may take."""
LOAD_PATIENCE = 20.0
"""s that a program may take until its functions are defined: what it imports can be large."""
GRACE = 1.0
"""s more before the process is killed: time in which it tells the line in which it hangs."""
MOST_TEXT = 1_000_000
"""Characters of a program."""
LOADING, RUNNING, FINISHED, FAILED, STOPPED = "loading", "running", "finished", "failed", "stopped"


@dataclass(frozen=True)
class Felt:
    """What the robot feels, as the program is told it; the fields are those of program_child.ProgramRobot."""

    time: float
    angle: Mapping[str, float]
    speed: Mapping[str, float]
    torque: Mapping[str, float]
    turning: tuple[float, float, float]
    acceleration: tuple[float, float, float]
    gait: str


@dataclass(frozen=True)
class Wanted:
    """What the program asked for in one call."""

    joints: Mapping[str, tuple[float, float]]
    """Angle (rad) by joint, and the time (s) in which to get there."""
    velocity: tuple[float, float, float] | None
    """To walk with: m/s, m/s, rad/s; None if it said nothing."""

    @property
    def moves(self) -> bool:
        """Whether it asked for anything."""
        return bool(self.joints) or self.velocity is not None


def read_program(path: Path) -> str:
    """Text of a program in a file, or RobotError."""
    try:
        return path.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise RobotError(f"program {path}: cannot be read ({error}). Name a file of Python text.") from None


class Program:
    """One run of a program, from its text to its end."""

    def __init__(self, text: str, name: str = "program", folder: Path | None = None) -> None:
        """Start loading it.

        Args:
            text: Python, with a function control(robot).
            name: For messages.
            folder: From which it may import.
        """
        if len(text) > MOST_TEXT:
            raise RobotError(f"program {name}: has {len(text)} characters. Give at most {MOST_TEXT}.")
        self.name = name
        self.state = LOADING
        self.error = ""
        """Why it failed."""
        self.line: int | None = None
        """Line of the program in which it failed, if that is known."""
        self.printed = ""
        """What it has printed since somebody last emptied this."""
        self.calls = 0
        """That came back."""
        answers, child_end = os.pipe()
        self._answers = answers
        self._buffer = b""
        self._deadline: float | None = None
        command = [sys.executable, "-m", program_child.__name__, str(child_end), str(PATIENCE)]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            pass_fds=[child_end],
            start_new_session=True,  # so that Ctrl-C reaches us only, and what it starts can be ended with it
        )
        os.close(child_end)
        task = {"text": text, "name": name, "folder": str(folder) if folder else "", "patience": LOAD_PATIENCE}
        self._ask(task, LOAD_PATIENCE)

    @property
    def running(self) -> bool:
        """Whether it can be called."""
        return self.state == RUNNING

    @property
    def ended(self) -> bool:
        """Whether it is over."""
        return self.state in (FINISHED, FAILED, STOPPED)

    @property
    def busy(self) -> bool:
        """Whether an answer is owed."""
        return self._deadline is not None

    @property
    def told(self) -> str:
        """Its state in words, with the error and its line."""
        where = f"line {self.line}: " if self.line else ""
        return f"{self.state}: {where}{self.error}" if self.state == FAILED else self.state

    def call(self, felt: Felt) -> None:
        """Let it run for one period; its answer comes by `answer`."""
        if not self.running or self.busy:
            raise ValueError(f"program {self.name}: cannot be called now")
        self._ask(dataclasses.asdict(felt), PATIENCE)

    def answer(self, wait: float = 0.0) -> Wanted | None:
        """What it asked for in the call, once that is known; None before, and at its end. Waits up to a time (s)."""
        line = self._read_line(wait) if self.busy else None
        if line is None:
            if self._deadline is not None and time.monotonic() > self._deadline + GRACE:
                self._end(FAILED, "did not come back in time, and was ended")
            return None
        self._deadline = None
        said = json.loads(line)
        self.printed += said["printed"]
        if "error" in said:
            self._end(FAILED, said["error"], said["line"])
            return None
        if self.state == LOADING:
            self.state = RUNNING
            return None
        self.calls += 1
        if said["finished"]:
            self._end(FINISHED)
        velocity = said["velocity"]
        joints = {joint: (angle, seconds) for joint, (angle, seconds) in said["joints"].items()}
        return Wanted(joints, None if velocity is None else (velocity[0], velocity[1], velocity[2]))

    def stop(self, error: str = "") -> None:
        """End it, if it has not ended; if an error is given, as failed."""
        if not self.ended:
            self._end(FAILED if error else STOPPED, error)

    def fail(self, error: str) -> None:
        """End it as failed, also if it has just finished: what it asked for last could not be done."""
        if not self.ended:
            self._end(FAILED, error)
        self.state, self.error = FAILED, error

    def _ask(self, message: Mapping[str, Any], patience: float) -> None:
        self._deadline = time.monotonic() + patience
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # it is dead: the answer will say so
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()

    def _read_line(self, wait: float) -> bytes | None:
        end = time.monotonic() + wait
        while b"\n" not in self._buffer:
            ready, _, _ = select.select([self._answers], [], [], max(0.0, end - time.monotonic()))
            if not ready:
                return None
            piece = os.read(self._answers, 65536)
            if not piece:
                self._end(FAILED)
                status = self._process.returncode
                how = f"by {signal.Signals(-status).name}" if status < 0 else f"with status {status}"
                self.error = f"its process died {how}"
                return None
            self._buffer += piece
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line

    def _end(self, state: str, error: str = "", line: int | None = None) -> None:
        self.state, self.error, self.line = state, error, line
        self._deadline = None
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process.wait()
        os.close(self._answers)
