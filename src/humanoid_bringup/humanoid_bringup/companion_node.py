"""Runs a node that stands beside a robot, in a process of its own: gait, fall tests, adaptation."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable

import rclpy
from rclpy.experimental import EventsExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

LONGEST_WAIT = 0.1
"""s until a request to stop is noticed."""


def run(name: str, namespace: str, build: Callable[[Node], object]) -> None:
    """Serve a node until the process is asked to stop.

    Args:
        name: Of the node.
        namespace: Of the robot.
        build: Gives the node its work; what it returns is kept as long as the node lives.
    """
    stopping = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopping.set())
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    node = Node(name, namespace=namespace)
    executor = EventsExecutor()
    try:
        work = build(node)
        executor.add_node(node)
        node.get_logger().info(f"{type(work).__name__} is ready in {node.get_namespace()}")
        while not stopping.is_set():
            executor.spin_once(timeout_sec=LONGEST_WAIT)
    finally:
        executor.shutdown()
        node.destroy_node()
        rclpy.shutdown()
