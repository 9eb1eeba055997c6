"""A twin, a bridge and a program or a person at the page, each a process: real bytes on a pseudo-terminal, real topics.

At 20 cycles a second, so that a busy machine can follow; test_bus_body.py walks at 100 through it, on simulated time.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from chromium import CHROMIUM, Chromium, until

PATIENCE = 120.0  # s
CROUCH = """
LEGS = [f"{side}_{joint}" for side in ("left", "right") for joint in ("hip_pitch", "knee", "ankle_pitch")]
TASKS = [(0.0, [-0.4, 0.8, -0.4]), (3.0, [0.0, 0.0, 0.0]), (6.0, None)]

def control(robot):
    if robot.time < TASKS[0][0]:
        return
    _, angles = TASKS.pop(0)
    print(round(robot.angle["left_knee"], 1), round(robot.angle["right_knee"], 1))
    if angles:
        robot.command(dict(zip(LEGS, 2 * angles)), seconds=2.0)
    else:
        robot.finish()
"""


def humanoid(*arguments: str) -> subprocess.Popen[str]:
    """A command in a process of its own."""
    command = [sys.executable, "-m", "humanoid_bringup", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@contextmanager
def twin(namespace: str) -> Iterator[dict[str, Any]]:
    """A robot on a virtual bus, and its bridge; what became of it is there in the end."""
    twin = humanoid("twin", "fibo_km", "--json")
    assert twin.stdout is not None
    (port,) = json.loads(twin.stdout.readline())["ports"]
    slowly = ("--rate", "20", "--patience", "20")
    bridge = humanoid("bridge", "run", "fibo_km", "--port", port, "--namespace", namespace, *slowly)
    became: dict[str, Any] = {}
    try:
        yield became
    finally:
        bridge.terminate()
        bridge.communicate()
        twin.terminate()
        rest, _ = twin.communicate()
    became |= json.loads(rest)


def call(*arguments: str) -> tuple[int, str]:
    """Status and answer of `humanoid call`."""
    process = humanoid("call", *arguments, "--wait", "60")
    output, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode in (0, 1), errors
    return process.returncode, output + errors


def enable(namespace: str) -> None:
    """Switch the servos on, as soon as the bridge has seen all of them."""
    end = time.monotonic() + PATIENCE
    while (told := call("torque", "true", "--robot", namespace))[0] != 0:
        assert time.monotonic() < end, told
        assert "refused: torque: " in told[1]
    assert told[1] == "servos are on, starting from the pose they were found in\n"


def test_a_program_crouches_and_stands_up_through_bridge_bus_and_twin(tmp_path: Path) -> None:
    file = tmp_path / "crouch.py"
    file.write_text(CROUCH)
    with twin("twin") as became:
        command = ("program", str(file), "--robot", "/twin", "--rate", "20")
        program = humanoid(*command)
        _, errors = program.communicate(timeout=PATIENCE)
        assert program.returncode == 1
        assert "the robot is passive: nothing moves before it is enabled" in errors
        enable("twin")
        program = humanoid(*command)
        output, errors = program.communicate(timeout=PATIENCE)
        assert program.returncode == 0, errors
    knees = [[float(word) for word in line.split()] for line in output.splitlines()[:3]]
    assert knees[0] == knees[2] == [0.0, 0.0]
    assert min(knees[1]) >= 0.7
    assert became["fallen"] is False


def test_a_person_at_the_page_enables_and_relaxes_it(tmp_path: Path) -> None:
    if CHROMIUM is None:
        assert not os.environ.get("CI"), "Chromium is missing"
        pytest.skip("chromium is not installed")
    with twin("paged"):
        gait = humanoid("node", "gait", "fibo_km", "--namespace", "paged", "--rate", "20")
        viewer = humanoid("view", "--port", "0", "--json")
        browser = Chromium(tmp_path / "profile")
        try:
            assert viewer.stdout is not None
            tab = browser.open(json.loads(viewer.stdout.readline())["url"])
            tab.click("Drive")
            until(lambda: "servos passive: nothing moves before it is enabled" in tab.text())
            tab.click("Walk")
            until(lambda: "Press Enable when nobody is in its way" in tab.text())
            enable("paged")  # a refusal, while a servo is late on a busy machine, is no matter here
            tab.click("Enable")
            until(lambda: "servos are on" in tab.text())
            until(lambda: "servos passive" not in tab.text())
            tab.click("Relax: all servos off")
            until(lambda: "servos relaxed: switched off by the service torque" in tab.text())
        finally:
            browser.close()
            for process in (viewer, gait):
                process.terminate()
                process.communicate()
