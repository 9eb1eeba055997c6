"""Finds all robots of a ROS graph by their descriptions and keeps what they say, for whoever looks."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import PoseStamped, WrenchStamped
from nav_msgs.msg import Odometry
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.subscription import Subscription
from sensor_msgs.msg import Imu, JointState
from std_msgs.msg import String
from trajectory_msgs.msg import JointTrajectory
from visualization_msgs.msg import Marker, MarkerArray

from humanoid_bringup.bridge_mode import bridge_mode
from humanoid_bringup.viewer.plain_words import LEVELS, Finding, of_silence
from humanoid_bringup.viewer.robot_state import FootForce, PlanMark, RobotState
from humanoid_bringup.viewer.world_scene import Thing
from humanoid_description import RobotError
from humanoid_description.robot_interface import LATCHED, STREAM

DESCRIPTION = "robot_description"
NEWEST = QoSProfile(depth=5, reliability=ReliabilityPolicy.BEST_EFFORT)
"""For streams: a viewer that is slow must not hold up a robot."""
STALE = 5.0
"""s after which a diagnostic that is not repeated is forgotten."""
KINDS = {Marker.CUBE: "box", Marker.LINE_LIST: "lines", Marker.SPHERE: "ball"}
SIDES = ("left", "right")


class GraphListener:
    """What all robots of the graph say."""

    def __init__(self, node: Node, only: str | None = None) -> None:
        """Listen to all robots, or only to the one of a namespace (without the slash in front)."""
        self._node, self._only = node, only
        self.states: dict[str, RobotState] = {}
        """By namespace, without the slash in front."""
        self.things: list[Thing] = []
        """What is around the robots."""
        self.ball: tuple[np.ndarray, np.ndarray] | None = None
        """Position (m) and orientation (xyzw)."""
        self.paused = False
        self._subscriptions: dict[str, dict[str, Subscription]] = {}
        self._imu_links: dict[str, str] = {}
        self._diagnostics: dict[str, tuple[float, Finding]] = {}
        node.create_subscription(MarkerArray, "/world", self._on_world, LATCHED)
        node.create_subscription(PoseStamped, "/ball", self._on_ball, NEWEST)
        node.create_subscription(DiagnosticArray, "/diagnostics", self._on_diagnostics, STREAM)

    def look(self) -> None:
        """Take in robots that have come, and forget those that have gone."""
        found = {
            name.removesuffix(DESCRIPTION).strip("/")
            for name, _ in self._node.get_topic_names_and_types()
            if name.endswith(f"/{DESCRIPTION}") and self._node.count_publishers(name)
        }
        if self._only is not None:
            found &= {self._only}
        for namespace in found - set(self.states):
            self._meet(namespace)
        for namespace in set(self.states) - found:
            del self.states[namespace]
            for subscription in self._subscriptions.pop(namespace).values():
                self._node.destroy_subscription(subscription)
        for namespace, state in self.states.items():  # the IMU speaks often, and is needed only where nobody knows more
            if state.base.known and "imu/data" in self._subscriptions[namespace]:
                self._node.destroy_subscription(self._subscriptions[namespace].pop("imu/data"))

    def _meet(self, namespace: str) -> None:
        state = self.states[namespace] = RobotState(namespace)
        # The order in which they are shown does not depend on who was heard first.
        self.states = {name: self.states[name] for name in sorted(self.states)}
        latched: dict[str, Callable[[String], None]] = {
            DESCRIPTION: lambda message: state.describe(message.data),
            "adapted_description": lambda message: state.adapt(message.data),
            "adapt/result": lambda message: setattr(state, "result", json.loads(message.data)),
        }
        topics: dict[str, tuple[type, Callable[[Any], None], QoSProfile]] = {
            topic: (String, self._checked(namespace, take), LATCHED) for topic, take in latched.items()
        }
        topics["joint_states"] = (JointState, lambda message: _on_joint_states(state, message), NEWEST)
        topics["joint_trajectory"] = (JointTrajectory, lambda message: _on_trajectory(state, message), NEWEST)
        topics["ground_truth/odom"] = (Odometry, lambda message: _on_odometry(state, message), NEWEST)
        topics["imu/data"] = (Imu, lambda message: self._on_imu(state, message), NEWEST)
        topics["markers"] = (MarkerArray, lambda message: _on_markers(state, message), NEWEST)
        topics["fall_test/state"] = (DiagnosticArray, lambda message: _on_fall_test(state, message), STREAM)
        for side in SIDES:
            topics[f"foot/{side}/wrench"] = (
                WrenchStamped,
                lambda message, side=side: self._on_wrench(state, side, message),
                NEWEST,
            )
        prefix = f"/{namespace}" if namespace else ""
        self._subscriptions[namespace] = {
            topic: self._node.create_subscription(kind, f"{prefix}/{topic}", take, qos)
            for topic, (kind, take, qos) in topics.items()
        }

    def _checked(self, namespace: str, take: Callable[[String], None]) -> Callable[[String], None]:
        """A robot that cannot be drawn is told of, and does not end the viewer."""

        def checked(message: String) -> None:
            try:
                take(message)
            except (RobotError, ValueError) as error:
                self._note(f"{namespace}: description", Finding("error", namespace, str(error)), lasting=True)

        return checked

    def _note(self, key: str, finding: Finding, lasting: bool = False) -> None:
        self._diagnostics[key] = (np.inf if lasting else time.monotonic() + STALE, finding)

    def findings(self) -> list[Finding]:
        """How everything is."""
        now = time.monotonic()
        self._diagnostics = {key: entry for key, entry in self._diagnostics.items() if entry[0] > now}
        silence = [of_silence(name, now - state.heard, self.paused) for name, state in self.states.items()]
        return [*silence, *(finding for _, finding in self._diagnostics.values())]

    def _on_diagnostics(self, message: DiagnosticArray) -> None:
        for status in message.status:
            level = LEVELS[int.from_bytes(status.level, "little")]
            self._note(status.name, Finding(level, status.name, status.message))
            where, _, part = status.name.partition(": ")
            values = {pair.key: pair.value for pair in status.values}
            state = self.states.get(where.rpartition("/")[0].strip("/"))
            if state is not None:
                state.bridge = bridge_mode(state.namespace, status.name, status.message, values) or state.bridge
            if status.name == "simulator":
                self.paused = status.message.startswith("paused")
            elif state is not None and part == "gait":
                state.gait = values.get("state", "")
                state.doing = status.message
            elif state is not None and "temperature, degC" in values:
                state.hear_temperature(part, float(values["temperature, degC"]))

    def _on_world(self, message: MarkerArray) -> None:
        self.things = [_thing(marker) for marker in message.markers if marker.type in KINDS]

    def _on_ball(self, message: PoseStamped) -> None:
        place, turned = message.pose.position, message.pose.orientation
        self.ball = (np.array([place.x, place.y, place.z]), np.array([turned.x, turned.y, turned.z, turned.w]))

    def _on_imu(self, state: RobotState, message: Imu) -> None:
        turning, pull = message.angular_velocity, message.linear_acceleration
        self._imu_links[state.namespace] = message.header.frame_id
        state.base.feel(
            _seconds(message.header.stamp),
            np.array([turning.x, turning.y, turning.z]),
            np.array([pull.x, pull.y, pull.z]),
        )

    def _on_wrench(self, state: RobotState, side: str, message: WrenchStamped) -> None:
        force, torque = message.wrench.force, message.wrench.torque
        state.feet[side] = FootForce(
            message.header.frame_id, np.array([force.x, force.y, force.z]), np.array([torque.x, torque.y, torque.z])
        )

    def place_bases(self) -> None:
        """Find the bases of robots whose pose nobody tells, from IMU and feet."""
        for name, state in self.states.items():
            if state.base.known or state.model is None or len(state.feet) < 2:
                continue
            poses = state.model.kinematics.poses(state.posture)
            soles = {}
            for side, foot in state.feet.items():
                soles[side] = poses[foot.link].copy()
                soles[side][:3, 3] = (
                    poses[foot.link][:3, :3] @ state.model.sole(foot.link).mean(axis=0) + (poses[foot.link][:3, 3])
                )
            imu = self._imu_links.get(name, state.model.model.root)
            carrying = max(SIDES, key=lambda side: state.feet[side].force[2])
            state.base.stand(soles, poses[imu][:3, :3], carrying)


def _seconds(stamp: Any) -> float:
    return float(stamp.sec + 1e-9 * stamp.nanosec)


def _on_joint_states(state: RobotState, message: JointState) -> None:
    columns = [list(values) or [np.nan] * len(message.name) for values in (message.velocity, message.effort)]
    heard = zip(message.position, *columns, strict=True)
    state.hear_joints(_seconds(message.header.stamp), time.monotonic(), dict(zip(message.name, heard, strict=True)))


def _on_trajectory(state: RobotState, message: JointTrajectory) -> None:
    if message.points:
        state.hear_reference(dict(zip(message.joint_names, message.points[-1].positions, strict=False)))


def _on_odometry(state: RobotState, message: Odometry) -> None:
    place, turned = message.pose.pose.position, message.pose.pose.orientation
    state.base.tell(np.array([place.x, place.y, place.z]), np.array([turned.x, turned.y, turned.z, turned.w]))


def _on_markers(state: RobotState, message: MarkerArray) -> None:
    marks = []
    for number, marker in enumerate(message.markers):
        place = marker.pose.position
        points = [(point.x, point.y, point.z) for point in marker.points] or [(place.x, place.y, place.z)]
        colour = (marker.color.r, marker.color.g, marker.color.b)
        marks.append(PlanMark(f"{marker.ns}_{number}", np.array(points), colour))
    state.plan = marks


def _on_fall_test(state: RobotState, message: DiagnosticArray) -> None:
    status: DiagnosticStatus = message.status[0]
    state.fall_test = {pair.key: pair.value for pair in status.values}


def _thing(marker: Marker) -> Thing:
    place, size = marker.pose.position, marker.scale
    points = np.array([(point.x, point.y, point.z) for point in marker.points]).reshape(-1, 3)
    return Thing(marker.ns, KINDS[marker.type], (place.x, place.y, place.z), (size.x, size.y, size.z), points)
