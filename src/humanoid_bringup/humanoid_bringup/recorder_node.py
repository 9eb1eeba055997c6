"""Records the topics of a robot into a bag, as they come over the wire."""

from __future__ import annotations

import importlib
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rclpy.context import Context
from rclpy.event_handler import QoSMessageLostInfo, SubscriptionEventCallbacks
from rclpy.experimental import EventsExecutor
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile

from humanoid_adapt.assembler import TOPICS
from humanoid_adapt.bag import BagWriter
from humanoid_description.process_node import ros_process

EXPECTED = ("joint_states", "imu/data")
"""Topics that every robot publishes all the time."""
SILENT_SECONDS = 2.0
LATCHED_TOPICS = ("robot_description", "adapted_description", "inertials")


def message_class(type_name: str) -> Any:
    """Class of a message type such as sensor_msgs/msg/Imu."""
    package, kind, name = type_name.split("/")
    return getattr(importlib.import_module(f"{package}.{kind}"), name)


class Recorder:
    """Subscribes to what a robot publishes as soon as it does, and writes it."""

    def __init__(self, node: Node, namespace: str, writer: BagWriter, now_ns: Callable[[], int] = time.time_ns) -> None:
        """Record what a robot says into a bag; `now_ns` is the clock by which it notes when it heard it."""
        self._node, self._writer, self._now_ns = node, writer, now_ns
        self._space = "/" + namespace.strip("/")
        self._seen: dict[str, float] = {}
        self._silent: set[str] = set()
        self._subscribed: set[str] = set()
        self._started = time.monotonic()
        self._lost: Counter[str] = Counter()
        self.warnings: list[str] = []

    def look(self) -> None:
        """Subscribe to topics that have appeared, and warn of those that are silent."""
        for topic, types in self._node.get_topic_names_and_types():
            relative = topic.removeprefix(self._space + "/")
            if topic not in self._subscribed and topic.startswith(self._space + "/") and relative in TOPICS:
                self._subscribe(topic, types[0], relative in LATCHED_TOPICS)
        now = time.monotonic()
        for name in EXPECTED:
            topic = f"{self._space}/{name}"
            quiet = now - self._seen.get(topic, self._started)
            if quiet > SILENT_SECONDS and topic not in self._silent:
                self._silent.add(topic)
                self._warn(f"{topic} is silent since {quiet:.1f} s")

    def _warn(self, text: str) -> None:
        self.warnings.append(text)
        self._node.get_logger().warning(text)

    def _subscribe(self, topic: str, type_name: str, latched: bool) -> None:
        self._subscribed.add(topic)
        durability = DurabilityPolicy.TRANSIENT_LOCAL if latched else DurabilityPolicy.VOLATILE
        qos = QoSProfile(depth=1000, durability=durability)

        def take(data: bytes) -> None:
            self._seen[topic] = time.monotonic()
            self._silent.discard(topic)
            self._writer.write(topic, type_name, self._now_ns(), data)

        def lose(info: QoSMessageLostInfo) -> None:
            if not self._lost[topic]:
                self._node.get_logger().warning(f"{topic}: messages are lost. Is the machine busy?")
            self._lost[topic] += info.total_count_change

        events = SubscriptionEventCallbacks(message_lost=lose)
        self._node.create_subscription(message_class(type_name), topic, take, qos, raw=True, event_callbacks=events)

    def finish(self) -> dict[str, Any]:
        """What was recorded."""
        for name in EXPECTED:
            if f"{self._space}/{name}" not in self._writer.counts:
                self._warn(f"{self._space}/{name} never spoke")
        for topic, count in self._lost.items():
            self._warn(f"{topic}: {count} messages were lost")
        return {"counts": dict(self._writer.counts), "warnings": self.warnings}


def run(bag: Path, namespace: str, seconds: float, context: Context | None = None) -> dict[str, Any]:
    """Record for a time (s), or until the process is asked to stop."""
    with ros_process(context) as (context, stopping), BagWriter(bag) as writer:
        node = Node("recorder", context=context)
        executor = EventsExecutor(context=context)  # several times as quick as the others
        executor.add_node(node)
        recorder = Recorder(node, namespace, writer)
        end, look = time.monotonic() + seconds, 0.0
        while not stopping.is_set() and time.monotonic() < end:
            if time.monotonic() >= look:
                recorder.look()
                look = time.monotonic() + 0.2
            executor.spin_once(timeout_sec=0.05)
        outcome = recorder.finish()
        executor.shutdown()
        node.destroy_node()
        return outcome
