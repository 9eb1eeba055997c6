"""A ROS graph for tests: a robot with a hidden load, its twin in the same simulation, and the nodes of this package."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import rclpy
from geometry_msgs.msg import InertiaStamped
from rclpy.context import Context
from rclpy.experimental import EventsExecutor
from rclpy.node import Node
from std_msgs.msg import String
from std_srvs.srv import SetBool, Trigger

from humanoid_adapt.adapt_node import MANY_LATCHED, AdaptNode
from humanoid_adapt.fall_test_node import FallTestNode
from humanoid_adapt.routine import Settings
from humanoid_description import Robot
from humanoid_description.robot_interface import LATCHED
from humanoid_sim.sim_node import SimNode
from humanoid_sim.simulation import Simulation

PATIENCE = 300.0  # s


class Graph:
    """`/real` is tested; `/twin` follows it."""

    def __init__(self, model: Robot, truth: Robot, models: Path) -> None:
        self.context = Context()
        rclpy.init(context=self.context)
        self.executor = EventsExecutor(context=self.context)  # several times as fast
        self.simulation = Simulation({"real": truth, "twin": model})
        self.sim_node = SimNode(self.simulation, factor=math.inf, context=self.context)
        self.sim_node.add_to(self.executor)
        tester, adapter = (Node(name, namespace="real", context=self.context) for name in ("fall_test", "adapt"))
        self.user = Node("user", context=self.context)
        for node in (tester, adapter, self.user):
            self.executor.add_node(node)
        self.nodes = (tester, adapter, self.user)
        settings = Settings(rate=math.radians(6.0), settle_seconds=0.3, rest_seconds=0.3)
        self.fall_test = FallTestNode(tester, model, "paper", settings, "reset")
        self.adapt = AdaptNode(adapter, model, models)
        self.results: list[String] = []
        self.inertials: list[InertiaStamped] = []
        self.user.create_subscription(String, "/real/adapt/result", self.results.append, LATCHED)
        self.user.create_subscription(InertiaStamped, "/real/inertials", self.inertials.append, MANY_LATCHED)
        relay = self.user.create_publisher(String, "/twin/adapted_description", LATCHED)
        self.user.create_subscription(String, "/real/adapted_description", relay.publish, LATCHED)
        self.until(relay.get_subscription_count)
        self.until(lambda: not self.fall_test.missing())

    def until(self, condition: Callable[[], Any]) -> None:
        """Serve and simulate until something holds."""
        end = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < end, "nothing happened"
            for _ in range(14):  # serve what has arrived before time goes on
                self.executor.spin_once(timeout_sec=0.0)
            self.sim_node.tick()

    def call(self, kind: type, name: str, request: Any) -> Any:
        """Answer of a service."""
        client = self.user.create_client(kind, name)
        self.until(client.service_is_ready)
        future = client.call_async(request)
        self.until(future.done)
        return future.result()

    def trigger(self, name: str) -> Trigger.Response:
        """Answer of a Trigger service."""
        return self.call(Trigger, name, Trigger.Request())

    def set(self, name: str, data: bool) -> SetBool.Response:
        """Answer of a SetBool service."""
        return self.call(SetBool, name, SetBool.Request(data=data))

    def close(self) -> None:
        """Take everything out of the graph."""
        self.executor.shutdown()
        self.sim_node.destroy()
        for node in self.nodes:
            node.destroy_node()
        rclpy.shutdown(context=self.context)
