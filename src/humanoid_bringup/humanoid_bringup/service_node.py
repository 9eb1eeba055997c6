"""Calls the services of a robot, for people: by `humanoid call`, and by the buttons of the page."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Generator
from threading import Event
from typing import Any

from rclpy.client import Client
from rclpy.context import Context
from rclpy.experimental import EventsExecutor
from rclpy.node import Node
from std_srvs.srv import SetBool, Trigger

from humanoid_description import RobotError
from humanoid_description.process_node import ros_process

SERVICES: dict[str, type] = {
    "torque": SetBool,
    "stop": Trigger,
    "reset": Trigger,
    "walk": SetBool,
    "fall_test/run": Trigger,
    "fall_test/confirm": Trigger,
    "fall_test/pause": SetBool,
    "fall_test/abort": Trigger,
    "adapt/run": Trigger,
    "adapt/rollback": Trigger,
    "/pause": SetBool,
}
"""Those of docs/interface.md, in the robot's namespace unless they begin with a slash."""
SLOW = ("reset", "fall_test/run", "fall_test/confirm", "adapt/run")
"""Services that are asked once: they think for long, or begin anew."""
ANSWER = 1.0
"""s after which another service is asked again."""
PATIENCE = 20.0
"""s in which such a service must have answered a person who waits for it."""
Waits = Generator[Callable[[], Any], None, Any]
"""What is waited for, thing by thing; in the end, the answer."""


def ask(client: Client, request: Any, patience: float) -> Waits:
    """Ask a service; its answer, or None if nobody offers it within a time (s)."""
    begun = time.monotonic()
    yield lambda: client.service_is_ready() or time.monotonic() - begun > patience
    if not client.service_is_ready():
        return None
    once = client.service_name.endswith(SLOW)
    while True:
        # An answer gets lost if the other side has not yet found us; what is asked here may be asked twice.
        future, asked = client.call_async(request), time.monotonic()
        yield lambda future=future, asked=asked: future.done() or (not once and time.monotonic() - asked > ANSWER)
        if future.done():
            return future.result()
        client.remove_pending_request(future)


def full_name(namespace: str, service: str) -> str:
    """Name of a service in the graph."""
    return service if service.startswith("/") else f"{namespace.rstrip('/')}/{service}"


def call(
    namespace: str, service: str, value: bool | None, patience: float, context: Context | None = None
) -> tuple[bool, str]:
    """Call a service; whether the robot did it, and what it says. RobotError if nobody answers.

    Args:
        namespace: Of the robot.
        service: One of SERVICES.
        value: For those that take one.
        patience: s in which the service must be found.
        context: Of rclpy; a new one if not given.
    """
    kind, name = SERVICES[service], full_name(namespace, service)
    with ros_process(context) as (context, stopping):
        node = Node("call", context=context)
        executor = EventsExecutor(context=context)
        executor.add_node(node)
        try:
            request = kind.Request() if value is None else kind.Request(data=value)
            steps = ask(node.create_client(kind, name), request, patience)
            answer = _answered(steps, executor, stopping, name, math.inf if service in SLOW else patience + PATIENCE)
            named = [other for other, _ in node.get_service_names_and_types() if other.endswith(f"/{service}")]
            offered = sorted(other for other in named if node.count_services(other))  # rather than asked for
        finally:
            executor.shutdown()
            node.destroy_node()
    if answer is None:
        remedy = f"Offered: {', '.join(offered)}." if offered else "Start the robot, and what stands beside it."
        raise RobotError(f"nobody offers {name}. {remedy}")
    return bool(answer.success), str(answer.message)


def _answered(steps: Waits, executor: EventsExecutor, stopping: Event, name: str, patience: float) -> Any:
    """Serve ROS until the answer is there."""
    end = time.monotonic() + patience
    try:
        while True:
            condition = next(steps)
            while not condition():
                executor.spin_once(timeout_sec=0.02)
                if stopping.is_set():
                    raise RobotError(f"{name}: was asked, and had not answered when this was stopped.")
                if time.monotonic() > end:
                    raise RobotError(f"{name}: does not answer. See what './humanoid doctor' says.")
    except StopIteration as ended:
        return ended.value
