"""The command line."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import shutil
import signal
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import pytest

from humanoid_bringup.cli import main
from humanoid_bringup.commands import reproduce
from humanoid_description import load_robot


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
        (["walk", "fibo_km"], "Change --torso-height"),
        (["walk", "ar601m", "--period", "inf"], "all must be finite"),
        (["walk", "ar601m", "--dt", "10"], "four samples per step"),
        (["walk", "ar601m", "--primitives", "1000000000000"], "Ask for fewer"),
        (["walk", "ar601m", "--torque-share", "nan"], "above zero"),
        (["walk", "ar601m", "--explicit", "--dt", "1e-3"], "explicit step is good"),
        (["walk", "nao"], "closed form"),
        (["sim", "fibo_km", "--seed", "-1"], "not below zero"),
        (["sim", "fibo_km", "--factor", "0"], "--factor and --seconds must be above zero"),
        (["sweep", "ar601m", "--vary", "stp=0.1:0.2:3"], "Did you mean 'step'"),
        (["sweep", "ar601m", "--vary", "step=0.2:0.1:3"], "LOW below HIGH"),
        (["sweep", "ar601m", "--vary", "step=nan,0.1"], "no range of numbers"),
        (["sweep", "ar601m", "--vary", "step=1,2", "--vary", "lift=1,2", "--vary", "pause=1,2"], "one or two"),
        (["sweep", "ar601m", "--vary", "step=1,2", "--vary", "step=1,2"], "each parameter once"),
        (["sweep", "ar601m", "--vary", "step=1,2", "--png", "/no/such/folder/a.png"], "a folder that is there"),
        (["sweep", "ar601m", "--vary", "step=1,2", "--png", "/dev/null"], "ends in .png"),
        (["sweep", "ar601m", "--vary", "step=5,6", "--jobs", "1"], "no walk was possible"),
        (["sweep", "ar601m", "--vary", "contact.friction=-1,-2", "--jobs", "1"], "nothing below"),
        (["cluster", "worker", "tcp://127.0.0.1:8786", "--jobs", "0"], "one or more"),
        (["sim", "fibo_km", "--rate", "60"], "Take 55.5556 or 62.5 Hz"),
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


@pytest.mark.parametrize("arguments", [[], ["dance"], ["urdf"], ["robots", "--jsn"]])
def test_a_wrong_command_line_is_status_2(arguments: list[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(arguments)


@pytest.mark.parametrize("command", ["robots", "urdf", "sdf", "sim", "walk", "sweep", "cluster", "reproduce", "test"])
def test_every_command_has_help_with_an_example(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main([command, "--help"])
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
    assert main(["walk", "ar601m", "--step", "0.2", "--primitives", "3"]) == 0
    assert capsys.readouterr().out.startswith("ar601m fell forward after ")


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
    assert main(["walk", "ar601m", "--step", "0.2", "--torso-height", "0.8", "--primitives", "2", "--json"]) == 0
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
def test_a_sweep_stops_with_all_its_processes(
    how: signal.Signals, to: Callable[[int, int], None], tmp_path: Path
) -> None:
    """Ctrl-C reaches all processes of a terminal, SIGTERM only the one that was started."""
    terminal, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "humanoid_bringup", "sweep", "ar601m", "--vary", "step=0.05:0.1:5000"],
        cwd=tmp_path,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    text = b""
    while b"sweep:" not in text:
        text += os.read(terminal, 4096)
    to(process.pid, how)
    with contextlib.suppress(OSError):  # which a terminal gives when the last process has let go of it
        while True:
            text += os.read(terminal, 4096)
    os.close(terminal)
    assert process.wait(timeout=60) == 130
    assert b"Traceback" not in text


def test_table_4_comes_out_nine_of_nine_and_the_check_can_fail(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert main(["reproduce", "table4", "--step", "fast", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["pattern"] == answer["paper"] == "SFSFFFFFS"
    assert [row["fall_direction"] for row in answer["rows"]][6:8] == ["left", "left"]
    slippery = shutil.copytree(load_robot("ar601m").folder, tmp_path / "slippery")
    text = (slippery / "robot.yaml").read_text()
    (slippery / "robot.yaml").write_text(text.replace("tangential_damping: [1.0e+3", "tangential_damping: [2.0e+3"))
    monkeypatch.setattr(reproduce, "load_robot", lambda name: load_robot(slippery))
    assert main(["reproduce", "table4", "--step", "fast"]) == 1
    assert "of 9" in capsys.readouterr().out


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
