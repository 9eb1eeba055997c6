"""Serves all that has arrived for the nodes of an executor, which by itself takes one thing at a time."""

from __future__ import annotations

from rclpy.executors import Executor


def serve_arrived(executor: Executor) -> None:
    """Call back for every message and request that is there already, and return.

    A task behind them in the queue tells when it is done. spin_until_future_complete would tell it too, but rclpy's
    EventsExecutor keeps 32 bytes of every such call.
    """
    done: list[bool] = []
    executor.create_task(lambda: done.append(True))
    while not done and executor.context.ok():
        executor.spin_once(timeout_sec=0.0)
