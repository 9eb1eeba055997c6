"""Sets of programs as processes."""

from __future__ import annotations

import io
import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from humanoid_bringup.cli import without_ros_arguments
from humanoid_bringup.node_set import Program
from humanoid_bringup.set_runner import PATIENT, SetRunner, ros_arguments

PATIENCE = 60.0  # s
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


def test_a_patient_program_gives_way(tmp_path: Path) -> None:
    file = tmp_path / "niceness.py"
    file.write_text("import os\nprint(f'niceness {os.nice(0)}')\n")
    usual = os.nice(0)
    for patient in (False, True):
        _, _, text = run(Program("one", ("python", str(file)), patient=patient))
        assert f"niceness {min(19, usual + PATIENT * patient)}" in text  # 19 is the most there is


def test_when_an_essential_program_dies_the_others_are_stopped() -> None:
    status, statuses, text = run(ENDLESS, BROKEN)
    assert (status, statuses) == (1, {"endless": 0, "broken": 1})
    assert "[broken] humanoid: robot 'no_such_robot'" in text
    assert "[broken] died (status 1); its last lines above say why; stopping the others" in text


def test_a_program_that_is_stopped_while_python_starts_ends_well() -> None:
    for _ in range(5):
        runner = SetRunner([ENDLESS], VALUES, io.StringIO())
        runner._on_signal(signal.SIGINT, None)
        assert runner.run() == 0
        assert runner.statuses() == {"endless": 0}


def test_when_an_onlooker_dies_the_others_go_on() -> None:
    status, statuses, text = run(onlooker(BROKEN), SHORT)
    assert (status, statuses) == (1, {"broken": 1, "short": 0})
    assert "[broken] died (status 1); its last lines above say why; the others go on" in text


def test_it_ends_when_all_onlookers_have() -> None:
    assert run(onlooker(SHORT))[0] == 0


def started_set(*programs: Program) -> tuple[subprocess.Popen[str], list[str]]:
    """A process that runs an endless set, and the ids of its programs."""
    script = (
        f"import sys\nfrom humanoid_bringup.set_runner import *\nrunner = SetRunner({programs}, {VALUES}, sys.stdout)"
    )
    script += "\nsys.exit(runner.run())"
    command = [sys.executable, "-c", script]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    for _ in programs:
        assert any("waiting for /no/such/port" in line for line in process.stdout)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    assert len(children) == len(programs)
    return process, children


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_stops_the_set_and_nothing_is_left(how: signal.Signals) -> None:
    process, children = started_set(ENDLESS)
    process.send_signal(how)
    rest, _ = process.communicate()
    assert rest == "[humanoid] all programs have ended\n"
    assert process.returncode == 0
    assert not Path(f"/proc/{children[0]}").exists()


def test_a_reader_that_leaves_ends_the_set() -> None:
    process, children = started_set(ENDLESS, Program("onlooker", ENDLESS.arguments, essential=False))
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    os.kill(int(children[1]), signal.SIGTERM)  # the runner wants to tell of it, and cannot
    assert "Traceback" not in process.stderr.read()
    process.stderr.close()
    assert process.wait() == 1
    assert not Path(f"/proc/{children[0]}").exists()


def test_programs_end_with_a_runner_that_is_killed() -> None:
    process, children = started_set(ENDLESS)
    program = os.pidfd_open(int(children[0]))
    process.kill()
    process.communicate()
    ended, _, _ = select.select([program], [], [], PATIENCE)
    os.close(program)
    assert ended


def test_programs_are_told_clock_log_level_and_other_names() -> None:
    program = Program("ghost", ("sim", "fibo_km"), (("/clock", "/ghost/clock"),))
    words = ros_arguments(program, VALUES)
    assert words == ["--ros-args", "-p", "use_sim_time:=true", "--log-level", "warn", "-r", "/clock:=/ghost/clock"]
    assert without_ros_arguments(["sim", *words]) == ["sim"]
    assert without_ros_arguments(["sim", *words, "--", "nao"]) == ["sim", "nao"]
