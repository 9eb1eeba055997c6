"""What keeps a robot upright, as it is measured, for rviz and others that draw markers.

The gait's `markers` are its plan, and there are none where nothing walks; these come from joints and feet alone.
"""

from __future__ import annotations

import time

import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import Point
from rclpy.node import Node
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from humanoid_bringup.graph_listener_node import GraphListener
from humanoid_bringup.viewer.balance_scene import BLUE, GREEN, RED
from humanoid_bringup.viewer.balance_view import BalanceView, balance_view
from humanoid_description.robot_interface import STREAM

PERIOD = 0.05
"""s between two sets of markers."""
LOOK_PERIOD = 0.5
"""s between two looks for the robot."""
BALL, LINE = 0.025, 0.005
"""m: diameter and width."""


def balance_markers(view: BalanceView, T_world_base: np.ndarray, stamp: Time, base: str) -> MarkerArray:
    """Centre of mass, zero moment point and support polygon in the frame of the base."""

    def marker(name: str, kind: int, places: np.ndarray, colour: tuple[int, int, int]) -> Marker:
        made = Marker(ns=f"measured_{name}", type=kind, action=Marker.ADD if len(places) else Marker.DELETE)
        made.header.stamp, made.header.frame_id = stamp, base
        made.pose.orientation.w = 1.0
        red, green, blue = (part / 255 for part in colour)
        made.color = ColorRGBA(r=red, g=green, b=blue, a=1.0)
        made.scale.x = made.scale.y = made.scale.z = LINE if kind == Marker.LINE_STRIP else BALL
        in_base = (places - T_world_base[:3, 3]) @ T_world_base[:3, :3]
        made.points = [Point(x=x, y=y, z=z) for x, y, z in in_base.tolist()]
        return made

    zmp = np.zeros((0, 3)) if view.zmp is None else view.zmp[None]
    outline = np.concatenate([view.support, view.support[:1]])
    return MarkerArray(
        markers=[
            marker("com", Marker.SPHERE_LIST, view.com[None], BLUE),
            marker("zmp", Marker.SPHERE_LIST, zmp, RED),
            marker("support", Marker.LINE_STRIP, outline, GREEN),
        ]
    )


class BalanceNode:
    """Publishes `balance` in the namespace of a node."""

    def __init__(self, node: Node) -> None:
        self._listener = GraphListener(node, only=node.get_namespace().strip("/"))
        self._publisher = node.create_publisher(MarkerArray, "balance", STREAM)
        self._look = 0.0
        node.create_timer(PERIOD, self._tick)

    def _tick(self) -> None:
        if time.monotonic() >= self._look:
            self._look = time.monotonic() + LOOK_PERIOD
            self._listener.look()
        self._listener.place_bases()
        if not self._publisher.get_subscription_count():
            return
        for state in self._listener.states.values():
            view = balance_view(state)
            if view is not None and state.model is not None and state.posture:
                stamp = Time(sec=int(state.time), nanosec=int(state.time % 1 * 1e9))
                base = state.model.model.root
                self._publisher.publish(balance_markers(view, state.base.T_world_base, stamp, base))
