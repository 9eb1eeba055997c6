"""`humanoid sim --engine gazebo`: the same robots in Gazebo, which runs as a child process."""

from __future__ import annotations

import argparse
import json
import math
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from humanoid_bringup.gazebo import MISSING, GazeboMissing, gazebo_process
from humanoid_description import Robot, RobotError
from humanoid_sim.gz_world import Box, GzRobot, GzSettings, write_world
from humanoid_sim.simulation import DEFAULT_DT

PATIENCE = 10.0
"""s that Gazebo has to end when it is asked to."""
LOOK_EVERY = 1.0
"""s between looks at whether it has."""


def run(
    options: argparse.Namespace,
    robots: Mapping[str, Robot],
    starts: Mapping[str, tuple[float, float, float]],
    obstacles: Sequence[Box],
) -> int:
    """Run Gazebo until it ends or the process is asked to stop; MISSING where there is none."""
    if options.walk:
        raise RobotError("sim: beside Gazebo the gait is a process of its own: ./humanoid launch sim --engine gazebo.")
    if options.real:
        raise RobotError("sim: --real is not for Gazebo, in which an adapted robot is made anew. Leave it out.")
    named = {name: GzRobot(str(robot.folder), tuple(options.payload)) for name, robot in robots.items()}
    factor = 0.0 if math.isinf(options.factor) else options.factor
    steps = None if math.isinf(options.seconds) else max(1, round(options.seconds / DEFAULT_DT))
    with tempfile.TemporaryDirectory(prefix="humanoid_gazebo_") as folder:
        world, report = Path(folder) / "world.sdf", Path(folder) / "report.json"
        settings = GzSettings(named, options.rate, options.interpolation, str(report))
        world.write_text(write_world(options.world, settings, starts, obstacles=obstacles, real_time_factor=factor))
        try:
            chosen = gazebo_process(world, options.headless, steps)
        except GazeboMissing as error:
            print(f"humanoid: {error}", file=sys.stderr)
            return MISSING
        status, asked = _serve(chosen.command, chosen.environment)
        answer = json.loads(report.read_text()) if report.is_file() else None
    if status != 0 and not asked:
        print(f"humanoid: Gazebo ended with status {status}; its last lines above say why.", file=sys.stderr)
        return 1
    if answer is None and not asked:
        print("humanoid: the suite did not run in Gazebo; its lines above say why.", file=sys.stderr)
        return 1
    if options.json and answer is not None:
        print(json.dumps({"engine": "gazebo", **answer}))
    return 0


def _serve(command: Sequence[str], environment: Mapping[str, str]) -> tuple[int, bool]:
    """Exit status of Gazebo, and whether it was asked to end; one that does not then is killed."""
    asked_at = math.inf
    process = subprocess.Popen(command, env=dict(environment))

    def stop(*_: object) -> None:
        nonlocal asked_at
        asked_at = min(asked_at, time.monotonic())
        process.send_signal(signal.SIGINT)

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        while True:
            try:
                return process.wait(LOOK_EVERY), asked_at < math.inf
            except subprocess.TimeoutExpired:
                if time.monotonic() - asked_at > PATIENCE:
                    process.kill()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
