"""What is around the robots, as markers."""

from __future__ import annotations

import math

import rclpy
from geometry_msgs.msg import PoseStamped
from rclpy.context import Context
from rclpy.experimental import EventsExecutor
from rclpy.node import Node
from visualization_msgs.msg import Marker, MarkerArray

from humanoid_description import load_robot
from humanoid_description.robot_interface import LATCHED, STREAM
from humanoid_sim.scene import World
from humanoid_sim.sim_node import SimNode
from humanoid_sim.simulation import Simulation
from humanoid_sim.world_node import markers


def test_markers_are_what_the_world_has() -> None:
    assert markers(World()) == []
    box = ((1.0, 2.0, 0.1), (0.2, 0.3, 0.2))
    found = {marker.ns: marker for marker in markers(World(field=True, ball=True, obstacles=(box,)))}
    assert found["obstacle_0"].pose.position.y == 2.0
    assert found["obstacle_0"].scale.y == 0.3
    assert found["lines"].type == Marker.LINE_LIST
    assert len(found["lines"].points) % 2 == 0
    assert found["ball"].scale.x == 0.14
    assert sum("goal" in name for name in found) == 6


def test_a_late_joiner_sees_the_world_and_where_the_ball_is() -> None:
    context = Context()
    rclpy.init(context=context)
    executor = EventsExecutor(context=context)
    simulation = Simulation({"w": load_robot("fibo_km")}, World(ball=True), starts={"w": (-1.0, 0.0, 0.0)})
    sim_node = SimNode(simulation, math.inf, context=context)
    sim_node.add_to(executor)
    user = Node("user", context=context)
    executor.add_node(user)
    worlds: list[MarkerArray] = []
    balls: list[PoseStamped] = []
    user.create_subscription(MarkerArray, "/world", worlds.append, LATCHED)
    user.create_subscription(PoseStamped, "/ball", balls.append, STREAM)
    while not worlds or not balls:
        executor.spin_once(timeout_sec=0.0)
        sim_node.tick()
    assert [marker.ns for marker in worlds[0].markers] == ["ball"]
    assert abs(balls[0].pose.position.z - 0.07) < 0.01
    executor.shutdown()
    sim_node.destroy()
    user.destroy_node()
    rclpy.shutdown(context=context)
