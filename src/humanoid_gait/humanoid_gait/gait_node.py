"""The walk in ROS 2: cmd_vel and sensors in, joint_trajectory out; driven by joint states, so on simulated time too."""

from __future__ import annotations

import math

import numpy as np
from builtin_interfaces.msg import Duration, Time
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from geometry_msgs.msg import Point, Twist
from rclpy.node import Node
from sensor_msgs.msg import Imu, JointState
from std_msgs.msg import Bool, ColorRGBA, String
from std_srvs.srv import SetBool
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint
from visualization_msgs.msg import Marker, MarkerArray

from humanoid_description import Robot, RobotError
from humanoid_description.command import checked_inertials
from humanoid_description.robot_interface import LATCHED, STREAM
from humanoid_description.support_polygon import support_polygon
from humanoid_gait.gait_control import FALLEN, LONGEST_SILENCE, GaitControl, checked_velocity
from humanoid_gait.pattern import SIDES
from humanoid_gait.planar_pose import place
from humanoid_gait.walker import CONTROL_PERIOD, Sensed

MARKER_EVERY = 5
"""Ticks between two sets of markers."""
DIAGNOSTICS_PERIOD = 1.0
"""s, unless there is something new to say."""


class GaitNode:
    """Walks the robot of a namespace."""

    def __init__(self, node: Node, robot: Robot, rate: float = 1 / CONTROL_PERIOD) -> None:
        """Serve a robot whose joint states come at this rate (Hz)."""
        self.node = node
        self._robot = robot
        self.control = GaitControl(robot, period=1.0 / rate)
        self.refused = 0
        self._last_refusal = ""
        self._imu: Imu | None = None
        self._imu_is_new = False
        self._heard: dict[str, float] = {}
        """When imu/data and each joint last told something, in the time of the joint states, s."""
        self._position: dict[str, float] = {}
        self._stopped = False
        self._ticks = 0
        self._reported, self._reason = -math.inf, ""
        self._now = 0.0
        self._trajectory = node.create_publisher(JointTrajectory, "joint_trajectory", STREAM)
        self._markers = node.create_publisher(MarkerArray, "markers", STREAM)
        self._diagnostics = node.create_publisher(DiagnosticArray, "/diagnostics", STREAM)
        node.create_subscription(Imu, "imu/data", self._on_imu, STREAM)
        node.create_subscription(JointState, "joint_states", self._on_joint_states, STREAM)
        node.create_subscription(Twist, "cmd_vel", self._on_cmd_vel, STREAM)
        node.create_subscription(Bool, "stopped", self._on_stopped, LATCHED)
        node.create_subscription(String, "adapted_description", self._on_adapted, LATCHED)
        node.create_service(SetBool, "walk", self._on_walk)

    def _refuse(self, error: RobotError) -> None:
        self.refused += 1
        self._last_refusal = str(error)
        self.node.get_logger().warning(str(error), throttle_duration_sec=1.0)

    def _on_walk(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        problem = self._problem() if request.data else ""
        response.message = problem or self.control.switch(request.data)
        response.success = not problem
        return response

    def _problem(self) -> str:
        """Why the robot may not move; empty if it may."""
        if self._stopped:
            return "the robot was stopped: call torque with true, then walk"
        silent = [name for name, at in self._heard.items() if not 0.0 <= self._now - at < LONGEST_SILENCE]
        return f"silent for {LONGEST_SILENCE} s or more: {', '.join(silent)}" if silent else ""

    def _on_stopped(self, message: Bool) -> None:
        self._stopped = message.data
        if self._stopped:
            self.control.halt(self._problem())

    def _on_cmd_vel(self, message: Twist) -> None:
        linear, angular = message.linear, message.angular
        try:
            velocity = checked_velocity((linear.x, linear.y, linear.z), (angular.x, angular.y, angular.z))
            self.control.command(velocity, self._now)
            if any((linear.z, angular.x, angular.y)):
                raise RobotError("cmd_vel: linear.z, angular.x or angular.y is not 0; only the others were followed.")
        except RobotError as error:
            self._refuse(error)

    def _on_adapted(self, message: String) -> None:
        try:
            changed = checked_inertials(self._robot.base_model, self._robot.inertials, message.data)
            self._robot = self._robot.with_inertials(changed)
            self.control.adapt(self._robot)
            self.node.get_logger().info(f"plans for a robot of {self._robot.mass:.3f} kg now")
        except RobotError as error:
            self._refuse(error)

    def _on_imu(self, message: Imu) -> None:
        self._imu, self._imu_is_new = message, True

    def _on_joint_states(self, message: JointState) -> None:
        if not set(message.name) <= set(self._robot.joint_names) or len(message.position) != len(message.name):
            self._refuse(RobotError(f"joint_states: of other joints than {self._robot.name}'s. Check the namespace."))
            return
        stamp = message.header.stamp
        self._now = stamp.sec + 1e-9 * stamp.nanosec
        # A servo that did not answer is left out of the message: it is where it was, for a while.
        self._position.update(zip(message.name, message.position, strict=True))
        self._heard.update(dict.fromkeys((*message.name, *["imu/data"] * self._imu_is_new), self._now))
        self._imu_is_new = False
        if self._imu is None or len(self._position) < self._robot.dof:
            return
        position = np.array([self._position[name] for name in self._robot.joint_names])
        turning, pull = self._imu.angular_velocity, self._imu.linear_acceleration
        sensed = Sensed(position, np.array([turning.x, turning.y, turning.z]), np.array([pull.x, pull.y, pull.z]))
        if not all(
            np.isfinite(values).all() for values in (position, sensed.angular_velocity, sensed.linear_acceleration)
        ):
            self._position.clear()
            self._refuse(RobotError("joint_states, imu/data: hold values that are not finite. Check the robot."))
            return
        if problem := self._problem():
            self.control.halt(problem)
        command = self.control.update(self._now, sensed)
        if command is not None:
            point = JointTrajectoryPoint(positions=command.position.tolist(), velocities=command.velocity.tolist())
            point.time_from_start = Duration()
            outgoing = JointTrajectory(joint_names=list(self._robot.joint_names), points=[point])
            outgoing.header.stamp = stamp
            self._trajectory.publish(outgoing)
        self._ticks += 1
        if self._ticks % MARKER_EVERY == 0 and self._markers.get_subscription_count():
            self._publish_markers(stamp)
        if self.control.reason != self._reason or not 0.0 <= self._now - self._reported < DIAGNOSTICS_PERIOD:
            self._reported, self._reason = self._now, self.control.reason
            self._publish_diagnostics(stamp)

    def _publish_diagnostics(self, stamp: Time) -> None:
        control = self.control
        level = DiagnosticStatus.ERROR if control.state == FALLEN else DiagnosticStatus.OK
        values = {
            "state": control.state,
            "refused": self.refused,
            "last refusal": self._last_refusal,
            "reachable": control.walker.placed.reachable,
        }
        status = DiagnosticStatus(
            level=DiagnosticStatus.WARN if self.refused and level == DiagnosticStatus.OK else level,
            name=f"{self.node.get_fully_qualified_name()}: gait",
            message=control.reason,
            hardware_id=self._robot.name,
            values=[KeyValue(key=key, value=str(value)) for key, value in values.items()],
        )
        message = DiagnosticArray(status=[status])
        message.header.stamp = stamp
        self._diagnostics.publish(message)

    def _publish_markers(self, stamp: Time) -> None:
        """Soles, what they span, centre of mass and zero moment point of the plan, as the base sees them.

        Where the base is in the world, a gait does not know.
        """
        planned, placed = self.control.walker.planned, self.control.walker.placed

        def seen(x: float, y: float, z: float) -> Point:
            x, y, z = placed.R_plan_base.T @ (np.array([x, y, z]) - placed.base)
            return Point(x=float(x), y=float(y), z=float(z))

        points = {"com": (planned.com, (0.1, 0.4, 1.0)), "zmp": (planned.zmp, (1.0, 0.2, 0.1))}
        markers = []
        for number, (name, ((x, y), colour)) in enumerate(points.items()):
            marker = self._marker(stamp, name, number, Marker.SPHERE, colour)
            marker.pose.position = seen(x, y, 0.0)
            marker.scale.x = marker.scale.y = marker.scale.z = 0.02
            markers.append(marker)
        ground: list[tuple[float, float]] = []
        for number, side in enumerate(SIDES):
            foot = self._robot.parameters.feet[side]
            held = planned.load[side] > 0.0
            marker = self._marker(
                stamp, "feet", number, Marker.LINE_STRIP, (0.1, 0.8, 0.2) if held else (0.6, 0.6, 0.6)
            )
            marker.scale.x = 0.004
            corners = [place(planned.feet[side], np.array(corner[:2])) for corner in foot.corners_in_foot]
            marker.points = [seen(x, y, planned.heights[side]) for x, y in (*corners, corners[0])]
            markers.append(marker)
            ground += corners if held else []
        marker = self._marker(stamp, "support", 0, Marker.LINE_STRIP, (1.0, 0.8, 0.1))
        marker.scale.x = 0.006
        spanned = support_polygon(np.array(ground).reshape(-1, 2))
        marker.points = [seen(x, y, 0.0) for x, y in (*spanned, *spanned[:1])]
        markers.append(marker)
        self._markers.publish(MarkerArray(markers=markers))

    def _marker(self, stamp: Time, name: str, number: int, kind: int, colour: tuple[float, float, float]) -> Marker:
        marker = Marker(ns=name, id=number, type=kind, action=Marker.ADD)
        marker.header.stamp, marker.header.frame_id = stamp, self._robot.base_model.root
        marker.pose.orientation.w = 1.0
        red, green, blue = colour
        marker.color = ColorRGBA(r=red, g=green, b=blue, a=1.0)
        return marker


def make_node(namespace: str, robot: Robot, rate: float) -> Node:
    """A node that walks the robot of a namespace, for a process that has others."""
    return GaitNode(Node("gait", namespace=namespace), robot, rate).node
