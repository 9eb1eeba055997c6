"""A simulated robot walks on cmd_vel, through the real nodes and topics."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import rclpy
from geometry_msgs.msg import Twist, Vector3
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from std_srvs.srv import SetBool, Trigger

from humanoid_description import load_robot
from humanoid_description.robot_interface import STREAM
from humanoid_gait.gait_control import OFF, READY
from humanoid_gait.gait_node import GaitNode
from humanoid_sim.sim_node import SimNode
from humanoid_sim.simulation import Simulation

PATIENCE = 120.0  # s


class Graph:
    """A simulated robot, its gait and a user."""

    def __init__(self) -> None:
        self.context = Context()
        rclpy.init(context=self.context)
        self.executor = SingleThreadedExecutor(context=self.context)
        robot = load_robot("fibo_km")
        self.simulation = Simulation({"r": robot})
        self.sim_node = SimNode(self.simulation, math.inf, context=self.context)
        self.sim_node.add_to(self.executor)
        self.gait = GaitNode(Node("gait", namespace="r", context=self.context), robot)
        self.user = Node("user", namespace="r", context=self.context)
        for node in (self.gait.node, self.user):
            self.executor.add_node(node)
        self.velocity = self.user.create_publisher(Twist, "cmd_vel", STREAM)
        self.until(self.velocity.get_subscription_count)

    def until(self, condition: Callable[[], Any]) -> None:
        end = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < end, "nothing happened"
            for _ in range(20):  # serve what has arrived before time goes on
                self.executor.spin_once(timeout_sec=0.0)
            self.sim_node.tick()

    def call(self, service_type: type, name: str, request: Any) -> Any:
        client = self.user.create_client(service_type, name)
        self.until(client.service_is_ready)
        future = client.call_async(request)
        self.until(future.done)
        return future.result()

    def walk(self, way: float) -> None:
        """Rise, and walk so far (m)."""
        assert self.call(SetBool, "walk", SetBool.Request(data=True)).success
        self.until(lambda: self.gait.control.state == READY)
        start = self.simulation.observe("r").base_position[0]

        def walked() -> bool:
            self.velocity.publish(Twist(linear=Vector3(x=0.2)))
            return bool(self.simulation.observe("r").base_position[0] - start > way)

        self.until(walked)

    def close(self) -> None:
        self.executor.shutdown()
        self.sim_node.destroy()
        for node in (self.gait.node, self.user):
            node.destroy_node()
        rclpy.shutdown(context=self.context)


@pytest.fixture
def graph() -> Iterator[Graph]:
    """A robot that can walk."""
    graph = Graph()
    yield graph
    graph.close()


def test_it_rises_walks_forward_and_stops_on_both_feet(graph: Graph) -> None:
    graph.walk(0.3)
    graph.until(lambda: graph.gait.control.walker.standing)
    assert not graph.simulation.fallen("r")


def test_stop_halts_a_walking_robot_until_it_is_released(graph: Graph) -> None:
    graph.walk(0.05)
    interface = graph.sim_node.robots[0].interface
    assert graph.call(Trigger, "stop", Trigger.Request()).success
    accepted, posture = interface.accepted, graph.simulation.observe("r").joint_position
    graph.until(lambda: graph.gait.control.state == OFF)
    later = graph.simulation.time + 0.5

    def keeps_on_telling() -> bool:
        graph.velocity.publish(Twist(linear=Vector3(x=0.2)))
        return graph.simulation.time > later

    graph.until(keeps_on_telling)
    assert interface.accepted == accepted
    assert np.abs(graph.simulation.observe("r").joint_position - posture).max() < 0.2  # the servos give way a little
    assert "torque" in graph.call(SetBool, "walk", SetBool.Request(data=True)).message
    assert graph.call(Trigger, "reset", Trigger.Request()).success
    graph.until(lambda: graph.simulation.time > 0.5)
    graph.walk(0.05)
    graph.call(Trigger, "stop", Trigger.Request())
    assert graph.call(SetBool, "torque", SetBool.Request(data=True)).success
    graph.until(lambda: graph.call(SetBool, "walk", SetBool.Request(data=True)).success)
