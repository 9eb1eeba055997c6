"""Services of a robot, called in a real ROS graph by the command that people use."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from std_srvs.srv import SetBool, Trigger

from humanoid_bringup import service_node
from humanoid_bringup.cli import main
from humanoid_bringup.service_node import PATIENCE, SERVICES, ask, full_name

INTERFACE = Path(__file__).parents[3] / "docs" / "interface.md"


@pytest.fixture
def called() -> Iterator[list[object]]:
    """What a robot at /called was told; it refuses to stop."""
    context = Context()
    rclpy.init(context=context)
    node = Node("robot", namespace="called", context=context)
    calls: list[object] = []

    def torque(request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        calls.append(request.data)
        response.success, response.message = True, "servos are on"
        return response

    def stop(_: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        calls.append("stop")
        response.message = "cannot stop"
        return response

    node.create_service(SetBool, "torque", torque)
    node.create_service(Trigger, "stop", stop)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    thread = threading.Thread(target=executor.spin)
    thread.start()
    yield calls
    executor.shutdown()
    thread.join()
    node.destroy_node()
    rclpy.shutdown(context=context)


def test_it_tells_what_the_robot_answers(called: list[object], capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["call", "torque", "true", "--robot", "called"]) == 0
    assert capfd.readouterr().out == "servos are on\n"
    assert called[0] is True
    assert main(["call", "stop", "--robot", "/called", "--json"]) == 1
    answer = json.loads(capfd.readouterr().out)
    assert answer == {"service": "/called/stop", "done": False, "message": "cannot stop"}


def test_what_nobody_offers_is_told_with_who_does(called: list[object], capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["call", "torque", "false", "--robot", "nobody", "--wait", "3"]) == 1
    assert "nobody offers /nobody/torque. Offered: /called/torque." in capfd.readouterr().err
    assert main(["call", "reset", "--robot", "called", "--wait", "0.1"]) == 1
    assert "nobody offers /called/reset. Start the robot" in capfd.readouterr().err
    assert called == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["torq", "true"], "Did you mean 'torque'?"),
        (["torque"], "torque takes true or false"),
        (["stop", "true"], "stop takes no value"),
        (["stop", "--wait", "0"], "--wait must be above zero"),
    ],
)
def test_what_cannot_be_asked_is_refused(arguments: list[str], message: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["call", *arguments]) == 1
    assert message in capfd.readouterr().err


def test_its_services_are_those_of_the_documentation() -> None:
    rows = re.findall(r"^\| (.*?) \| std_srvs/(\w+) \|", INTERFACE.read_text(), re.MULTILINE)
    documented = {name: kind for names, kind in rows for name in re.findall(r"`([\w/]+)`", names)}
    assert documented | {"/pause": "SetBool"} == {name: kind.__name__ for name, kind in SERVICES.items()}


def test_what_begins_anew_is_not_asked_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service_node, "ANSWER", -1.0)
    context = Context()
    rclpy.init(context=context)
    node = Node("impatient", namespace="called", context=context)
    for service, again in (("reset", False), ("stop", True)):
        node.create_service(Trigger, service, lambda _, response: response)  # never spun, so it never answers
        steps = ask(node.create_client(Trigger, service), Trigger.Request(), PATIENCE)
        found = next(steps)
        while not found():
            time.sleep(0.01)
        answered = next(steps)
        assert answered() == again
    node.destroy_node()
    rclpy.shutdown(context=context)


def test_a_service_of_the_world_has_no_namespace() -> None:
    assert full_name("/real", "torque") == "/real/torque"
    assert full_name("/real", "/pause") == "/pause"
