"""The bridge in a real ROS graph, on virtual servos and simulated time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import rclpy
from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from sensor_msgs.msg import BatteryState, Imu, JointState
from std_srvs.srv import SetBool, Trigger
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from dynamixel_bridge import bridge_node
from dynamixel_bridge.bridge import Bridge
from dynamixel_bridge.bridge_node import BridgeNode
from dynamixel_bridge.links import SimulatedLinks
from dynamixel_bridge.virtual_line import VirtualLine
from dynamixel_bridge.virtual_robot import virtual_devices
from dynamixel_bridge.virtual_servo import FreeBody
from humanoid_description import load_robot
from humanoid_description.robot_interface import STREAM

PATIENCE = 60.0  # s
PERIOD = 0.01


class Graph:
    """A robot on virtual servos, and a user."""

    def __init__(self) -> None:
        self.context = Context()
        rclpy.init(context=self.context)
        self.executor = SingleThreadedExecutor(context=self.context)
        robot = load_robot("fibo_km")
        self.body = FreeBody()
        self.devices = virtual_devices(robot, self.body)["body"]
        self.links = SimulatedLinks({"body": VirtualLine(self.devices)}, 1_000_000)
        bridge = Bridge(robot, self.links, clock=self.links.clock, period=PERIOD)
        self.bridge_node = BridgeNode(bridge, "robot1", PERIOD, self.context, lambda: Time(sec=int(self.links.now)))
        self.user = Node("user", context=self.context)
        for node in (self.bridge_node.node, self.user):
            self.executor.add_node(node)

    def until(self, condition: Callable[[], Any]) -> None:
        end = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < end, "nothing happened"
            for _ in range(20):  # serve what has arrived before time goes on
                self.executor.spin_once(timeout_sec=0.0)
            self.links.wait_until(self.links.now + PERIOD)
            self.bridge_node.tick()

    def received(self, message_type: type, topic: str) -> list[Any]:
        messages: list[Any] = []
        self.user.create_subscription(message_type, topic, messages.append, STREAM)
        self.until(lambda: messages)
        return messages

    def call(self, service_type: type, name: str, request: Any) -> Any:
        client = self.user.create_client(service_type, name)
        self.until(client.service_is_ready)
        future = client.call_async(request)
        self.until(future.done)
        return future.result()

    def close(self) -> None:
        self.executor.shutdown()
        self.bridge_node.destroy()
        self.user.destroy_node()
        rclpy.shutdown(context=self.context)


@pytest.fixture
def graph(monkeypatch: pytest.MonkeyPatch) -> Iterator[Graph]:
    """A running bridge."""
    monkeypatch.setattr(bridge_node, "DIAGNOSTICS_PERIOD", 0.0)
    graph = Graph()
    yield graph
    graph.close()


def test_it_speaks_as_a_simulated_robot_does(graph: Graph) -> None:
    states = graph.received(JointState, "/robot1/joint_states")
    assert len(states[-1].name) == 20
    imu = graph.received(Imu, "/robot1/imu/data")
    assert imu[-1].linear_acceleration.z == pytest.approx(9.80665)
    assert imu[-1].orientation_covariance[0] == -1.0
    assert imu[-1].header.stamp.sec <= graph.links.now
    publisher = graph.user.create_publisher(JointTrajectory, "/robot1/joint_trajectory", STREAM)
    graph.until(publisher.get_subscription_count)
    point = JointTrajectoryPoint(positions=[0.5])
    point.time_from_start.nanosec = 500_000_000
    command = JointTrajectory(joint_names=["head_yaw"], points=[point])
    publisher.publish(command)
    interface = graph.bridge_node.interface
    graph.until(lambda: interface.refused == 1)
    assert "Call torque with true" in interface.last_refusal
    graph.until(lambda: not np.isnan(graph.bridge_node.bridge.seen().temperature).any())
    assert graph.call(SetBool, "/robot1/torque", SetBool.Request(data=True)).success
    publisher.publish(command)
    graph.until(lambda: states[-1].position[0] > 0.45)
    assert graph.call(Trigger, "/robot1/stop", Trigger.Request()).message == "holding the present posture"
    publisher.publish(command)
    graph.until(lambda: interface.refused == 2)
    assert "was stopped" in interface.last_refusal
    assert graph.call(SetBool, "/robot1/torque", SetBool.Request(data=True)).success
    accepted = interface.accepted
    publisher.publish(command)
    graph.until(lambda: interface.accepted > accepted)
    assert graph.call(SetBool, "/robot1/torque", SetBool.Request(data=False)).message == "servos are off"
    graph.until(lambda: not any(device.get("torque_enable") for device in graph.devices[:20]))


def test_a_silent_servo_is_left_out_and_told(graph: Graph) -> None:
    states = graph.received(JointState, "/robot1/joint_states")
    graph.devices[0].dead = True
    graph.until(lambda: "head_yaw" not in states[-1].name)
    assert len(states[-1].position) == 19
    diagnostics = graph.received(DiagnosticArray, "/diagnostics")

    def told() -> bool:
        texts = {status.name: status.message for status in diagnostics[-1].status}
        return texts.get("/robot1/robot: head_yaw", "").startswith("silent for")

    graph.until(told)
    answer = graph.call(SetBool, "/robot1/torque", SetBool.Request(data=True))
    assert not answer.success
    assert "head_yaw does not answer" in answer.message
    battery = graph.received(BatteryState, "/robot1/battery")
    assert battery[-1].voltage == pytest.approx(15.2, abs=0.2)
    graph.links.lines["body"].plugged = False
    graph.until(lambda: any("adapter is gone" in status.message for status in diagnostics[-1].status))
    assert any(value.key == "body: cycles without port" for value in diagnostics[-1].status[1].values)


def test_what_may_still_be_on_and_a_silent_inertial_sensor_are_told(
    graph: Graph, capfd: pytest.CaptureFixture[str]
) -> None:
    diagnostics = graph.received(DiagnosticArray, "/diagnostics")

    def status(which: str) -> DiagnosticStatus:
        (found,) = (one for one in diagnostics[-1].status if one.name == f"/robot1/robot: {which}")
        return found

    assert status("imu").message == "answers"
    graph.devices[20].dead = True
    graph.until(lambda: status("imu").message.startswith("silent for"))
    assert any(value.key == "missed" and int(value.value) > 0 for value in status("imu").values)
    graph.devices[0].put("torque_enable", 1)
    graph.devices[0].dead = True
    graph.until(lambda: graph.bridge_node.silent() == ["head_yaw (id 19)", "imu (id 200)"])
    answer = graph.call(SetBool, "/robot1/torque", SetBool.Request(data=False))
    assert answer.message.endswith("until these answer too: head_yaw (id 19), imu (id 200)")
    graph.until(lambda: status("bridge").message.endswith("not known to be off, and told again: head_yaw"))
    assert status("bridge").level == DiagnosticStatus.ERROR
    graph.devices[0].dead = False
    graph.until(lambda: status("bridge").level != DiagnosticStatus.ERROR)
    assert graph.devices[0].get("torque_enable") == 0
    told = "no answer from head_yaw (id 19), imu (id 200). Stop this and run './humanoid bridge check fibo_km"
    assert told in capfd.readouterr().err
