"""A simulated robot walks on cmd_vel, through the real nodes and topics."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import rclpy
from geometry_msgs.msg import Twist, Vector3
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from std_srvs.srv import SetBool

from humanoid_description import load_robot
from humanoid_description.robot_interface import STREAM
from humanoid_gait.gait_control import READY
from humanoid_gait.gait_node import GaitNode
from humanoid_sim.sim_node import SimNode
from humanoid_sim.simulation import Simulation

PATIENCE = 120.0  # s


def test_it_rises_walks_forward_and_stops_on_both_feet() -> None:
    context = Context()
    rclpy.init(context=context)
    executor = SingleThreadedExecutor(context=context)
    robot = load_robot("fibo_km")
    simulation = Simulation({"r": robot})
    sim_node = SimNode(simulation, math.inf, context=context)
    sim_node.add_to(executor)
    gait = GaitNode(Node("gait", namespace="r", context=context), robot)
    user = Node("user", namespace="r", context=context)
    for node in (gait.node, user):
        executor.add_node(node)

    def until(condition: Callable[[], Any]) -> None:
        end = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < end, "nothing happened"
            for _ in range(20):  # serve what has arrived before time goes on
                executor.spin_once(timeout_sec=0.0)
            sim_node.tick()

    velocity = user.create_publisher(Twist, "cmd_vel", STREAM)
    client = user.create_client(SetBool, "walk")
    until(lambda: client.service_is_ready() and velocity.get_subscription_count())
    future = client.call_async(SetBool.Request(data=True))
    until(lambda: future.done() and gait.control.state == READY)
    start = simulation.observe("r").base_position[0]

    def walked() -> bool:
        velocity.publish(Twist(linear=Vector3(x=0.2)))
        return simulation.observe("r").base_position[0] - start > 0.3

    until(walked)
    until(lambda: gait.control.walker.standing)
    assert not simulation.fallen("r")
    executor.shutdown()
    sim_node.destroy()
    for node in (gait.node, user):
        node.destroy_node()
    rclpy.shutdown(context=context)
