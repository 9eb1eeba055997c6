"""Runs a set of programs as child processes: shows what they say under their names, and stops all of them together."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from types import FrameType
from typing import TextIO

from humanoid_bringup.node_set import Program, Values

POLL = 0.1
"""s between looks at the processes."""
PATIENCE = (10.0, 5.0, 5.0)
"""s that a process has to end after SIGINT, SIGTERM and SIGKILL."""
PR_SET_PDEATHSIG = 1
PATIENT = 19
"""Niceness of programs that give way to the others."""
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def ros_arguments(program: Program, values: Values) -> list[str]:
    """What rclpy is told: clock, log level and other names."""
    words = ["--ros-args", "-p", f"use_sim_time:={values['use_sim_time']}", "--log-level", values["log_level"]]
    return words + [word for old, new in program.remappings for word in ("-r", f"{old}:={new}")]


class SetRunner:
    """The processes of a set."""

    def __init__(self, programs: Sequence[Program], values: Values, out: TextIO) -> None:
        """Prepare a set.

        Args:
            programs: What runs.
            values: Of the arguments `use_sim_time` and `log_level`.
            out: Where the programs' lines go.
        """
        self._programs = {program.name: program for program in programs}
        self._values = values
        self._out = out
        self._lock = threading.Lock()
        self._processes: dict[str, subprocess.Popen[str]] = {}
        self._readers: list[threading.Thread] = []
        self._asked = threading.Event()
        self._told: set[str] = set()
        self._stopped: set[str] = set()

    def run(self) -> int:
        """Run until asked to stop, until an essential program ends, or until all have ended; returns the exit status.

        It is 0 unless a program failed. Call it from the main thread, as it takes signals.
        """
        before = {number: signal.signal(number, self._on_signal) for number in STOP_SIGNALS}
        try:
            for program in self._programs.values():
                self._start(program)
            for reader in self._readers:  # only now: a process must not be forked off one that has threads
                reader.start()
            while not self._asked.wait(POLL) and not self._over():
                pass
        finally:
            self._stop()
            for number, handler in before.items():
                signal.signal(number, handler)
        return 1 if any(self.statuses().values()) else 0

    def statuses(self) -> dict[str, int | None]:
        """Exit status of each program that was started; None while it runs, 0 if it ended as it was asked to."""
        return {name: self._status(name) for name in self._processes}

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self._asked.set()

    def _status(self, name: str) -> int | None:
        status = self._processes[name].poll()
        # A program that ends on the signal that we sent has done what it should.
        return 0 if name in self._stopped and status in (-signal.SIGINT, 128 + signal.SIGINT) else status

    def _start(self, program: Program) -> None:
        self._say(program.name, f"starting: humanoid {shlex.join(program.arguments)}")
        command = [sys.executable, "-P", "-m", "humanoid_bringup", *program.arguments]
        process = subprocess.Popen(
            command + ros_arguments(program, self._values),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
            start_new_session=True,  # a Ctrl-C in the terminal reaches us alone, and each program once
            preexec_fn=functools.partial(_begin, program.patient),
        )
        self._processes[program.name] = process
        self._readers.append(threading.Thread(target=self._read, args=(program.name, process), daemon=True))

    def _read(self, name: str, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        with process.stdout as lines:
            for line in lines:
                self._say(name, line.rstrip())

    def _say(self, name: str, text: str) -> None:
        with self._lock:
            try:
                print(f"[{name}] {text}", file=self._out, flush=True)
            except BrokenPipeError:  # the reader of our output, such as `head`, has gone: nobody looks on any more
                os.dup2(os.open(os.devnull, os.O_WRONLY), self._out.fileno())
                self._asked.set()

    def _over(self) -> bool:
        """Whether the set has nothing left to do; tells of every program that has ended."""
        over = False
        for name, process in self._processes.items():
            status = process.poll()
            if status is None or name in self._told:
                continue
            self._told.add(name)
            essential = self._programs[name].essential
            how = "has ended" if status == 0 else f"died ({_cause(status)}); its last lines above say why"
            self._say(name, how + ("; stopping the others" if essential else "; the others go on"))
            over = over or essential
        return over or all(process.poll() is not None for process in self._processes.values())

    def _stop(self) -> None:
        """End what still runs, gently first."""
        running = {name: process for name, process in self._processes.items() if process.poll() is None}
        self._stopped = set(running)
        for number, patience in zip((signal.SIGINT, signal.SIGTERM, signal.SIGKILL), PATIENCE, strict=True):
            for name, process in running.items():
                if number == signal.SIGKILL:
                    self._say(name, "does not end; killing it")
                _signal_group(process, number)
            end = time.monotonic() + patience
            running = {name: process for name, process in running.items() if not _ended(process, end)}
        for process in self._processes.values():
            _signal_group(process, signal.SIGKILL)  # what a program started and left behind
        for reader in self._readers:
            if reader.is_alive():
                reader.join()
        self._say("humanoid", "all programs have ended")


def _begin(patient: bool) -> None:
    """In a new process: ask Linux to stop it should we be killed, and to serve it last if it is patient.

    SIGINT waits until the program takes it: while Python itself is starting it would be a fatal error.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    if patient:
        os.nice(PATIENT)
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, int(signal.SIGINT))


def _signal_group(process: subprocess.Popen[str], number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, number)


def _ended(process: subprocess.Popen[str], end: float) -> bool:
    """Whether it ends before a time (monotonic s)."""
    try:
        process.wait(max(0.0, end - time.monotonic()))
    except subprocess.TimeoutExpired:
        return False
    return True


def _cause(status: int) -> str:
    return f"signal {signal.Signals(-status).name}" if status < 0 else f"status {status}"
