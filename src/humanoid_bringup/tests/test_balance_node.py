"""Measured balance as markers, from a simulated robot that nothing walks."""

from __future__ import annotations

import math
import time
from dataclasses import replace

import numpy as np
import pytest
import rclpy
from builtin_interfaces.msg import Time
from rclpy.context import Context
from rclpy.experimental import EventsExecutor
from rclpy.node import Node
from seen_robot import standing
from visualization_msgs.msg import Marker, MarkerArray

from humanoid_bringup.balance_node import BalanceNode, balance_markers
from humanoid_bringup.viewer.balance_view import balance_view
from humanoid_description import load_robot
from humanoid_description.arrivals_node import serve_arrived
from humanoid_description.robot_interface import STREAM
from humanoid_sim.sim_node import SimNode
from humanoid_sim.simulation import Simulation

PATIENCE = 60.0  # s


def test_places_are_told_in_the_frame_of_the_base() -> None:
    state = standing(load_robot("fibo_km"))
    state.base.tell(np.array([1.0, 2.0, 0.3]), np.array([0.0, 0.0, math.sqrt(0.5), math.sqrt(0.5)]))
    view = balance_view(state)
    assert view is not None
    com, zmp, support = balance_markers(view, state.base.T_world_base, Time(sec=3), "torso").markers
    assert (com.ns, com.header.frame_id, com.header.stamp.sec) == ("measured_com", "torso", 3)
    assert state.model is not None
    expected = state.model.kinematics.com_in_base(state.posture)
    assert (com.points[0].x, com.points[0].y, com.points[0].z) == pytest.approx(tuple(expected))
    assert len(zmp.points) == 1
    assert support.points[0] == support.points[-1]
    air = replace(view, zmp=None, support=np.zeros((0, 3)))
    _, zmp, support = balance_markers(air, state.base.T_world_base, Time(), "torso").markers
    assert zmp.action == support.action == Marker.DELETE


def test_a_robot_that_nothing_walks_is_told_too() -> None:
    context = Context()
    rclpy.init(context=context)
    executor = EventsExecutor(context=context)
    robot = load_robot("fibo_km")
    sim = SimNode(Simulation({"still": robot, "other": robot}), math.inf, context=context)
    sim.add_to(executor)
    node = Node("balance", namespace="still", context=context)
    BalanceNode(node)
    heard: list[MarkerArray] = []
    node.create_subscription(MarkerArray, "balance", heard.append, STREAM)
    executor.add_node(node)
    end = time.monotonic() + PATIENCE
    while not heard or not all(marker.points for marker in heard[-1].markers):
        assert time.monotonic() < end, heard
        sim.tick()
        serve_arrived(executor)
    com = heard[-1].markers[0].points[0]
    stand = robot.com_in_base(robot.parameters.stand)
    assert (com.x, com.y, com.z) == pytest.approx(tuple(stand), abs=0.02)
    executor.shutdown()
    sim.destroy()
    node.destroy_node()
    rclpy.shutdown(context=context)
