"""A user's program in its process: what it gets, what it can ask for, and every way in which it can go wrong."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from humanoid_bringup import program as program_module
from humanoid_bringup.program import FAILED, FINISHED, MOST_TEXT, RUNNING, STOPPED, Felt, Program, Wanted, read_program
from humanoid_description import RobotError

PATIENCE = 60.0  # s
FELT = Felt(
    time=1.5,
    angle={"knee": 0.25, "hip": -0.5},
    speed={"knee": 0.0, "hip": 1.0},
    torque={"knee": 2.0, "hip": 0.0},
    turning=(0.1, 0.2, 0.3),
    acceleration=(0.0, 0.0, 9.81),
    gait="ready",
)


def settled(program: Program) -> Wanted | None:
    """Its answer, or None at its end."""
    end = time.monotonic() + PATIENCE
    wanted = None
    while program.busy:
        assert time.monotonic() < end
        wanted = program.answer(wait=1.0)
    return wanted


def called(text: str, calls: int = 1) -> tuple[Program, Wanted | None]:
    """A program that was loaded and called, and its last answer."""
    program = Program(text)
    wanted = settled(program)
    for _ in range(calls):
        if program.running:
            program.call(FELT)
            wanted = settled(program)
    return program, wanted


def test_it_feels_commands_walks_prints_and_remembers() -> None:
    program, wanted = called(
        "count = 0\n"
        "def control(robot):\n"
        "    global count\n"
        "    count += 1\n"
        "    print(count, robot.time, robot.gait, robot.turning[2], robot.acceleration[2])\n"
        "    robot.command({'knee': robot.angle['knee'] + robot.speed['hip'] + robot.torque['knee']}, seconds=0.5)\n"
        "    robot.walk(0.1, turn=-0.2)\n",
        calls=2,
    )
    assert wanted == Wanted({"knee": (3.25, 0.5)}, (0.1, 0.0, -0.2))
    assert program.printed == "1 1.5 ready 0.3 9.81\n2 1.5 ready 0.3 9.81\n"
    assert (program.state, program.calls) == (RUNNING, 2)
    program.stop()
    assert program.told == STOPPED
    program.stop("too late")
    assert program.told == STOPPED


def test_it_is_not_taken_to_ask_again_for_what_it_asked_for_before() -> None:
    text = "once = [0.1]\ndef control(robot):\n    if once:\n        robot.walk(once.pop())\n"
    program, wanted = called(text, calls=2)
    assert wanted == Wanted({}, None)
    program.stop()


def test_it_finishes_with_its_last_wish() -> None:
    program, wanted = called("def control(robot):\n    robot.command({'hip': 0.1})\n    robot.finish()\n", calls=3)
    assert wanted == Wanted({"hip": (0.1, 0.0)}, None)
    assert (program.state, program.calls, program.told) == (FINISHED, 1, "finished")


@pytest.mark.parametrize(
    ("text", "line", "error"),
    [
        ("def control(robot):\n    x = (\n", 2, "SyntaxError: '(' was never closed"),
        ("import humanoid_nowhere\n", 1, "ModuleNotFoundError: No module named 'humanoid_nowhere'"),
        ("x = 1\n", None, "there is no function control(robot)"),
        ("control = 3\n", None, "there is no function control(robot)"),
        ("def control(robot):\n    return 1 / 0\n", 2, "ZeroDivisionError: division by zero"),
        ("def f(x):\n    return x[0]\n\ndef control(robot):\n    f(None)\n", 2, "TypeError: "),
        ("x = 1\ndef control(robot):\n    return 7\n", 2, "control returned 7. Return nothing"),
        (
            "def control(robot):\n    robot.command({'elbow': 0})\n",
            2,
            "joint 'elbow' does not exist. Known: hip, knee.",
        ),
        ("def control(robot):\n    robot.command({'hip': float('nan')})\n", 2, "angle of hip is nan"),
        ("def control(robot):\n    robot.command({'hip': '1'})\n", 2, "angle of hip is '1'"),
        ("def control(robot):\n    robot.command({'hip': None})\n", 2, "TypeError"),
        ("def control(robot):\n    robot.command({'hip': 0}, seconds=-1)\n", 2, "seconds is -1"),
        ("def control(robot):\n    robot.walk(float('inf'))\n", 2, "forward is inf"),
        ("def control(robot):\n    robot.fly()\n", 2, "AttributeError"),
        ("def control():\n    pass\n", 1, "TypeError: control() takes 0 positional arguments"),
        ("import sys\ndef control(robot):\n    sys.exit(0)\n", 3, "the program ended itself"),
        ("def control(robot):\n    raise KeyboardInterrupt\n", 2, "KeyboardInterrupt"),
        ("def control(robot):\n    input()\n", 2, "EOFError"),
        ("def control(robot):\n    control(robot)\n", 2, "RecursionError"),
        ("import os\ndef control(robot):\n    os._exit(3)\n", None, "its process died with status 3"),
        ("import os\ndef control(robot):\n    os.kill(os.getpid(), 11)\n", None, "its process died by SIGSEGV"),
        ("import time\ndef control(robot):\n    time.sleep(100)\n", 3, "did not come back in time. Do a little"),
        ("def control(robot):\n    while True:\n        pass\n", None, "did not come back in time. Do a little"),
    ],
)
def test_what_goes_wrong_ends_it_and_names_the_line(text: str, line: int | None, error: str) -> None:
    program, wanted = called(text)
    assert wanted is None
    assert program.state == FAILED
    assert error in program.error
    if line is not None:
        assert program.line == line
        assert program.told.startswith(f"failed: line {line}: ")


def test_what_cannot_be_interrupted_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program_module, "PATIENCE", 0.1)
    monkeypatch.setattr(program_module, "GRACE", 0.1)
    text = "import signal\ndef control(robot):\n    signal.pthread_sigmask(0, [14])\n    while True:\n        pass\n"
    program, _ = called(text)
    assert program.told == "failed: did not come back in time, and was ended"


def test_what_it_started_ends_with_it(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    program, _ = called(
        "import subprocess, pathlib\n"
        "def control(robot):\n"
        "    child = subprocess.Popen(['sleep', '1000'])\n"
        f"    pathlib.Path({str(note)!r}).write_text(str(child.pid))\n"
    )
    assert program.running
    program.stop()
    status = Path(f"/proc/{note.read_text()}/stat")
    end = time.monotonic() + PATIENCE
    while status.exists() and status.read_text().split()[2] != "Z":  # until init has taken note
        assert time.monotonic() < end
        time.sleep(0.01)


def test_it_imports_from_its_folder(tmp_path: Path) -> None:
    (tmp_path / "beside.py").write_text("ANGLE = 0.75\n")
    file = tmp_path / "mine.py"
    file.write_text("from beside import ANGLE\ndef control(robot):\n    robot.command({'hip': ANGLE})\n")
    program = Program(read_program(file), file.name, tmp_path)
    settled(program)
    program.call(FELT)
    assert settled(program) == Wanted({"hip": (0.75, 0.0)}, None)
    program.stop()


def test_it_leaves_no_open_file_behind() -> None:
    before = len(os.listdir("/proc/self/fd"))
    called("def control(robot):\n    robot.finish()\n")
    called("x\n")
    assert len(os.listdir("/proc/self/fd")) == before


def test_what_is_no_program_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RobotError, match=r"nowhere\.py: cannot be read"):
        read_program(tmp_path / "nowhere.py")
    (tmp_path / "image.py").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(RobotError, match="Name a file of Python text"):
        read_program(tmp_path / "image.py")
    with pytest.raises(RobotError, match="Give at most"):
        Program(" " * (MOST_TEXT + 1))
