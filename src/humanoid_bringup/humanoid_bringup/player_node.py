"""Publishes what a bag holds, at its own pace or another, with /clock."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from builtin_interfaces.msg import Time
from rclpy.context import Context
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from rosgraph_msgs.msg import Clock

from humanoid_adapt.bag import BagMessage, read_bag
from humanoid_bringup.recorder_node import LATCHED_TOPICS, message_class
from humanoid_description import RobotError
from humanoid_description.process_node import ros_process

DISCOVERY_SECONDS = 1.0
"""Time for listeners to find the publishers before the first message."""


class Player:
    """Publishers of all topics in a bag."""

    def __init__(self, node: Node, messages: Sequence[BagMessage]) -> None:
        self._publishers = {}
        for message in messages:
            if message.topic not in self._publishers:
                durability = DurabilityPolicy.TRANSIENT_LOCAL if _latched(message) else DurabilityPolicy.VOLATILE
                qos = QoSProfile(depth=1000, durability=durability)
                kind = message_class(message.type)
                self._publishers[message.topic] = node.create_publisher(kind, message.topic, qos)
        self._clock = node.create_publisher(Clock, "/clock", 10)

    def publish(self, message: BagMessage) -> None:
        """Publish a message, and the time at which it was recorded."""
        self._clock.publish(Clock(clock=Time(sec=message.time_ns // 10**9, nanosec=message.time_ns % 10**9)))
        self._publishers[message.topic].publish(message.data)


def run(bag: Path, rate: float, start: float, loop: bool, context: Context | None = None) -> int:
    """Play a bag from a time (s) on; returns the number of messages published."""
    messages = list(read_bag(bag))
    if not messages:
        raise RobotError(f"bag {bag}: is empty.")
    origin = next((message.time_ns for message in messages if message.time_ns > 0), 0)
    first = origin + round(start * 1e9)
    # What is latched belongs to every moment.
    chosen = [message for message in messages if message.time_ns >= first or _latched(message)]
    if all(_latched(message) for message in chosen):
        raise RobotError(f"bag play: --start {start} is beyond the end of {bag}.")
    count = 0
    with ros_process(context) as (context, stopping):
        node = Node("player", context=context)
        player = Player(node, chosen)
        stopping.wait(DISCOVERY_SECONDS)
        while not stopping.is_set():
            began = time.monotonic()
            for message in chosen:
                due = began + max(0, message.time_ns - first) * 1e-9 / rate
                if stopping.wait(max(0.0, due - time.monotonic())):
                    break
                player.publish(message)
                count += 1
            if not loop:
                break
        node.destroy_node()
    return count


def _latched(message: BagMessage) -> bool:
    return any(message.topic.endswith(f"/{name}") for name in LATCHED_TOPICS)
