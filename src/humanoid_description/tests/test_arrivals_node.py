"""Serving all that has arrived."""

from __future__ import annotations

import gc
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import rclpy
from rclpy.context import Context
from rclpy.executors import Executor
from rclpy.experimental import EventsExecutor
from rclpy.node import Node
from std_msgs.msg import String

from humanoid_description.arrivals_node import serve_arrived

PATIENCE = 60.0  # s


@pytest.fixture
def served() -> Iterator[tuple[Executor, Node]]:
    context = Context()
    rclpy.init(context=context)
    node = Node("served", context=context)
    executor = EventsExecutor(context=context)
    executor.add_node(node)
    yield executor, node
    executor.shutdown()
    node.destroy_node()
    rclpy.shutdown(context=context)


def test_all_messages_are_served_in_their_order(served: tuple[Executor, Node]) -> None:
    executor, node = served
    heard: list[str] = []
    node.create_subscription(String, "said", lambda message: heard.append(message.data), 100)
    publisher = node.create_publisher(String, "said", 100)
    end = time.monotonic() + PATIENCE
    while not publisher.get_subscription_count():
        assert time.monotonic() < end, "nobody was found"
        serve_arrived(executor)
    for number in range(20):
        publisher.publish(String(data=str(number)))
    while len(heard) < 20:
        assert time.monotonic() < end, heard
        serve_arrived(executor)
    assert heard == [str(number) for number in range(20)]


def test_it_returns_when_ros_has_gone() -> None:
    context = Context()
    rclpy.init(context=context)
    executor = EventsExecutor(context=context)
    rclpy.shutdown(context=context)
    serve_arrived(executor)
    executor.shutdown()


def resident_kilobytes() -> int:
    found = re.search(r"VmRSS:\s+(\d+)", Path("/proc/self/status").read_text())
    assert found is not None
    return int(found[1])


def test_it_keeps_nothing_of_its_calls(served: tuple[Executor, Node]) -> None:
    executor, _ = served
    for _ in range(5000):
        serve_arrived(executor)
    gc.collect()
    before = resident_kilobytes()
    for _ in range(40_000):  # some minutes of a simulator
        serve_arrived(executor)
    gc.collect()
    assert resident_kilobytes() - before < 400  # rclpy's own way keeps 1250
