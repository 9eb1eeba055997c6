"""The simulator in a real ROS graph."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import WrenchStamped
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import Imu, JointState
from std_msgs.msg import String
from std_srvs.srv import SetBool, Trigger
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from humanoid_description import load_robot
from humanoid_description.robot_interface import LATCHED, STREAM
from humanoid_sim.sim_node import SimNode
from humanoid_sim.simulation import Simulation

PATIENCE = 60.0  # s


class Graph:
    """Two simulated robots and a user."""

    def __init__(self) -> None:
        self.context = Context()
        rclpy.init(context=self.context, domain_id=101 + os.getpid() % 100)
        self.executor = SingleThreadedExecutor(context=self.context)
        self.simulation = Simulation({"a": load_robot("fibo_km"), "b": load_robot("nao")})
        self.sim_node = SimNode(self.simulation, factor=math.inf, context=self.context)
        self.sim_node.add_to(self.executor)
        self.user = Node("user", context=self.context)
        self.executor.add_node(self.user)

    def until(self, condition: Callable[[], Any]) -> None:
        end = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < end, "nothing happened"
            for _ in range(20):  # serve what has arrived before time goes on
                self.executor.spin_once(timeout_sec=0.0)
            self.sim_node.tick()

    def received(self, message_type: type, topic: str, qos: Any = STREAM) -> list[Any]:
        messages: list[Any] = []
        self.user.create_subscription(message_type, topic, messages.append, qos)
        self.until(lambda: messages)
        return messages

    def publisher(self, message_type: type, topic: str, qos: Any = STREAM) -> Any:
        publisher = self.user.create_publisher(message_type, topic, qos)
        self.until(publisher.get_subscription_count)
        return publisher

    def call(self, service_type: type, name: str, request: Any) -> Any:
        client = self.user.create_client(service_type, name)
        self.until(client.service_is_ready)
        future = client.call_async(request)
        self.until(future.done)
        return future.result()

    def close(self) -> None:
        self.executor.shutdown()
        self.sim_node.destroy()
        self.user.destroy_node()
        rclpy.shutdown(context=self.context)


@pytest.fixture
def graph() -> Iterator[Graph]:
    """A running simulation."""
    graph = Graph()
    yield graph
    graph.close()


def test_robots_speak_in_their_namespaces_on_simulated_time(graph: Graph) -> None:
    clock = graph.received(Clock, "/clock")
    states = {name: graph.received(JointState, f"/{name}/joint_states") for name in ("a", "b")}
    imu = graph.received(Imu, "/a/imu/data")
    wrench = graph.received(WrenchStamped, "/b/foot/left/wrench")
    graph.until(lambda: len(states["a"]) > 20)
    assert len(states["a"][-1].name) == 20
    assert len(states["b"][-1].name) == 22
    stamps = [message.clock.sec + 1e-9 * message.clock.nanosec for message in clock]
    assert (np.diff(stamps) > 0).all()
    stamp = states["a"][-1].header.stamp
    assert stamp.sec + 1e-9 * stamp.nanosec <= graph.simulation.time + 1e-6
    assert len(imu) > 1.5 * len(states["a"][1:]) - 10
    assert imu[-1].linear_acceleration.z == pytest.approx(9.81, abs=1.5)
    assert wrench[-1].header.frame_id == "left_foot"


def test_a_late_joiner_gets_the_description(graph: Graph) -> None:
    graph.until(lambda: graph.simulation.time > 0.1)
    assert graph.received(String, "/b/robot_description", LATCHED)[0].data == load_robot("nao").urdf


def test_a_trajectory_moves_the_joint(graph: Graph) -> None:
    publisher = graph.publisher(JointTrajectory, "/a/joint_trajectory")
    point = JointTrajectoryPoint(positions=[0.5])
    point.time_from_start.nanosec = 500_000_000
    publisher.publish(JointTrajectory(joint_names=["head_yaw"], points=[point]))
    column = graph.simulation.robots["a"].joint_names.index("head_yaw")
    graph.until(lambda: graph.simulation.observe("a").joint_position[column] > 0.4)
    assert not graph.simulation.fallen("a")


def test_a_thousand_bad_messages_change_nothing_but_a_count(graph: Graph) -> None:
    publisher = graph.publisher(JointTrajectory, "/a/joint_trajectory")
    bad = [
        JointTrajectory(joint_names=["tail"], points=[JointTrajectoryPoint(positions=[0.0])]),
        JointTrajectory(joint_names=["head_yaw"], points=[JointTrajectoryPoint(positions=[math.nan])]),
        JointTrajectory(),
        JointTrajectory(joint_names=["head_yaw"], points=[JointTrajectoryPoint(positions=[0.0] * 99)]),
        JointTrajectory(joint_names=["head_yaw"], points=[JointTrajectoryPoint(positions=[0.5])] * 2),
    ]
    interface = graph.sim_node.robots[0].interface
    for count in range(1, 201):
        for message in bad:
            publisher.publish(message)
        graph.until(lambda count=count: interface.refused == 5 * count)
    assert interface.accepted == 0
    column = graph.simulation.robots["a"].joint_names.index("head_yaw")
    assert graph.simulation.scene.buffers.target[column] == 0.0
    diagnostics = graph.received(DiagnosticArray, "/diagnostics")
    graph.until(lambda: any("refused" in status.message for array in diagnostics for status in array.status))


def test_an_adapted_description_is_taken_over_while_it_runs(graph: Graph) -> None:
    heavier = load_robot("fibo_km", ["left_forearm:0.2:0,0,-0.03"])
    publisher = graph.publisher(String, "/a/adapted_description", LATCHED)
    before = graph.simulation.com("a")
    publisher.publish(String(data=heavier.urdf))
    graph.until(lambda: graph.simulation.robots["a"].mass > 3.5)
    assert graph.simulation.com("a")[1] - before[1] == pytest.approx(0.0055, abs=0.002)
    assert graph.simulation.robots["b"].mass == pytest.approx(4.6071)


def test_pause_stop_torque_reset_and_push(graph: Graph) -> None:
    assert graph.call(SetBool, "/pause", SetBool.Request(data=True)).message == "paused"
    stood = graph.simulation.time
    for _ in range(10):
        graph.sim_node.tick()
    assert graph.simulation.time == stood
    graph.call(SetBool, "/pause", SetBool.Request(data=False))
    assert graph.call(Trigger, "/a/stop", Trigger.Request()).success
    push = WrenchStamped()
    push.wrench.force.x = 40.0
    graph.publisher(WrenchStamped, "/a/push").publish(push)
    graph.until(lambda: graph.simulation.fallen("a"))
    head = JointTrajectoryPoint(positions=[0.5])
    graph.publisher(JointTrajectory, "/b/joint_trajectory").publish(
        JointTrajectory(joint_names=["head_yaw"], points=[head])
    )
    column = graph.simulation.robots["b"].joint_names.index("head_yaw")
    graph.until(lambda: graph.simulation.observe("b").joint_position[column] > 0.4)
    fell_at = graph.simulation.time
    assert graph.call(Trigger, "/a/reset", Trigger.Request()).success
    assert graph.simulation.time < fell_at
    graph.until(lambda: graph.simulation.time > 0.5)
    assert abs(graph.simulation.observe("b").joint_position[column]) < 0.05
    assert graph.call(SetBool, "/b/torque", SetBool.Request(data=False)).message == "servos are off"
    graph.until(lambda: graph.simulation.fallen("b"))
