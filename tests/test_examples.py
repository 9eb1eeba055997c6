"""The examples, run as their first lines say."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from humanoid_adapt.bag import TYPES, BagWriter, encode
from humanoid_description import load_robot

EXAMPLES = Path(__file__).parents[1] / "examples"


def humanoid(*arguments: str) -> str:
    """Output of a command."""
    command = [sys.executable, "-m", "humanoid_bringup", *arguments]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout


def program_in_simulator(name: str, *options: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """How a program ended beside a simulator that is as fast as it can be, and how its robot did."""
    command = [sys.executable, "-m", "humanoid_bringup", "sim", "fibo_km", "--factor", "20", "--json", *options]
    simulator = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        ended = json.loads(humanoid("program", str(EXAMPLES / name), "--rate", "100", "--json"))
    finally:
        simulator.terminate()
        output, _ = simulator.communicate()
    return ended, json.loads(output)["robots"][0]


def test_every_example_has_its_test_and_says_how_to_run_it() -> None:
    tests = Path(__file__).read_text()
    for file in EXAMPLES.glob("*.py"):
        assert f'"{file.name}"' in tests
        assert 20 <= len(file.read_text().splitlines()) <= 30
        assert re.search(rf"\./humanoid (python|program) examples/{file.name}", file.read_text())


def test_walk_a_square() -> None:
    ended, robot = program_in_simulator("walk_a_square.py", "--walk")
    assert ended["state"] == "finished", ended
    assert not robot["fallen"]
    x, y, _ = robot["base_position_m"]
    assert np.hypot(x + 1.0, y) < 0.3  # a corner from where it began; it feels no turn about the vertical


def test_own_controller() -> None:
    ended, robot = program_in_simulator("own_controller.py")
    assert ended["state"] == "finished", ended
    assert not robot["fallen"]


def test_own_robot() -> None:
    output = humanoid("python", str(EXAMPLES / "own_robot.py"))
    assert output.count("stands") == 2


def test_replay_a_bag(tmp_path: Path) -> None:
    robot = load_robot("fibo_km")
    stamp = TYPES.types["builtin_interfaces/msg/Time"](sec=0, nanosec=0)
    header = TYPES.types["std_msgs/msg/Header"](stamp=stamp, frame_id="")
    kind = "sensor_msgs/msg/JointState"
    position, none = np.zeros(robot.dof), np.zeros(0)
    with BagWriter(tmp_path / "bag") as writer:
        for tick in range(50):
            position[robot.joint_names.index("left_elbow")] = -0.5 * (tick // 10 % 2)  # no servo jumps
            state = TYPES.types[kind](header, list(robot.joint_names), position, none, none)
            writer.write("/real/joint_states", kind, tick * 10_000_000, encode(state))
    lines = humanoid("python", str(EXAMPLES / "replay_a_bag.py"), "fibo_km", str(tmp_path / "bag")).splitlines()
    degrees = {line.split()[0]: float(line.split()[1]) for line in lines[: robot.dof]}
    assert max(degrees, key=lambda name: degrees[name]) == "left_elbow"
    assert lines[-1] == "50 joint states, 0.49 s; fallen: False"


def test_batch_of_pushes() -> None:
    lines = humanoid("python", str(EXAMPLES / "batch_of_pushes.py"), "fibo_km").splitlines()
    assert len(lines) == 8
    assert all("went on walking" in line for line in lines if "0.2 N s/kg" in line)
