"""ROS of a process, and its end."""

from __future__ import annotations

import os
import signal
import threading

import pytest
import rclpy
from rclpy.context import Context

from humanoid_description.process_node import ros_process


def test_a_signal_asks_it_to_stop_and_its_ros_ends_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    handlers = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    with ros_process() as (context, stopping):
        assert context.ok()
        assert not stopping.is_set()
        os.kill(os.getpid(), signal.SIGTERM)
        assert stopping.wait(60)
        assert context.ok()
    assert not context.ok()
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == handlers


def test_a_given_ros_stays_and_other_threads_touch_no_signals() -> None:
    context = Context()
    rclpy.init(context=context)
    handlers = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]

    def work() -> None:
        with ros_process(context) as (given, _):
            assert given is context

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == handlers
    assert context.ok()
    rclpy.shutdown(context=context)
