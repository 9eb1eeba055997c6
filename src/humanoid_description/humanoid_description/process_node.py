"""ROS for nodes that are a process of their own, until it is asked to stop."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import rclpy
from rclpy.context import Context
from rclpy.signals import SignalHandlerOptions


@contextmanager
def ros_process(context: Context | None = None) -> Iterator[tuple[Context, threading.Event]]:
    """ROS, and an event that is set when the process is asked to stop.

    Args:
        context: Of rclpy, if it is there already; it then stays.
    """
    stopping = threading.Event()
    before = {}
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM):
            before[number] = signal.signal(number, lambda *_: stopping.set())
    if context is None:
        # rclpy's own handlers would take ROS away before everything is done.
        rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    try:
        yield context or rclpy.get_default_context(), stopping
    finally:
        if context is None:
            rclpy.shutdown()
        for number, handler in before.items():
            signal.signal(number, handler)
