"""What is heard of robots in a real ROS graph: one whose pose is told, and one that has only its sensors."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import rclpy
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.context import Context
from rclpy.experimental import EventsExecutor
from rclpy.node import Node
from std_msgs.msg import String

from humanoid_bringup.graph_listener_node import GraphListener
from humanoid_description import load_robot
from humanoid_description.inertial import GRAVITY
from humanoid_description.robot_interface import LATCHED, STREAM, RobotHandlers, RobotInterface

PATIENCE = 60.0  # s
ROBOT = load_robot("fibo_km")


class Graph:
    """A robot that says what it is told to, and a listener."""

    def __init__(self) -> None:
        self.context = Context()
        rclpy.init(context=self.context)
        self.executor = EventsExecutor(context=self.context)
        self.node = Node("robot", namespace="heard", context=self.context)
        handlers = RobotHandlers(follow=lambda _: None, set_torque=lambda _: "", stop=lambda: "")
        self.interface = RobotInterface(self.node, ROBOT, handlers)
        self.ears = Node("viewer", context=self.context)
        self.listener = GraphListener(self.ears)
        for node in (self.node, self.ears):
            self.executor.add_node(node)

    def until(self, condition: Callable[[], Any]) -> None:
        end = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < end, "nothing happened"
            self.listener.look()
            for _ in range(20):
                self.executor.spin_once(timeout_sec=0.001)

    def speak(self) -> None:
        stamp = self.node.get_clock().now().to_msg()
        zeros = [0.0] * ROBOT.dof
        self.interface.publish_joint_states(stamp, [0.1] * ROBOT.dof, zeros, zeros)
        self.interface.publish_imu(stamp, (0, 0, 0), (0, 0, GRAVITY))
        for side in ("left", "right"):
            self.interface.publish_foot_wrench(stamp, side, (0, 0, 17.0), (0, 0, 0))

    @property
    def state(self):
        return self.listener.states["heard"]

    def close(self) -> None:
        self.executor.shutdown()
        self.node.destroy_node()
        self.ears.destroy_node()
        rclpy.shutdown(context=self.context)


@pytest.fixture
def graph() -> Iterator[Graph]:
    graph = Graph()
    graph.until(lambda: "heard" in graph.listener.states and graph.state.model is not None)
    yield graph
    graph.close()


def test_a_robot_without_a_known_pose_stands_on_the_ground(graph: Graph) -> None:
    def spoken() -> bool:
        graph.speak()
        return len(graph.state.feet) == 2 and bool(graph.state.posture)

    graph.until(spoken)
    graph.listener.place_bases()
    T_world_base = graph.state.base.T_world_base
    poses = ROBOT.poses(graph.state.posture)
    soles = [(T_world_base @ poses[f.link] @ np.array([0, 0, -f.depth, 1]))[2] for f in ROBOT.parameters.feet.values()]
    assert min(soles) == pytest.approx(0.0, abs=0.02)
    assert [finding.level for finding in graph.listener.findings() if finding.part == "heard"] == ["ok"]


def test_a_pose_that_is_told_makes_the_imu_superfluous(graph: Graph) -> None:
    def told() -> bool:
        graph.interface.publish_odometry(
            graph.node.get_clock().now().to_msg(), (1, 2, 3), (0, 0, 0, 1), (0, 0, 0), (0, 0, 0)
        )
        return graph.state.base.known

    graph.until(told)
    assert graph.state.base.T_world_base[:3, 3].tolist() == [1, 2, 3]
    graph.until(lambda: graph.node.count_subscribers("/heard/imu/data") == 0)


def test_diagnostics_tell_gait_and_temperature_and_bad_descriptions(graph: Graph) -> None:
    publisher = graph.node.create_publisher(DiagnosticArray, "/diagnostics", STREAM)
    servo = DiagnosticStatus(name="/heard/robot: left_knee", message="hot", level=DiagnosticStatus.WARN)
    servo.values = [KeyValue(key="temperature, degC", value="71")]
    gait = DiagnosticStatus(name="/heard/gait: gait", message="walks", values=[KeyValue(key="state", value="ready")])

    def heard() -> bool:
        publisher.publish(DiagnosticArray(status=[servo, gait]))
        return graph.state.gait == "ready"

    graph.until(heard)
    assert graph.state.doing == "walks"
    assert graph.state.joints["left_knee"]["temperature"] == 71
    assert any(finding.level == "warning" and finding.text == "hot" for finding in graph.listener.findings())
    adapted = graph.node.create_publisher(String, "adapted_description", LATCHED)
    adapted.publish(String(data="<robot"))
    graph.until(lambda: any("not valid XML" in finding.text for finding in graph.listener.findings()))


def test_a_robot_that_has_gone_is_forgotten(graph: Graph) -> None:
    graph.executor.remove_node(graph.node)
    graph.node.destroy_node()
    graph.until(lambda: not graph.listener.states)
