"""Runs a node that stands beside a robot, in a process of its own: gait, fall tests, adaptation."""

from __future__ import annotations

from collections.abc import Callable

from rclpy.experimental import EventsExecutor
from rclpy.node import Node

from humanoid_description.process_node import ros_process

LONGEST_WAIT = 0.1
"""s until a request to stop is noticed."""


def run(name: str, namespace: str, build: Callable[[Node], object]) -> None:
    """Serve a node until the process is asked to stop.

    Args:
        name: Of the node.
        namespace: Of the robot.
        build: Gives the node its work; what it returns is kept as long as the node lives.
    """
    with ros_process() as (_, stopping):
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
