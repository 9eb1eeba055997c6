"""The process in which a user's program runs, and the robot as the program sees it.

Only the standard library is imported, so that it starts quickly. It reads lines of JSON from its input (first the
program, then what the robot feels, one line per call) and answers each with one line; program.py is the other end.
"""

from __future__ import annotations

import io
import json
import math
import os
import signal
import sys
import traceback
from collections.abc import Callable, Mapping
from types import FrameType
from typing import Any

MOST_PRINTED = 10_000
"""Characters that a program may print in one call; what is beyond them is dropped."""


class TookTooLong(BaseException):
    """A call did not come back in time; no Exception, so that a program does not catch it by accident."""


class ProgramRobot:
    """What `control(robot)` is given: what the robot feels, and what it can be told. SI units and radians."""

    def __init__(self) -> None:
        self.time = 0.0
        """Since the first call, s, as the robot counts it."""
        self.angle: dict[str, float] = {}
        """By joint, rad."""
        self.speed: dict[str, float] = {}
        """By joint, rad/s."""
        self.torque: dict[str, float] = {}
        """By joint, N m."""
        self.turning = (0.0, 0.0, 0.0)
        """Turning rate in the axes of the IMU, rad/s."""
        self.acceleration = (0.0, 0.0, 0.0)
        """Felt by the IMU in its axes, m/s^2; at rest it points up."""
        self.gait = ""
        """What the gait node says: 'off', 'rising', 'ready', 'getting up' or 'fallen'; empty if none is there."""
        self._joints: dict[str, tuple[float, float]] = {}
        self._velocity: tuple[float, float, float] | None = None
        self._finished = False

    def command(self, angles: Mapping[str, float], seconds: float = 0.0) -> None:
        """Send joints to angles (rad by joint), at once or within a time (s); the others keep what they do."""
        for joint, angle in angles.items():
            if joint not in self.angle:
                raise ValueError(f"joint '{joint}' does not exist. Known: {', '.join(sorted(self.angle))}.")
            self._joints[joint] = (_finite(f"angle of {joint}", angle), _finite("seconds", seconds))
        if seconds < 0:
            raise ValueError(f"seconds is {seconds}. Give 0 or more.")

    def walk(self, forward: float = 0.0, sideways: float = 0.0, turn: float = 0.0) -> None:
        """Walk with this velocity (m/s, m/s to the left, rad/s to the left) until told another; zero stops."""
        self._velocity = (_finite("forward", forward), _finite("sideways", sideways), _finite("turn", turn))

    def finish(self) -> None:
        """End the program after this call; the robot stops and holds."""
        self._finished = True

    def feel(self, felt: Mapping[str, Any]) -> None:
        """Take what the robot feels now; before each call."""
        vars(self).update(felt)

    def take_wanted(self) -> dict[str, Any]:
        """What the program asked for in this call."""
        wanted = {"joints": self._joints, "velocity": self._velocity, "finished": self._finished}
        self._joints, self._velocity = {}, None
        return wanted


def _finite(name: str, value: float) -> float:
    if isinstance(value, str) or not math.isfinite(value):
        raise ValueError(f"{name} is {value!r}. Give a finite number.")
    return float(value)


def load(text: str, name: str) -> Callable[[ProgramRobot], object]:
    """The function `control` of a program's text."""
    module: dict[str, Any] = {"__name__": "program", "__file__": name}
    exec(compile(text, name, "exec"), module)
    control: Callable[[ProgramRobot], object] | None = module.get("control")
    if not callable(control):
        raise ValueError("there is no function control(robot). Define it: it is called in every period.")
    return control


def call(control: Callable[[ProgramRobot], object], robot: ProgramRobot) -> dict[str, Any]:
    """Call a program once; what it asked for."""
    returned = control(robot)
    if returned is not None:
        raise TypeError(
            f"control returned {returned!r:.80}. Return nothing; use robot.command, robot.walk or robot.finish."
        )
    return robot.take_wanted()


def failure(error: BaseException, name: str, control: Callable[[ProgramRobot], object] | None) -> dict[str, Any]:
    """What went wrong, and in which line of the program; null if in none."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == name]
    if isinstance(error, SyntaxError) and error.filename == name:
        lines.append(error.lineno)
    if not lines and control is not None:  # what it returned was wrong
        lines.append(getattr(getattr(control, "__code__", None), "co_firstlineno", None))
    kind = "" if isinstance(error, TookTooLong | SystemExit) else f"{type(error).__name__}: "
    text = "the program ended itself. Call robot.finish()." if isinstance(error, SystemExit) else str(error)
    return {"error": kind + text, "line": lines[-1] if lines else None}


def main() -> None:
    """Serve one program; the arguments are the file descriptor for answers and the patience with a call (s)."""
    answers = os.fdopen(int(sys.argv[1]), "w", buffering=1)
    patience = float(sys.argv[2])
    questions = os.fdopen(os.dup(sys.stdin.fileno()), "r")
    sys.stdin = io.StringIO()  # what is said there is not for the program
    signal.signal(signal.SIGALRM, _too_long)
    task = json.loads(questions.readline())
    name = task["name"]
    if task["folder"]:
        sys.path.insert(0, task["folder"])
    robot = ProgramRobot()
    control: Callable[[ProgramRobot], object] | None = None
    while True:
        printed = io.StringIO()
        sys.stdout = sys.stderr = printed
        answer: dict[str, Any] = {}
        try:
            # Again and again: a program might catch the first.
            signal.setitimer(signal.ITIMER_REAL, patience if control else task["patience"], patience)
            if control is None:
                control = load(task["text"], name)
            else:
                answer = call(control, robot)
        except BaseException as error:
            answer = failure(error, name, control)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        print(json.dumps({**answer, "printed": printed.getvalue()[:MOST_PRINTED]}), file=answers)
        line = questions.readline()
        if "error" in answer or not line:
            return
        robot.feel(json.loads(line))


def _too_long(_: int, __: FrameType | None) -> None:
    raise TookTooLong("did not come back in time. Do a little in each call, and return.")


if __name__ == "__main__":
    main()
