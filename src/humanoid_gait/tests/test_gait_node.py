"""The gait in a real ROS graph, against a robot that does what it is told."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import Twist, Vector3
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from sensor_msgs.msg import Imu, JointState
from std_msgs.msg import Bool, String
from std_srvs.srv import SetBool
from trajectory_msgs.msg import JointTrajectory
from visualization_msgs.msg import MarkerArray

from humanoid_description import load_robot
from humanoid_description.robot_interface import LATCHED, STREAM
from humanoid_gait.gait_control import OFF, READY
from humanoid_gait.gait_node import GaitNode

ROBOT = load_robot("fibo_km")
PATIENCE = 60.0  # s


class Graph:
    """A gait node, and a robot that moves at once where it is told."""

    def __init__(self) -> None:
        self.context = Context()
        rclpy.init(context=self.context)
        self.executor = SingleThreadedExecutor(context=self.context)
        self.gait = GaitNode(Node("gait", namespace="r", context=self.context), ROBOT)
        self.robot = Node("robot", namespace="r", context=self.context)
        for node in (self.gait.node, self.robot):
            self.executor.add_node(node)
        self.commands: list[JointTrajectory] = []
        self.position = [0.0] * ROBOT.dof
        self.stamp = 0
        self.silent: set[str] = set()
        self.robot.create_subscription(JointTrajectory, "joint_trajectory", self._obey, STREAM)
        self.states = self.robot.create_publisher(JointState, "joint_states", STREAM)
        self.imu = self.robot.create_publisher(Imu, "imu/data", STREAM)
        self.until(lambda: self.states.get_subscription_count() and self.imu.get_subscription_count())

    def _obey(self, message: JointTrajectory) -> None:
        self.commands.append(message)
        self.position = list(message.points[0].positions)

    def tick(self) -> None:
        """One control period of the robot."""
        self.stamp += 10_000_000
        imu = Imu(linear_acceleration=Vector3(z=9.81))
        told = [
            (name, angle)
            for name, angle in zip(ROBOT.joint_names, self.position, strict=True)
            if name not in self.silent
        ]
        state = JointState(name=[name for name, _ in told], position=[angle for _, angle in told])
        for message in (imu, state):
            message.header.stamp.sec, message.header.stamp.nanosec = divmod(self.stamp, 1_000_000_000)
        before = self.gait._ticks
        if "imu/data" not in self.silent:
            self.imu.publish(imu)
        self.states.publish(state)
        self.until(lambda: self.gait._ticks > before, live=False)

    def until(self, condition: Callable[[], Any], live: bool = True) -> None:
        end = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < end, "nothing happened"
            self.executor.spin_once(timeout_sec=0.01)
            if live and self.stamp:
                self.tick()

    def rise(self) -> None:
        for _ in range(3):
            self.tick()
        self.switch(True)
        self.until(lambda: self.gait.control.state == READY)

    def switch(self, on: bool) -> str:
        client = self.robot.create_client(SetBool, "walk")
        self.until(client.service_is_ready)
        future = client.call_async(SetBool.Request(data=on))
        self.until(future.done)
        return str(future.result().message)

    def close(self) -> None:
        self.executor.shutdown()
        self.gait.node.destroy_node()
        self.robot.destroy_node()
        rclpy.shutdown(context=self.context)


@pytest.fixture
def graph() -> Iterator[Graph]:
    """A robot and its gait."""
    graph = Graph()
    yield graph
    graph.close()


def test_it_waits_then_rises_walks_and_stops(graph: Graph) -> None:
    diagnostics: list[DiagnosticArray] = []
    markers: list[MarkerArray] = []
    graph.robot.create_subscription(DiagnosticArray, "/diagnostics", diagnostics.append, STREAM)
    graph.robot.create_subscription(MarkerArray, "markers", markers.append, STREAM)
    velocity = graph.robot.create_publisher(Twist, "cmd_vel", STREAM)
    graph.until(velocity.get_subscription_count)
    velocity.publish(Twist(linear=Vector3(x=0.2)))
    for _ in range(30):
        graph.tick()
    assert graph.commands == []
    assert "rises" in graph.switch(True)
    graph.until(lambda: graph.gait.control.state == READY)

    def drive() -> bool:
        velocity.publish(Twist(linear=Vector3(x=0.2)))
        return graph.gait.control.walker.planned.feet["left"][0] > 0.2

    graph.until(drive)
    graph.until(lambda: graph.gait.control.walker.standing)  # nobody repeats the velocity
    assert list(graph.commands[-1].joint_names) == list(ROBOT.joint_names)
    graph.until(lambda: diagnostics and diagnostics[-1].status[0].message == "stands")
    told = [message.status[0].message for message in diagnostics]
    news = dict.fromkeys(text for text in told if text != "stands")
    assert list(news) == ["switched off", "rises to its stance", "ready", "walks"]
    graph.until(lambda: len(markers) > 2)
    seen = markers[-1].markers
    assert {marker.ns for marker in seen} == {"com", "zmp", "feet", "support"}
    assert {marker.header.frame_id for marker in seen} == {ROBOT.base_model.root}
    placed = graph.gait.control.walker.placed
    soles = [point for marker in seen if marker.ns == "feet" for point in marker.points]
    in_plan = [placed.R_plan_base @ [point.x, point.y, point.z] + placed.base for point in soles]
    assert min(point[2] for point in in_plan) == pytest.approx(0.0, abs=1e-3)
    graph.switch(False)
    graph.until(lambda: graph.gait.control.state == OFF)


def test_bad_messages_change_nothing_but_a_counter(graph: Graph) -> None:
    velocity = graph.robot.create_publisher(Twist, "cmd_vel", STREAM)
    adapted = graph.robot.create_publisher(String, "adapted_description", LATCHED)
    graph.until(lambda: velocity.get_subscription_count() and adapted.get_subscription_count())
    graph.tick()
    mass = graph.gait.control.walker.robot.mass
    for bad in (float("nan"), float("inf")):
        velocity.publish(Twist(linear=Vector3(x=bad)))
    velocity.publish(Twist(linear=Vector3(z=0.1)))
    velocity.publish(Twist(angular=Vector3(y=-0.1)))
    adapted.publish(String(data="<robot/>"))
    graph.states.publish(JointState(name=["nobody"], position=[0.0]))
    state = JointState(name=list(ROBOT.joint_names), position=[float("nan")] * ROBOT.dof)
    graph.states.publish(state)
    graph.until(lambda: graph.gait.refused == 7)
    assert not graph.gait.control.walker.wanted.any()
    assert graph.gait.control.walker.robot.mass == mass
    assert graph.commands == []


def test_an_adapted_description_is_planned_with(graph: Graph) -> None:
    laden = ROBOT.with_payloads(["left_forearm:0.2:0,0,-0.03"])
    adapted = graph.robot.create_publisher(String, "adapted_description", LATCHED)
    adapted.publish(String(data=laden.urdf))
    graph.until(lambda: graph.gait.control.walker.robot.mass == pytest.approx(laden.mass))
    graph.tick()
    assert graph.gait.refused == 0
    assert np.isfinite(graph.gait.control.walker.placed.position).all()


def test_a_joint_that_is_left_out_is_where_it_was(graph: Graph) -> None:
    graph.tick()
    ticks = graph.gait._ticks
    names = list(ROBOT.joint_names)[1:]
    state = JointState(name=names, position=graph.position[1:])
    state.header.stamp.nanosec = graph.stamp + 10_000_000
    graph.states.publish(state)
    graph.until(lambda: graph.gait._ticks > ticks, live=False)
    assert graph.gait.refused == 0


@pytest.mark.parametrize("silent", ["imu/data", "left_knee"])
def test_a_robot_that_is_not_felt_is_left_alone(graph: Graph, silent: str) -> None:
    graph.rise()
    graph.silent.add(silent)
    for _ in range(10):
        graph.tick()
    assert graph.gait.control.state == READY
    graph.until(lambda: graph.gait.control.state == OFF)
    assert silent in graph.gait.control.reason
    assert silent in graph.switch(True)
    before = len(graph.commands)
    graph.silent.clear()
    for _ in range(30):
        graph.tick()
    assert graph.gait.control.state == OFF  # also when it speaks again
    assert len(graph.commands) == before
    graph.rise()


def test_a_robot_that_somebody_stopped_is_left_alone(graph: Graph) -> None:
    graph.rise()
    stopped = graph.robot.create_publisher(Bool, "stopped", LATCHED)
    stopped.publish(Bool(data=True))
    graph.until(lambda: graph.gait.control.state == OFF)
    assert "torque" in graph.switch(True)
    assert graph.gait.control.state == OFF
    stopped.publish(Bool(data=False))
    graph.until(lambda: "rises" in graph.switch(True))
    graph.until(lambda: graph.gait.control.state == READY)
