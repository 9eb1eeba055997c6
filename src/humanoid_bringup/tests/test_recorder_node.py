"""Recording what a robot publishes, and playing it back."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from sensor_msgs.msg import Imu, JointState

from humanoid_adapt.bag import read_bag
from humanoid_bringup import player_node, recorder_node

PATIENCE = 60.0


@pytest.fixture
def context() -> Iterator[Context]:
    """A ROS of its own."""
    context = Context()
    rclpy.init(context=context)
    yield context
    rclpy.shutdown(context=context)


def recorded_by_a_process(folder: Path, stop: int, context: Context) -> str:
    """Record joint states in another process until it is stopped by a signal; returns what it printed."""
    code = (
        "import sys; from pathlib import Path; from humanoid_bringup import recorder_node\n"
        f"print(recorder_node.run(Path({str(folder)!r}), '/recorded', float('inf')), flush=True)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    node = Node("robot", namespace="recorded", context=context)
    publisher = node.create_publisher(JointState, "joint_states", 10)
    end = time.monotonic() + PATIENCE
    file = folder / f"{folder.name}.mcap"
    while not file.exists():
        assert time.monotonic() < end
        time.sleep(0.05)
    message = JointState(name=["a"], position=[1.5])
    size = file.stat().st_size
    while file.stat().st_size < size + 200:  # until something is on the disk
        publisher.publish(message)
        assert time.monotonic() < end
        time.sleep(0.02)
    process.send_signal(stop)
    output, _ = process.communicate(timeout=PATIENCE)
    node.destroy_node()
    return output


def test_a_terminated_recording_is_whole_and_warns_of_silence(tmp_path: Path, context: Context) -> None:
    printed = recorded_by_a_process(tmp_path / "bag", signal.SIGTERM, context)
    messages = [message.decode() for message in read_bag(tmp_path / "bag")]
    assert all(message.position[0] == 1.5 for message in messages)
    assert messages
    assert "/recorded/imu/data never spoke" in printed


def test_what_was_recorded_is_played(tmp_path: Path, context: Context) -> None:
    recorded_by_a_process(tmp_path / "bag", signal.SIGTERM, context)
    count = sum(1 for _ in read_bag(tmp_path / "bag"))
    heard: list[JointState] = []
    node = Node("listener", context=context)
    node.create_subscription(JointState, "/recorded/joint_states", heard.append, 1000)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    assert player_node.run(tmp_path / "bag", 1000.0, 0.0, False, context) == count
    end = time.monotonic() + PATIENCE
    while len(heard) < count:
        executor.spin_once(timeout_sec=0.1)
        assert time.monotonic() < end
    assert heard[0].position[0] == 1.5
    executor.shutdown()
    node.destroy_node()


def test_message_types_are_found_by_their_names() -> None:
    assert recorder_node.message_class("sensor_msgs/msg/Imu") is Imu
