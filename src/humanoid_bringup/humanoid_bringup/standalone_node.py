"""A node that is a process of its own, until it is asked to stop."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import rclpy
from rclpy.context import Context
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions


@contextmanager
def standalone(name: str, context: Context | None = None) -> Iterator[tuple[Node, threading.Event]]:
    """A node, and an event that is set when the process is asked to stop.

    Args:
        name: Of the node.
        context: Of rclpy; one of its own if not given.
    """
    stopping = threading.Event()
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: stopping.set())
    own = Context() if context is None else None
    if own is not None:
        # rclpy's own handlers would take ROS away before everything is written.
        rclpy.init(context=own, signal_handler_options=SignalHandlerOptions.NO)
    node = Node(name, context=own or context)
    try:
        yield node, stopping
    finally:
        node.destroy_node()
        if own is not None:
            rclpy.shutdown(context=own)
