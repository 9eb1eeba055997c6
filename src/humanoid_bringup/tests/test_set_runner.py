"""Sets of programs as processes."""

from __future__ import annotations

import io
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from humanoid_bringup.cli import without_ros_arguments
from humanoid_bringup.node_set import Program
from humanoid_bringup.set_runner import SetRunner, ros_arguments

VALUES = {"use_sim_time": "true", "log_level": "warn"}
# A command that never ends by itself, and that loads nothing of ROS.
ENDLESS = Program("endless", ("bridge", "run", "fibo_km", "--port", "/no/such/port", "--wait", "1000"))
SHORT = Program("short", ("robots", "fibo_km"))
BROKEN = Program("broken", ("urdf", "no_such_robot"))


def onlooker(program: Program) -> Program:
    return Program(program.name, program.arguments, essential=False)


def run(*programs: Program) -> tuple[int, dict[str, int | None], str]:
    out = io.StringIO()
    runner = SetRunner(programs, VALUES, out)
    status = runner.run()
    return status, runner.statuses(), out.getvalue()


def test_it_shows_what_programs_say_under_their_names_and_ends_with_them() -> None:
    status, statuses, text = run(SHORT)
    assert (status, statuses) == (0, {"short": 0})
    assert any(line.startswith("[short] fibo_km ") for line in text.splitlines())
    assert "[short] has ended; stopping the others" in text


def test_when_an_essential_program_dies_the_others_are_stopped() -> None:
    status, statuses, text = run(ENDLESS, BROKEN)
    assert (status, statuses) == (1, {"endless": 0, "broken": 1})
    assert "[broken] humanoid: robot 'no_such_robot'" in text
    assert "[broken] died (status 1); its last lines above say why; stopping the others" in text


def test_when_an_onlooker_dies_the_others_go_on() -> None:
    status, statuses, text = run(onlooker(BROKEN), SHORT)
    assert (status, statuses) == (1, {"broken": 1, "short": 0})
    assert "[broken] died (status 1); its last lines above say why; the others go on" in text


def test_it_ends_when_all_onlookers_have() -> None:
    assert run(onlooker(SHORT))[0] == 0


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_stops_the_set_and_nothing_is_left(how: signal.Signals) -> None:
    script = f"import sys; from humanoid_bringup.set_runner import *; sys.exit(SetRunner([{ENDLESS}], {VALUES}).run())"
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert any("waiting for /no/such/port" in line for line in process.stdout)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    assert len(children) == 1
    process.send_signal(how)
    rest, _ = process.communicate()
    assert rest == "[humanoid] all programs have ended\n"
    assert process.returncode == 0
    assert not Path(f"/proc/{children[0]}").exists()


def test_programs_are_told_clock_log_level_and_other_names() -> None:
    program = Program("ghost", ("sim", "fibo_km"), (("/clock", "/ghost/clock"),))
    words = ros_arguments(program, VALUES)
    assert words == ["--ros-args", "-p", "use_sim_time:=true", "--log-level", "warn", "-r", "/clock:=/ghost/clock"]
    assert without_ros_arguments(["sim", *words]) == ["sim"]
    assert without_ros_arguments(["sim", *words, "--", "nao"]) == ["sim", "nao"]
