"""The command line."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import xml.etree.ElementTree as ET
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
        (["walk", "nao", "--torso-height", "0.4"], "nao cannot reach these steps"),
        (["sim", "fibo_km", "--seed", "-1"], "not below zero"),
        (["sim", "fibo_km", "--factor", "0"], "--factor and --seconds must be above zero"),
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


@pytest.mark.parametrize("command", ["robots", "urdf", "sdf", "sim", "walk", "reproduce", "test"])
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


def test_sim_runs_for_a_time() -> None:
    command = [
        sys.executable,
        "-m",
        "humanoid_bringup",
        "sim",
        "fibo_km",
        "fibo_km",
        "--seconds",
        "0.2",
        "--factor",
        "2",
    ]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert "fibo_km, fibo_km_2" in result.stderr + result.stdout


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
