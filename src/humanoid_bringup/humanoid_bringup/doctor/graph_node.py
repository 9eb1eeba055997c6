"""Listens to the programs that run, for a while, and says what was seen."""

from __future__ import annotations

import time
from typing import Any

import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.signals import SignalHandlerOptions
from std_msgs.msg import Empty

from humanoid_bringup.doctor.ros_graph import LISTENED, SENSORS, Graph, Topic
from humanoid_bringup.recorder_node import message_class

ECHO = "doctor/echo"
LOOK_EVERY = 0.2
"""s between looks for new topics."""
ANY = QoSProfile(depth=100, reliability=ReliabilityPolicy.BEST_EFFORT)
"""Hears reliable publishers and others."""


class Listener:
    """Counts messages of the topics that tell how a robot fares."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._counts: dict[str, int] = {}
        self.statuses: dict[str, tuple[int, str]] = {}
        node.create_subscription(DiagnosticArray, "/diagnostics", self._on_diagnostics, ANY)

    def _on_diagnostics(self, message: DiagnosticArray) -> None:
        for status in message.status:
            self.statuses[status.name] = (int.from_bytes(status.level, "big"), status.message)

    def look(self) -> None:
        """Subscribe to what has appeared."""
        for name, types in self._node.get_topic_names_and_types():
            wanted = name == "/clock" or name.endswith(tuple(f"/{topic}" for topic in SENSORS))
            if wanted and name not in self._counts and self._node.count_publishers(name):
                self._counts[name] = 0
                self._node.create_subscription(message_class(types[0]), name, self._counter(name), ANY, raw=True)

    def _counter(self, name: str) -> Any:
        def count(_: bytes) -> None:
            self._counts[name] += 1

        return count

    def topics(self) -> dict[str, Topic]:
        """What was seen of the topics that matter."""
        seen = {}
        for name, _ in self._node.get_topic_names_and_types():
            if name == "/clock" or name.endswith(tuple(f"/{topic}" for topic in LISTENED)):
                ours = 1 if name in self._counts else 0
                subscribers = self._node.count_subscribers(name) - ours
                seen[name] = Topic(self._node.count_publishers(name), subscribers, self._counts.get(name, 0))
        return seen


def listen(seconds: float) -> Graph:
    """Listen for a time (s); a second node of our own shows whether nodes hear each other at all."""
    contexts = [Context(), Context()]  # each is a participant of its own, as another process would be
    for context in contexts:
        rclpy.init(context=context, signal_handler_options=SignalHandlerOptions.NO)
    listening, talking = (
        Node(name, context=context) for name, context in zip(("doctor", "doctor_echo"), contexts, strict=True)
    )
    executor = SingleThreadedExecutor(context=contexts[0])
    executor.add_node(listening)
    started = time.monotonic()
    heard: list[float] = []
    listening.create_subscription(Empty, ECHO, lambda _: heard.append(time.monotonic() - started), 10)
    echo = talking.create_publisher(Empty, ECHO, 10)
    listener = Listener(listening)
    look = 0.0
    try:
        while time.monotonic() < started + seconds:
            if time.monotonic() >= look:
                look = time.monotonic() + LOOK_EVERY
                listener.look()
                echo.publish(Empty())
            executor.spin_once(timeout_sec=0.05)
        return Graph(seconds, heard[0] if heard else None, listener.topics(), listener.statuses)
    finally:
        executor.shutdown()
        for node, context in zip((listening, talking), contexts, strict=True):
            node.destroy_node()
            rclpy.shutdown(context=context)
