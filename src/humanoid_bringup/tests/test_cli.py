"""The command line."""

from __future__ import annotations

import contextlib
import importlib
import json
import math
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import termios
import threading
import time
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import pytest

from dynamixel_bridge.virtual_bus import serve
from dynamixel_bridge.virtual_line import VirtualLine
from dynamixel_bridge.virtual_robot import virtual_devices
from dynamixel_bridge.virtual_servo import FreeBody
from humanoid_bringup.bench import leg_solvers, simulators
from humanoid_bringup.cli import main
from humanoid_bringup.commands.twin import plugged
from humanoid_bringup.commands.walk import summary
from humanoid_bringup.reproduce import REPRODUCTIONS, servo_step
from humanoid_bringup.trials import Outcome
from humanoid_description import RobotError, load_robot


def test_robots_lists_four_with_dof_height_and_mass(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["robots", "--json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert {name: (row["dof"], row["height_m"], row["mass_kg"]) for name, row in rows.items()} == {
        "fibo_km": (20, 0.53, 3.436),
        "nao": (22, 0.605, 4.6071),
        "ar601m": (12, 1.41, 65.0),
        "ar601m_planar": (6, 1.41, 65.0),
    }
    assert all((Path(row["folder"]) / "robot.yaml").is_file() for row in rows.values())
    assert all(set(row) == {"name", "dof", "height_m", "mass_kg", "folder"} for row in rows.values())


def test_robots_prints_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["robots"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["ROBOT", "DOF", "HEIGHT", "MASS", "WHAT"]
    assert next(line for line in lines if line.startswith("fibo_km")).split()[:6] == [
        "fibo_km",
        "20",
        "0.530",
        "m",
        "3.436",
        "kg",
    ]


def test_robots_takes_names_folders_and_payloads(capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(load_robot("nao").folder)
    assert main(["robots", "fibo_km", folder, "--payload", "torso:0.5:0,0,0", "--json"]) == 0
    assert [row["mass_kg"] for row in json.loads(capsys.readouterr().out)] == [3.936, 5.1071]


@pytest.mark.parametrize("format_", ["urdf", "sdf"])
def test_descriptions_are_the_text_and_nothing_else(format_: str, capsys: pytest.CaptureFixture[str]) -> None:
    payload = "left_forearm:0.2:0,0,-0.03"
    assert main([format_, "fibo_km", "--payload", payload, "--payload", "scenario_f"]) == 0
    captured = capsys.readouterr()
    assert captured.out == getattr(load_robot("fibo_km", [payload, "scenario_f"]), format_)
    assert captured.err == ""
    ET.fromstring(captured.out)
    assert main([format_, "fibo_km", "--payload", payload, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["mass_kg"] == pytest.approx(3.636)
    assert ET.fromstring(answer[format_]) is not None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["urdf", "fibo"], "Did you mean 'fibo_km'?"),
        (["sdf", "fibo_km", "--payload", "torso"], "Write LINK:MASS:X,Y,Z"),
        (["robots", "--payload", "left_hip_1:0.1:0,0,0"], "has no such link"),
        (["walk", "fibo_km", "--gait", "primitives"], "Change --torso-height"),
        (["walk", "ar601m", "--gait", "primitives", "--period", "inf"], "period is inf. Give a finite number"),
        (["walk", "ar601m", "--gait", "primitives", "--lateral", "nan"], "--lateral is of --gait balanced and splines"),
        (["walk", "ar601m", "--gait", "primitives", "--no-balance"], "--no-balance is of --gait balanced"),
        (["walk", "ar601m", "--gait", "primitives", "--dt", "10"], "four samples per step"),
        (["walk", "ar601m", "--gait", "primitives", "--primitives", "1000000000000"], "Ask for fewer"),
        (["walk", "ar601m", "--gait", "primitives", "--torque-share", "nan"], "above zero"),
        (["walk", "ar601m", "--gait", "primitives", "--explicit", "--dt", "1e-3"], "explicit step is good"),
        (["walk", "nao", "--gait", "splines", "--speed", "0"], "Ask for a speed"),
        (["walk", "nao", "--gait", "splines", "--turn", "inf"], "--turn is inf. Give a finite number"),
        (["walk", "nao", "--gait", "splines", "--step", "0.2"], "--step is of --gait primitives, not of splines"),
        (["walk", "nao", "--gait", "splines", "--dt", "nan"], "dt is nan"),
        (["walk", "nao", "--gait", "splines", "--dt", "0"], "dt is 0.0"),
        (["walk", "nao", "--gait", "splines", "--dt", "-0.001"], "dt is -0.001"),
        (["walk", "nao", "--gait", "splines", "--seconds", "99999", "--dt", "1e-5"], "Ask for fewer"),
        (["walk", "ar601m_planar"], "fewer than six joints"),
        (["walk", "fibo_km", "--speed", "3"], "beyond the 0.5"),
        (["walk", "fibo_km", "--speed", "nan"], "--speed is nan. Give a finite number"),
        (["walk", "fibo_km", "--seconds", "0"], "--seconds is 0. Give a number above zero"),
        (["walk", "fibo_km", "--seconds", "1e9"], "at most 100000"),
        (["walk", "fibo_km", "--seeds", "0"], "--seeds is 0. Give 1 or more"),
        (["walk", "fibo_km", "--first-seed", "-1"], "--first-seed is -1. Give 0 or more"),
        (["walk", "fibo_km", "--seconds", "0.02", "--check"], "--seconds is 0.02. A check needs a step"),
        (["walk", "fibo_km", "--dt", "0.01"], "--dt is of --gait splines and primitives, not of balanced"),
        (["tune", "ar601m_planar"], "fewer than six joints"),
        (["tune", "fibo_km", "--trials", "0"], "--trials is 0. Give one or more"),
        (["tune", "fibo_km", "--seeds", "-1"], "--seeds is -1. Give one or more"),
        (["tune", "fibo_km", "--torque-share", "nan"], "--torque-share is nan"),
        (["tune", "fibo_km", "--out", "/"], "--out /: is a folder"),
        (["tune", "fibo_km", "--study", "/no/such/folder/s.log"], "--study /no/such/folder/s.log: there is no folder"),
        (["bench", "push", "--directions", "1000000"], "--directions is 1000000. Give 360 at most"),
        (["walk", "fibo_km", "--torque-share", "-1"], "above zero"),
        (["tune", "fibo_km", "--speed", "9"], "at most 0.5"),
        (["tune", "fibo_km", "--out", "/no/such/folder/gait.yaml"], "Make it first"),
        (["reproduce", "servo_step", "--out", "/dev/null/figures"], "Give a folder that can be made"),
        (["sim", "fibo_km", "--seed", "-1"], "--seed -1: give a whole number, zero or more"),
        (["sim", "a=fibo_km", "a=nao"], "Write another before the '='"),
        (["node", "gait", "fibo_km", "--rate", "0"], "Give 1 to 1000 Hz"),
        (["node", "fall_test", "fibo_km", "--rate", "nan"], "above zero"),
        (["node", "fall_test", "fibo_km", "--protocol", "13"], "protocol"),
        (["launch", "sim", "--robot", ""], "robot is empty"),
        (["doctor", "--seconds", "0"], "above zero"),
        (["doctor", "--port", "/dev/ttyUSB0"], "--port needs --robot"),
        (["launch", "twin", "--robot", "nao"], "no section 'bus'"),
        (["sim", "fibo_km", "--factor", "0"], "--factor 0: give a number above zero, or inf"),
        (["sim", "fibo_km", "--seconds", "nan"], "--seconds nan: give a time above zero"),
        (["sim", "fibo_km", "--obstacle=-1,0,0.1:0.2,0.2,0.2"], "fibo_km starts there"),
        (["twin", "nao"], "no section 'bus'"),
        (["twin", "fibo_km", "--faults", "none.yaml"], "there is no such file"),
        (["twin", "fibo_km", "--seconds", "0"], "--seconds must be above zero"),
        (["twin", "fibo_km", "--ports", "/proc/none"], "Name another folder with --ports"),
        (["twin", "fibo_km", "--eeprom", "/proc/none"], "EEPROM values cannot be kept there"),
        (["bridge", "scan", "/dev/no_port"], "there is no such port. Plug in the adapter"),
        (["bridge", "scan", "/dev/null", "--ids", "7-3"], "Write it as 1-20"),
        (["bridge", "run", "nao", "--port", "/dev/no_port"], "no section 'bus'"),
        (["bridge", "run", "fibo_km", "--port", "/dev/no_port"], "there is no such port"),
        (["bridge", "run", "fibo_km", "--port", "/dev/null", "--rate", "0.001"], "Give 1 to 1000 cycles a second"),
        (["bridge", "run", "fibo_km", "--port", "/dev/null", "--rate", "1e9"], "Give 1 to 1000 cycles a second"),
        (["bridge", "run", "fibo_km", "--port", "/dev/null", "--rate", "nan"], "Give 1 to 1000 cycles a second"),
        (["bridge", "run", "fibo_km", "--port", "/dev/null", "--seconds", "nan"], "must be above zero"),
        (["bridge", "run", "fibo_km", "--port", "/dev/no_port", "--wait", "nan"], "not below zero"),
        (["bridge", "check", "fibo_km", "--port", "arm=/dev/null"], "the buses of fibo_km are body"),
        (["bridge", "configure", "/dev/no_port", "--id", "1"], "there is no such port"),
        (["bridge", "zero", "fibo_km", "--port", "/dev/no_port"], "there is no such port"),
        (["bridge", "test", "left_kne", "fibo_km", "--port", "/dev/no_port"], "Did you mean 'left_knee'"),
        (["bridge", "test", "left_knee", "fibo_km", "--port", "/dev/no_port", "--degrees", "nan"], "at most 60"),
        (
            ["bridge", "test", "left_knee", "fibo_km", "--port", "/dev/no_port", "--seconds", "0.1"],
            "Give --seconds 1.1",
        ),
        (["sweep", "ar601m", "--vary", "stp=0.1:0.2:3"], "Did you mean 'step'"),
        (["sweep", "ar601m", "--vary", "step=0.2:0.1:3"], "LOW below HIGH"),
        (["sweep", "ar601m", "--vary", "step=nan,0.1"], "no range of numbers"),
        (["sweep", "ar601m", "--vary", "step=1,2", "--vary", "lift=1,2", "--vary", "pause=1,2"], "one or two"),
        (["sweep", "ar601m", "--vary", "step=1,2", "--vary", "step=1,2"], "each parameter once"),
        (["sweep", "ar601m", "--vary", "step=1,2", "--png", "/no/such/folder/a.png"], "a folder that is there"),
        (["sweep", "ar601m", "--vary", "step=1,2", "--png", "/dev/null"], "ends in .png"),
        (["sweep", "ar601m", "--vary", "step=5,6", "--jobs", "1"], "no walk was possible"),
        (["sweep", "ar601m", "--vary", "contact.friction=-1,-2", "--jobs", "1"], "from 0 to below 1e+300"),
        (["cluster", "worker", "tcp://127.0.0.1:8786", "--jobs", "0"], "one or more"),
        (["sim", "fibo_km", "--rate", "60"], "Take 58.8235 or 62.5 Hz"),
        (["sim", "fibo_km", "--obstacle", "1,2:3"], "Write X,Y,Z:LX,LY,LZ"),
        (["sim", "fibo_km", "--obstacle", "1,0,1:1,0,nan"], "sizes above zero"),
    ],
)
def test_an_error_is_one_line_with_the_remedy_and_status_1(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("humanoid: ")
    assert captured.err.count("\n") == 1
    assert message in captured.err


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["dance"],
        ["urdf"],
        ["robots", "--jsn"],
        ["bench"],
        ["bench", "sim", "--rounds", "0"],
        ["bench", "sim", "--rounds", "x"],
    ],
)
def test_a_wrong_command_line_is_status_2(arguments: list[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(arguments)


@pytest.mark.parametrize(
    "command",
    [
        "robots",
        "urdf",
        "sdf",
        "doctor",
        "launch",
        "launch fall_test",
        "node",
        "node gait",
        "sim",
        "walk",
        "tune",
        "motion",
        "sweep",
        "cluster",
        "twin",
        "bridge",
        "program",
        "falltest",
        "adapt",
        "bag",
        "report",
        "reproduce",
        "bench",
        "bench sim",
        "bench ik",
        "bench bus",
        "bench push",
        "python",
        "test",
    ],
)
def test_every_command_has_help_with_an_example(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main([*command.split(), "--help"])
    assert f"example:\n  ./humanoid {command}" in capsys.readouterr().out


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_sim_runs_until_it_is_stopped_and_stops_cleanly(how: signal.Signals) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "humanoid_bringup", "sim", "fibo_km"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    assert any("simulating fibo_km; nothing is paused" in line for line in process.stdout)  # it may first compile
    process.send_signal(how)
    rest, _ = process.communicate(timeout=60)
    assert "stopped at " in rest
    assert "Traceback" not in rest
    assert process.returncode == 0


@pytest.mark.parametrize("tool", ["run", "scan", "configure", "zero", "test", "check"])
def test_every_tool_of_the_bridge_has_help_with_an_example(tool: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["bridge", tool, "--help"])
    printed = capsys.readouterr().out
    assert f"example:\n  ./humanoid bridge {tool}" in printed
    assert "--json" in printed


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--id 1 --return-delay nan", "return_delay cannot be nan. Give 0 to 508"),
        ("--id 1 --lower -200", "lower_limit cannot be -200. Give -150 to "),
        ("--id 1 --lower 50 --upper -50 --dry-run", "lower limit would be above its upper one"),
        ("--id 1 --new-id 999 --dry-run", "id cannot be 999. Give 0 to 252"),
        ("--id 1 --new-id 2 --dry-run", "the id 2 is taken"),
        ("--id 999 --new-id 2", "--id 999: is none. Give 0 to 252"),
        ("--id 200 --lower 5", "a CM-730 has no lower_limit"),
        ("--id 1 --restore list.json", "is no backup of a servo"),
        ("--id 1 --restore row.json", "a RX-28 has no warp in its EEPROM"),
    ],
)
def test_a_servo_is_not_configured_to_what_cannot_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("list.json").write_text("[1, 2]")
    Path("row.json").write_text(json.dumps({"model": "RX-28", "eeprom": {"warp": 9}}))
    devices = virtual_devices(load_robot("fibo_km"), FreeBody())["body"]
    before = [device.eeprom for device in devices]
    stopping = threading.Event()
    with plugged({"port": VirtualLine(devices, start=time.monotonic())}, tmp_path / "ports") as buses:
        thread = threading.Thread(target=serve, args=(buses, stopping))
        thread.start()
        try:
            assert main(["bridge", "configure", str(buses[0].link), *words.split()]) == 1
        finally:
            stopping.set()
            thread.join()
    assert message in capsys.readouterr().err
    assert [device.eeprom for device in devices] == before
    assert sorted(file.name for file in tmp_path.iterdir()) == ["list.json", "row.json"]


def test_a_twin_takes_only_away_what_it_made(tmp_path: Path) -> None:
    line = VirtualLine(virtual_devices(load_robot("fibo_km"), FreeBody())["body"])
    with plugged({"port": line}, tmp_path / "new") as buses:
        assert buses[0].link.exists()
        with pytest.raises(RobotError, match="another twin runs there"), plugged({"port": line}, tmp_path / "new"):
            pass
        assert buses[0].link.exists()
    assert not (tmp_path / "new").exists()
    with plugged({"port": line}, tmp_path):
        pass
    assert list(tmp_path.iterdir()) == []


def test_the_tools_of_the_bridge_and_the_doctor_work_on_a_twin(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    command = [
        sys.executable,
        "-m",
        "humanoid_bringup",
        "twin",
        "fibo_km",
        "--json",
        "--eeprom",
        str(tmp_path / "eeprom"),
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    (port,) = json.loads(process.stdout.readline())["ports"]
    try:
        assert main(["bridge", "configure", port, "--id", "1", "--return-delay", "20", "--dry-run", "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["changes"] == {"return_delay": [0, 10]}
        backup = str(tmp_path / "backup.json")
        change = ["bridge", "configure", port, "--id", "1", "--upper", "30", "--lower", "-30", "--backup", backup]
        assert main(change) == 0
        assert "upper_limit: 1023 -> 614" in capsys.readouterr().out
        again = ["--restore", backup, "--backup", str(tmp_path / "second.json")]
        assert main(["bridge", "configure", port, "--id", "1", *again]) == 0
        assert "upper_limit: 614 -> 1023" in capsys.readouterr().out
        assert main(["bridge", "scan", port, "--baud", "1000000", "--protocol", "1", "--ids", "13-13", "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["servos"][0]["model"] == "RX-64"
        slow = ["--return-delay", "100", "--backup", str(tmp_path / "third.json")]
        assert main(["bridge", "configure", port, "--id", "1", *slow]) == 0
        capsys.readouterr()
        assert main(["doctor", "--robot", "fibo_km", "--port", port, "--seconds", "0.5", "--json"]) == 1
        answer = json.loads(capsys.readouterr().out)
        assert not answer["healthy"]
        (servo,) = [row for row in answer["findings"] if row["check"] == "serial" and row["level"] == "broken"]
        assert "id 1 (right_shoulder_pitch): waits 100 us" in servo["what"]
        assert "bridge configure" in servo["remedy"]
        quick = ["--return-delay", "0", "--backup", str(tmp_path / "fourth.json")]
        assert main(["bridge", "configure", port, "--id", "1", *quick]) == 0
        capsys.readouterr()
        robot = shutil.copytree(load_robot("fibo_km").folder, tmp_path / "robot")
        assert main(["bridge", "zero", str(robot), "--port", port, "--write", "--json"]) == 0
        zeros = json.loads(capsys.readouterr().out)["zeros_deg"]
        assert load_robot(robot).parameters.joints["head_yaw"].zero == pytest.approx(math.radians(zeros["head_yaw"]))
    finally:
        process.terminate()
        rest, errors = process.communicate(timeout=60)
    assert process.returncode == 0
    assert json.loads(rest)["fallen"] is False
    assert "stopped; faults: none" in errors
    assert not Path(port).parent.exists()
    assert json.loads((tmp_path / "eeprom").read_text())["body/1"]["return_delay"] == 0


def test_the_doctor_stops_before_a_broken_ros(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RMW_IMPLEMENTATION", "rmw_of_another_ros")
    assert main(["doctor"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[-2:] == [
        "broken   ros: RMW_IMPLEMENTATION is rmw_of_another_ros, which the wheels do not have",
        "         -> Run 'unset RMW_IMPLEMENTATION'.",
    ]


def test_sim_runs_for_a_time_and_tells_the_end() -> None:
    options = ["--seconds", "0.2", "--factor", "2", "--rate", "50", "--obstacle", "2,0,0.1:0.2,0.2,0.2", "--json"]
    command = [sys.executable, "-m", "humanoid_bringup", "sim", "fibo_km", "fibo_km", *options]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    answer = json.loads(result.stdout)
    assert answer["simulated_s"] == pytest.approx(0.2)
    assert answer["real_time_factor"] > 0
    assert [(row["name"], row["fallen"]) for row in answer["robots"]] == [("fibo_km", False), ("fibo_km_2", False)]
    assert answer["robots"][1]["base_position_m"][1] == pytest.approx(1, abs=0.01)


def test_walk_says_what_became_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    row_1 = ["--step", "0.1", "--lift", "0.1", "--torso-height", "0.85", "--period", "0.5", "--pause", "1"]
    assert main(["walk", "ar601m", "--gait", "primitives", *row_1, "--primitives", "2", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["fell"] is False
    assert answer["fall_time_s"] is answer["fall_direction"] is None
    assert answer["distance_m"] == pytest.approx(0.2, abs=0.02)
    assert answer["first_step_ankle_torque_nm"] == pytest.approx(85, abs=6)
    assert {"yaw_drift_rad", "real_time_factor"} < set(answer)
    assert main(["walk", "ar601m", "--gait", "primitives", "--step", "0.2", "--primitives", "3"]) == 0
    assert capsys.readouterr().out.startswith("ar601m fell forward after ")


def test_a_walk_by_splines_goes_where_it_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(["walk", "nao", "--gait", "splines", "--speed", "0.08", "--turn", "0.1", "--seconds", "3", "--json"]) == 0
    )
    answer = json.loads(capsys.readouterr().out)
    assert answer["fell"] is False
    assert answer["distance_m"] == pytest.approx(0.2, abs=0.06)
    assert answer["yaw_drift_rad"] == pytest.approx(0.3, abs=0.1)


def test_reproduce_prints_and_draws(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = tmp_path / "new" / "figures"
    assert main(["reproduce", "servo_step", "--out", str(folder)]) == 0
    text = capsys.readouterr().out
    assert "1400 deg/s^2" in text
    assert f"Figure: {folder / 'servo_step.png'}" in text
    assert text.endswith("servo_step: as agreed\n")
    assert [file.name for file in folder.iterdir()] == ["servo_step.png"]
    assert main(["reproduce", "servo_step", "--json"]) == 0
    captured = capsys.readouterr()
    answer = json.loads(captured.out)
    assert answer["agreed"] is True
    assert {"title", "rows", "assumptions"} < set(answer)
    assert "servo_step: a step of 50 degrees\n" in captured.err


def test_a_figure_that_cannot_be_written_is_told_before_anything_is_computed(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "servo_step.png").mkdir()
    assert main(["reproduce", "servo_step", "--out", str(tmp_path)]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert f"--out: {tmp_path / 'servo_step.png'} cannot be written." in captured.err


def test_reproduce_all_goes_through_the_list(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in set(REPRODUCTIONS) - {"servo_step", "planar"}:
        monkeypatch.delitem(REPRODUCTIONS, name)
    assert main(["reproduce", "all", "--json", "--out", str(tmp_path)]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["agreed"] is True
    assert set(answer) == {"agreed", "servo_step", "planar"}
    assert all(Path(answer[name]["figure"]).is_file() for name in ("servo_step", "planar"))


def test_a_verdict_that_changes_is_status_1(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(servo_step, "limited", lambda robot: robot)  # a servo without the paper's limits
    assert main(["reproduce", "servo_step"]) == 1
    assert capsys.readouterr().out.endswith("servo_step: an agreed verdict has CHANGED\n")


def test_every_reproduction_is_a_module_of_its_own() -> None:
    for name in REPRODUCTIONS:
        assert callable(importlib.import_module(f"humanoid_bringup.reproduce.{name}").reproduce)


def test_bench_sim_gives_a_row_per_engine_and_task(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(simulators, "AT_LEAST", 0.0)
    assert main(["bench", "sim", "--engine", "humanoid", "--engine", "humanoid", "--rounds", "1", "--json"]) == 0
    walk, stand = json.loads(capsys.readouterr().out)["rows"]
    assert {"engine", "contact", "us_per_step", "dt_s", "real_time_factor", "pattern"} < set(walk)
    assert (walk["engine"], walk["dt_s"], walk["pattern"], stand["robot"]) == ("humanoid", 1e-3, "S", "fibo_km")


def test_bench_ik_gives_a_row_per_solver_and_robot(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leg_solvers, "AT_LEAST", 0.0)
    monkeypatch.setattr(leg_solvers, "TARGETS", 20)
    arguments = ["bench", "ik", "--solver", "humanoid", "--rounds", "1"]
    assert main([*arguments, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [row["robot"] for row in rows] == ["ar601m", "fibo_km"]
    assert all({"solver", "solutions_per_s", "max_error_m"} < set(row) for row in rows)
    assert main(arguments) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("humanoid             fibo_km")


def test_bench_sim_goes_on_without_a_peer(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulators, "AT_LEAST", 0.0)
    monkeypatch.setattr(sys, "prefix", sys.base_prefix)  # nothing can be installed there
    monkeypatch.setitem(sys.modules, "pybullet", None)
    monkeypatch.delitem(sys.modules, "humanoid_bringup.bench.bullet", raising=False)
    assert main(["bench", "sim", "--engine", "mujoco", "--engine", "pybullet", "--rounds", "1"]) == 0
    printed = capsys.readouterr()
    assert "Going on with what is there" in printed.err
    lines = {line.split()[0]: line for line in printed.out.splitlines() if line.startswith(("mujoco", "pybullet"))}
    assert "cannot be imported" in lines["pybullet"]
    assert "1.00 x" in lines["mujoco"]


def test_a_reader_that_leaves_is_no_error() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "humanoid_bringup", "urdf", "fibo_km"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    errors = process.stderr.read()
    process.stderr.close()
    assert (process.wait(timeout=60), errors) == (0, b"")


def test_output_that_cannot_be_written_is_an_error() -> None:
    with open("/dev/full", "w") as full:
        result = subprocess.run(
            [sys.executable, "-m", "humanoid_bringup", "urdf", "fibo_km"],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert result.returncode == 1
    assert b"No space left on device" in result.stderr
    assert b"Traceback" not in result.stderr


def test_test_runs_pytest_and_hands_on_its_status(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["test", "-q", "src/humanoid_bringup", "-k", "nothing_has_this_name"]) == 5
    assert "deselected" in capfd.readouterr().out


def test_a_sweep_says_what_walks_say_as_table_json_and_picture(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    png = tmp_path / "sweep.png"
    grid = ["--vary", "step=0.1,0.2,5", "--vary", "torso-height=0.8,0.85"]
    options = ["--primitives", "2", "--png", str(png), "--jobs", "2"]
    assert main(["sweep", "ar601m", *grid, *options, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert [(axis["name"], axis["unit"], len(axis["values"])) for axis in answer["axes"]] == [
        ("step", "m", 3),
        ("torso-height", "m", 2),
    ]
    assert [(cell["step"], cell["torso-height"]) for cell in answer["cells"]] == [
        (step, height) for step in (0.1, 0.2, 5) for height in (0.8, 0.85)
    ]
    cell = answer["cells"][2]
    same = ["--step", "0.2", "--torso-height", "0.8", "--primitives", "2"]
    assert main(["walk", "ar601m", "--gait", "primitives", *same, "--json"]) == 0
    walk = json.loads(capsys.readouterr().out)
    assert {key: cell[key] for key in walk if key != "real_time_factor"} == {
        key: value for key, value in walk.items() if key != "real_time_factor"
    }
    assert ["cannot reach" in (cell["refused"] or "") for cell in answer["cells"]] == [False] * 4 + [True] * 2
    assert png.read_bytes().startswith(b"\x89PNG")
    assert main(["sweep", "ar601m", *grid, *options, "--measure", "distance_m"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split() == ["step", "(m)", "0.8", "0.85"]
    assert float(lines[2].split()[1]) == pytest.approx(answer["cells"][0]["distance_m"], abs=1e-3)
    assert lines[4].split() == ["5", "-", "-"]
    assert "2 of 6 walks were not possible" in lines[-1]


def test_a_sweep_varies_the_contact_of_the_robot(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Sliding with twice the damping makes row 1 of Table 4 fall: the value reaches the contact law."""
    options = ["--png", str(tmp_path / "sweep.png"), "--jobs", "1"]
    assert main(["sweep", "ar601m", "--vary", "contact.tangential_damping=1000,2000", *options]) == 0
    head, *rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert head[-5:] == ["fell", "fall_time_s", "distance_m", "yaw_drift_rad", "first_step_ankle_torque_nm"]
    assert [row[:2] for row in rows] == [["1000", "stands"], ["2000", "falls"]]


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ("step=0.1,2", "cannot reach"),
        ("contact.normal_damping=0,1e300", "contact.normal_damping: is 1e+300. Give"),
        ("contact.normal_stiffness=1e6,1e299", "grew beyond all bounds"),
    ],
)
def test_a_walk_of_a_sweep_that_is_not_possible_is_neither_a_fall_nor_the_end(
    values: str, why: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    png = tmp_path / "sweep.png"
    assert main(["sweep", "ar601m", "--vary", values, "--primitives", "1", "--jobs", "1", "--png", str(png)]) == 0
    _, good, bad, note = capsys.readouterr().out.splitlines()
    assert "stands" in good
    assert set(bad.split()[1:]) == {"-"}
    assert why in note
    assert png.read_bytes().startswith(b"\x89PNG")


def test_a_picture_that_cannot_be_written_does_not_lose_the_table(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "full.png").symlink_to("/dev/full")
    options = ["--primitives", "1", "--jobs", "1", "--png", str(tmp_path / "full.png")]
    assert main(["sweep", "ar601m", "--vary", "step=0.1", *options]) == 1
    captured = capsys.readouterr()
    assert "stands" in captured.out
    assert "full.png cannot be written: No space left on device. Give another file." in captured.err


@pytest.mark.parametrize(("how", "to"), [(signal.SIGINT, os.killpg), (signal.SIGTERM, os.kill)])
@pytest.mark.parametrize(
    ("command", "at_work"),
    [
        ("sweep ar601m --vary step=0.05:0.1:5000", rb"sweep:"),
        ("walk fibo_km --seconds 1 --seeds 5000", rb" [1-9][0-9]*/5000"),
    ],
)
def test_a_command_stops_with_all_its_processes(
    command: str, at_work: bytes, how: signal.Signals, to: Callable[[int, int], None], tmp_path: Path
) -> None:
    """Ctrl-C reaches all processes of a terminal, SIGTERM only the one that was started."""
    terminal, theirs = pty.openpty()
    termios.tcsetwinsize(terminal, (24, 80))  # without a size no bar is drawn
    process = subprocess.Popen(
        [sys.executable, "-m", "humanoid_bringup", *command.split()],
        cwd=tmp_path,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    text = b""
    while not re.search(at_work, text):
        text += os.read(terminal, 4096)
    to(process.pid, how)
    with contextlib.suppress(OSError):  # which a terminal gives when the last process has let go of it
        while True:
            text += os.read(terminal, 4096)
    os.close(terminal)
    assert process.wait(timeout=60) == 130
    assert b"Traceback" not in text


def test_a_balanced_walk_is_told_for_people_and_machines(capsys: pytest.CaptureFixture[str]) -> None:
    walk = ["walk", "fibo_km", "--speed", "0.2", "--seconds", "3"]
    assert main([*walk, "--seeds", "2", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["falls"], answer["seeds"]) == (0, 2)
    assert answer["speed_m_s"] == pytest.approx(0.2, abs=0.05)
    assert {"tracking_error", "yaw_drift_rad", "energy_j_per_m", "zmp_margin_m", "full_drive"} < set(answer)
    assert main([*walk, "--payload", "left_forearm:0.2:0,0,-0.03", "--model-payload", "none", "--no-balance"]) == 0
    assert "fibo_km fell in" in capsys.readouterr().out


def test_a_walk_is_checked_against_the_servos(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["walk", "fibo_km", "--speed", "0.4", "--seconds", "2", "--check"]) == 1
    assert "cannot follow" in capsys.readouterr().out
    assert main(["walk", "nao", "--speed", "0.05", "--seconds", "2", "--check", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["feasible"] is True
    assert answer["zmp_margin_m"]["all_links"]["inside"] == 1.0
    splines = ["walk", "nao", "--gait", "splines", "--speed", "0.08", "--seconds", "1", "--dt", "0.005"]
    assert main([*splines, "--check", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["feasible"] is True
    primitives = ["walk", "ar601m", "--gait", "primitives", "--primitives", "1", "--dt", "0.01"]
    assert main([*primitives, "--check", "--json"]) == 1
    rows = {row["joint"]: row for row in json.loads(capsys.readouterr().out)["joints"]}
    assert rows["right_ankle_pitch"]["torque"] > rows["right_ankle_pitch"]["torque_limit"]  # as the paper concludes


def test_every_axis_of_a_walk_is_compared_with_what_was_told() -> None:
    outcome = Outcome(False, 10.0, (0.18, 0.01, 0.24), 1.8, 0.0, 1.0, 0.01, {})
    for told, errors, worst in (
        ((0.2, 0.0, 0.3), {"forward": 0.1, "sideways": 0.01, "turn": 0.2}, 0.2),
        ((0.2, 0.0, 0.0), {"forward": 0.1, "sideways": 0.01, "turn": 0.24}, 0.1),
        ((0.0, 0.0, -0.24), {"forward": 0.18, "sideways": 0.01, "turn": 2.0}, 2.0),
        ((0.0, 0.0, 0.0), {"forward": 0.18, "sideways": 0.01, "turn": 0.24}, 0.24),
    ):
        answer = summary(told, [outcome])
        assert answer["errors"] == pytest.approx(errors)
        assert answer["tracking_error"] == pytest.approx(worst)
