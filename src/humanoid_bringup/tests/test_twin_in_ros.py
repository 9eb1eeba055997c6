"""A twin, a bridge and a program, three processes: real bytes on a pseudo-terminal, real topics.

At 20 cycles a second, so that a busy machine can follow; test_bus_body.py walks at 100 through it, on simulated time.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from std_srvs.srv import SetBool

PATIENCE = 120.0  # s
PAUSE = 0.1  # s
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


def enable(namespace: str) -> None:
    """Switch the servos on, as soon as the bridge has seen all of them."""
    context = Context()
    rclpy.init(context=context)
    node = Node("user", namespace=namespace, context=context)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    client = node.create_client(SetBool, "torque")
    end = time.monotonic() + PATIENCE
    told = ""
    while told != "servos are on, starting from the pose they were found in":
        assert time.monotonic() < end, told or "nobody answers"
        if told:
            time.sleep(PAUSE)  # who asks without a break takes from the bus the time to answer
        if client.wait_for_service(timeout_sec=1.0):
            future = client.call_async(SetBool.Request(data=True))
            executor.spin_until_future_complete(future, timeout_sec=10.0)
            told = future.result().message if future.done() else told
    executor.shutdown()
    node.destroy_node()
    rclpy.shutdown(context=context)


def test_a_program_crouches_and_stands_up_through_bridge_bus_and_twin(tmp_path: Path) -> None:
    file = tmp_path / "crouch.py"
    file.write_text(CROUCH)
    twin = humanoid("twin", "fibo_km", "--json")
    assert twin.stdout is not None
    (port,) = json.loads(twin.stdout.readline())["ports"]
    bridge = humanoid(
        "bridge", "run", "fibo_km", "--port", port, "--namespace", "twin", "--rate", "20", "--patience", "20"
    )
    try:
        enable("twin")
        program = humanoid("program", str(file), "--robot", "/twin", "--rate", "20")
        output, errors = program.communicate(timeout=PATIENCE)
        assert program.returncode == 0, errors
    finally:
        bridge.terminate()
        bridge.communicate()
        twin.terminate()
        rest, _ = twin.communicate()
    knees = [[float(word) for word in line.split()] for line in output.splitlines()[:3]]
    assert knees[0] == knees[2] == [0.0, 0.0]
    assert min(knees[1]) >= 0.7
    assert json.loads(rest)["fallen"] is False
