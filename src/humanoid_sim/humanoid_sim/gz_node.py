"""The robots of a Gazebo world in ROS 2, served from within Gazebo's own process."""

from __future__ import annotations

import math

import rclpy
from rclpy.context import Context
from rclpy.experimental import EventsExecutor
from rclpy.signals import SignalHandlerOptions

from humanoid_description.arrivals_node import serve_arrived
from humanoid_sim.shadow import Shadow
from humanoid_sim.sim_node import SimNode


class GzNode:
    """The simulator's nodes, which Gazebo's steps drive instead of a clock."""

    def __init__(self, shadow: Shadow, control_rate: float, interpolation: str, context: Context | None = None) -> None:
        self._owns_ros = context is None and not rclpy.ok()
        if self._owns_ros:
            # Signals are Gazebo's.
            rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
        self.sim_node = SimNode(shadow, math.inf, control_rate, interpolation, context, shadow.disagreement)
        self._executor = EventsExecutor(context=context)
        self.sim_node.add_to(self._executor)
        self._steps_left = 0
        self._begun = False
        self._paused = False

    def step(self) -> None:
        """Before each of Gazebo's steps, with the state that it begins with."""
        if self._steps_left == 0:
            if self._begun:
                self.sim_node.end_tick()
            self.serve()
            self.sim_node.begin_tick()
            self._begun = True
            self._steps_left = self.sim_node.steps
        self._steps_left -= 1

    def serve(self) -> None:
        """Take what others sent."""
        serve_arrived(self._executor)
        self.sim_node.report()

    def wanted_pause(self, paused: bool) -> bool | None:
        """What /pause asks of Gazebo, whose own pause button counts as well; None if nothing is to be done."""
        if paused != self._paused:
            self._paused = self.sim_node.paused = paused
        return None if self.sim_node.paused == paused else self.sim_node.paused

    def hold(self, namespace: str) -> None:
        """Let a robot forget its trajectories and stay as it is."""
        for robot in self.sim_node.robots:
            if robot.namespace == namespace:
                robot.hold()

    def restart(self) -> None:
        """Gazebo's time begins anew: robots forget their trajectories."""
        for robot in self.sim_node.robots:
            robot.restart()
        self._steps_left, self._begun = 0, False

    def close(self) -> None:
        """Leave the graph."""
        self._executor.shutdown()
        self.sim_node.destroy()
        if self._owns_ros:
            rclpy.shutdown()
