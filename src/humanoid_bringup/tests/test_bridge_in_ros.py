"""The bridge as a process of its own on a real port, behind which virtual servos show what it leaves behind.

At 10 cycles a second, so that a busy machine can follow.
"""

from __future__ import annotations

import math
import re
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from dynamixel_bridge.virtual_bus import VirtualBus, serve
from dynamixel_bridge.virtual_line import VirtualLine
from dynamixel_bridge.virtual_robot import virtual_devices
from dynamixel_bridge.virtual_servo import FreeBody, VirtualServo
from humanoid_description import Robot, load_robot

from .test_twin_in_ros import PATIENCE, enable, humanoid

SLOWLY = ("--rate", "10", "--patience", "20")


class Servos:
    """The servos of a robot on a port, each somewhere else."""

    def __init__(self, robot: Robot, link: Path) -> None:
        self.body = FreeBody()
        devices = virtual_devices(robot, self.body)["body"]
        self.servos = [device for device in devices if isinstance(device, VirtualServo)]
        self.body.angles.update({servo.id: 0.002 * servo.id for servo in self.servos})
        self.bus = VirtualBus(link, VirtualLine(devices, start=time.monotonic()))

    def torque(self) -> set[int]:
        return {servo.get("torque_enable") for servo in self.servos}


@contextmanager
def plugged(robot: Robot, folder: Path) -> Iterator[Servos]:
    """Servos that are served by a thread."""
    servos = Servos(robot, folder / "port")
    stopping = threading.Event()
    thread = threading.Thread(target=serve, args=([servos.bus], stopping))
    thread.start()
    try:
        yield servos
    finally:
        stopping.set()
        thread.join()


@contextmanager
def running(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    """A command that does not outlive its test."""
    process = humanoid(*arguments)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "nothing happened"
        time.sleep(0.01)


def line_with(process: subprocess.Popen[str], words: str) -> str:
    """First line of what it tells a person that has these words."""
    assert process.stderr is not None
    return next(line for line in process.stderr if words in line)


def with_bus_watchdog(folder: Path) -> Path:
    """A robot like FIBO-KM whose servos have a bus watchdog."""
    robot = Path(shutil.copytree(load_robot("fibo_km").folder, folder / "robot"))
    text = (robot / "robot.yaml").read_text()
    text = re.sub("model: RX-(28|64)", "model: XM430-W350", text)
    (robot / "robot.yaml").write_text(re.sub(r"(?m)^  imu_(model|id): .*\n", "", text))
    return robot


def test_servos_hold_when_the_bridge_is_killed_and_do_not_jerk_when_it_is_back(tmp_path: Path) -> None:
    command = ("bridge", "run", "fibo_km", "--namespace", "killed", *SLOWLY, "--port", str(tmp_path / "port"))
    with plugged(load_robot("fibo_km"), tmp_path) as servos:
        before = dict(servos.body.angles)
        with running(*command) as bridge:
            enable("killed")
            until(lambda: servos.torque() == {1})
            bridge.send_signal(signal.SIGKILL)
            bridge.wait()
        assert servos.torque() == {1}
        with running(*command) as bridge:
            enable("killed")
            told = line_with(bridge, "degrees from the pose at most")
        assert servos.torque() == {1}
        after = dict(servos.body.angles)
    step = float(told.split("torque came on ")[1].split()[0])
    assert 0.0 <= step < 1.0
    assert max(abs(math.degrees(after[id_] - before[id_])) for id_ in before) < 1.0


def test_servos_with_a_watchdog_relax_when_the_bridge_is_killed(tmp_path: Path) -> None:
    folder = with_bus_watchdog(tmp_path)
    run = ("bridge", "run", str(folder), "--namespace", "watched", *SLOWLY, "--port", str(tmp_path / "port"))
    with plugged(load_robot(folder), tmp_path) as servos, running(*run, "--at-end", "relax") as bridge:
        enable("watched")
        until(lambda: servos.torque() == {1})
        bridge.send_signal(signal.SIGKILL)
        until(lambda: servos.torque() == {0})


def test_servos_are_off_when_a_bridge_that_shall_relax_is_stopped(tmp_path: Path) -> None:
    run = ("bridge", "run", "fibo_km", "--namespace", "stopped", *SLOWLY, "--port", str(tmp_path / "port"))
    with plugged(load_robot("fibo_km"), tmp_path) as servos, running(*run, "--at-end", "relax") as bridge:
        enable("stopped")
        until(lambda: servos.torque() == {1})
        bridge.terminate()
        assert bridge.wait() == 0
        assert servos.torque() == {0}


def test_who_does_not_answer_is_named_with_a_remedy(tmp_path: Path) -> None:
    run = ("bridge", "run", "fibo_km", "--namespace", "deaf", *SLOWLY, "--port", str(tmp_path / "port"))
    with plugged(load_robot("fibo_km"), tmp_path) as servos:
        for servo in servos.servos:
            servo.put("baud_rate", servo.model.baud_count(57_600))
        with running(*run) as bridge:
            told = line_with(bridge, "no answer from")
    assert "head_yaw (id 19), " in told
    assert "bridge check fibo_km" in told


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_test_that_is_stopped_leaves_no_torque_on(tmp_path: Path, how: signal.Signals) -> None:
    test = ("bridge", "test", "left_knee", "fibo_km", "--seconds", "60", "--port", str(tmp_path / "port"))
    with plugged(load_robot("fibo_km"), tmp_path) as servos, running(*test) as process:
        until(lambda: servos.torque() == {0, 1})
        process.send_signal(how)
        assert process.wait() != 0
        assert servos.torque() == {0}
