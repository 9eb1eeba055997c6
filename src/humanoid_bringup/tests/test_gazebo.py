"""Gazebo as a process, with a stand-in for the command `gz`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from humanoid_bringup.cli import main
from humanoid_bringup.gazebo import MISSING, GazeboMissing, environment, find_gazebo, gazebo_process

STAND_IN = Path(__file__).parents[2] / "humanoid_sim" / "tests" / "gz_stand_in.py"
GZ = """#!{python}
import importlib.util, json, pathlib, sys
if "--versions" in sys.argv:
    print("{versions}")
    sys.exit(0)
spec = importlib.util.spec_from_file_location("gz_stand_in", "{stand_in}")
module = importlib.util.module_from_spec(spec)
sys.modules["gz_stand_in"] = module
spec.loader.exec_module(module)
module.install(sys.modules.__setitem__)
server = module.load_world(pathlib.Path(sys.argv[-1]).read_text())
server.run(True, int(sys.argv[sys.argv.index("--iterations") + 1]), False)
robots = server.system.robots
fallen = [name for name in robots.present if robots.shadow.fallen(name)]
mass = float(server.ecm.model.body("left/torso").subtreemass[0])
report = dict(arguments=sys.argv[1:-1], present=robots.present, fallen=fallen, mass=mass)
pathlib.Path("{report}").write_text(json.dumps(report))
server.system.shutdown()
"""


@pytest.fixture
def no_gz(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))


def install_gz(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, versions: str = "8.9.0") -> Path:
    """A command `gz` that runs a world in the stand-in; returns the file of its report."""
    report = tmp_path / "report.json"
    script = tmp_path / "bin" / "gz"
    script.parent.mkdir()
    # Gazebo's Python is not ours: it finds nothing of the suite by itself.
    python = Path(sys.base_prefix) / "bin" / f"python3.{sys.version_info.minor}"
    script.write_text(GZ.format(python=python, versions=versions, stand_in=STAND_IN, report=report))
    script.chmod(0o755)
    monkeypatch.setenv("PATH", str(script.parent), prepend=os.pathsep)
    return report


@pytest.mark.usefixtures("no_gz")
def test_where_it_is_missing_the_hint_and_a_status_of_its_own_come(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(GazeboMissing, match="sudo apt install ros-jazzy-ros-gz"):
        find_gazebo()
    assert main(["sim", "fibo_km", "--engine", "gazebo", "--headless"]) == MISSING == 3
    assert "Gazebo is not installed" in capsys.readouterr().err


def test_another_gazebo_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install_gz(tmp_path, monkeypatch, versions="7.5.0")
    with pytest.raises(GazeboMissing, match=r"versions: 7\. This needs 8 to 10"):
        find_gazebo()


def test_gazebos_own_python_finds_the_suite() -> None:
    python = Path(sys.base_prefix) / "bin" / f"python3.{sys.version_info.minor}"
    program = "import humanoid_sim.gz_system, mujoco, numba, rclpy"
    subprocess.run([python, "-c", program], env=environment(), check=True)


def test_what_the_user_has_set_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GZ_IP", "10.0.0.1")
    monkeypatch.setenv("PYTHONPATH", "/mine")
    monkeypatch.setenv("HUMANOID_PYTHONPATH", "/where_gazebo_is")
    monkeypatch.setenv("GZ_SIM_RESOURCE_PATH", "/my_models")
    found = environment()
    assert found["GZ_IP"] == "10.0.0.1"
    assert found["PYTHONPATH"].split(os.pathsep)[-2:] == ["/mine", "/where_gazebo_is"]
    assert found["GZ_SIM_RESOURCE_PATH"].split(os.pathsep)[-1] == "/my_models"


def test_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install_gz(tmp_path, monkeypatch)
    world = tmp_path / "world.sdf"
    assert gazebo_process(world, headless=False).command[1:] == ("sim", "-v", "2", "-r", str(world))
    command = gazebo_process(world, headless=True, steps=7).command
    assert command[1:] == ("sim", "-v", "2", "-r", "-s", "--iterations", "7", str(world))


def test_the_simulator_runs_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    report = install_gz(tmp_path, monkeypatch)
    arguments = ["sim", "left=fibo_km", "--engine", "gazebo", "--headless", "--world", "obstacles"]
    assert main([*arguments, "--payload", "torso:0.5:0,0,0.1", "--seconds", "0.3", "--json"]) == 0
    told = json.loads(report.read_text())
    assert told["arguments"] == ["sim", "-v", "2", "-r", "-s", "--iterations", "300"]
    assert told["present"] == ["left"]
    assert told["fallen"] == []
    assert told["mass"] == pytest.approx(3.436 + 0.5, abs=1e-3)
    printed = capfd.readouterr()
    answer = json.loads(printed.out.splitlines()[-1])
    assert (answer["engine"], answer["simulated_s"]) == ("gazebo", 0.3)
    assert answer["real_time_factor"] > 0
    (left,) = answer["robots"]
    assert (left["name"], left["fallen"]) == ("left", False)
    assert left["base_position_m"] == pytest.approx([-1.0, 0.0, 0.28], abs=0.01)
    assert "left: contact and servos are ours" in printed.err


@pytest.mark.parametrize(
    ("status", "told"),
    [
        (5, "Gazebo ended with status 5"),
        (0, "the suite did not run in Gazebo"),  # it goes on without a system whose modules it does not find
    ],
)
def test_a_gazebo_without_the_suite_is_no_success(
    status: int, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "gz"
    script.write_text(f"#!/bin/sh\ncase $2 in --versions) echo 8.14.0 ;; *) exit {status} ;; esac\n")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    assert main(["sim", "fibo_km", "--engine", "gazebo", "--json"]) == 1
    printed = capfd.readouterr()
    assert printed.out == ""
    assert told in printed.err


def test_what_cannot_be_had_together_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sim", "fibo_km", "--engine", "gazebo", "--walk"]) == 1
    assert "./humanoid launch sim --engine gazebo" in capsys.readouterr().err
    assert main(["sim", "fibo_km", "--engine", "gazebo", "--real", "fibo_km"]) == 1
    assert "--real is not for Gazebo" in capsys.readouterr().err
    assert main(["sim", "fibo_km", "--headless", "--seconds", "0.1"]) == 1
    assert "--headless is for --engine gazebo" in capsys.readouterr().err
