"""The robot's ROS face, with real rclpy nodes on both sides."""

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
from nav_msgs.msg import Odometry
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from sensor_msgs.msg import Imu, JointState
from std_msgs.msg import Bool, String
from std_srvs.srv import SetBool, Trigger
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from humanoid_description import Robot, load_robot
from humanoid_description.command import CommandRefused, Push, Trajectory
from humanoid_description.robot_interface import LATCHED, STREAM, RobotHandlers, RobotInterface

PATIENCE = 20.0  # s, until a test says that something did not arrive


class Graph:
    """A robot that notes what it is told, and a user's node beside it."""

    def __init__(self, robot: Robot) -> None:
        self.context = Context()
        # A domain of this process's own, so that tests beside this one do not hear it.
        rclpy.init(context=self.context, domain_id=1 + os.getpid() % 100)
        self.executor = SingleThreadedExecutor(context=self.context)
        self.robot_node = self.node("robot_node", "robot1")
        self.trajectories: list[Trajectory] = []
        self.pushes: list[Push] = []
        self.adapted: list[Robot] = []
        self.hot = True
        self.interface = RobotInterface(
            self.robot_node,
            robot,
            RobotHandlers(
                follow=self.trajectories.append,
                set_torque=self.set_torque,
                stop=lambda: "stopped",
                push=self.pushes.append,
                adapt=self.adapted.append,
            ),
        )
        self.user = self.node("user", "robot1")

    def node(self, name: str, namespace: str) -> Node:
        node = Node(name, namespace=namespace, context=self.context)
        self.executor.add_node(node)
        return node

    def set_torque(self, enable: bool) -> str:
        if enable and self.hot:
            raise CommandRefused("torque: servo 3 reports overheating. Let it cool.")
        return f"servos are {'on' if enable else 'off'}"

    def until(self, condition: Callable[[], Any]) -> None:
        end = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < end, "nothing arrived"
            self.executor.spin_once(timeout_sec=0.1)

    def received(self, message_type: type, topic: str, qos: Any = STREAM) -> list[Any]:
        messages: list[Any] = []
        subscription = self.user.create_subscription(message_type, topic, messages.append, qos)
        self.until(lambda: self.user.count_publishers(subscription.topic_name))
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

    def publish_until(self, publish: Callable[[], None], messages: list[Any]) -> Any:
        end = time.monotonic() + PATIENCE
        while not messages:
            assert time.monotonic() < end, "nothing arrived"
            publish()
            self.executor.spin_once(timeout_sec=0.1)
        return messages[-1]

    def counts(self) -> dict[str, str]:
        messages = self.received(DiagnosticArray, "/diagnostics")
        stamp = self.robot_node.get_clock().now().to_msg()
        status = self.publish_until(lambda: self.interface.publish_diagnostics(stamp), messages).status[0]
        assert status.name == "/robot1/robot_node: commands"
        assert status.hardware_id == "fibo_km"
        return {"message": status.message, **{pair.key: pair.value for pair in status.values}}

    def close(self) -> None:
        self.executor.shutdown()
        for node in (self.robot_node, self.user):
            node.destroy_node()
        rclpy.shutdown(context=self.context)


@pytest.fixture
def graph(robots: dict[str, Robot]) -> Iterator[Graph]:
    """A robot in the namespace /robot1 and a user."""
    graph = Graph(robots["fibo_km"])
    yield graph
    graph.close()


def message(names: list[str], *points: tuple[float, list[float]]) -> JointTrajectory:
    trajectory = JointTrajectory(joint_names=names)
    for seconds, positions in points:
        point = JointTrajectoryPoint(positions=positions)
        point.time_from_start.sec = int(seconds)
        point.time_from_start.nanosec = round((seconds - int(seconds)) * 1e9)
        trajectory.points.append(point)
    return trajectory


def test_a_late_joiner_gets_the_description(graph: Graph) -> None:
    descriptions = graph.received(String, "robot_description", LATCHED)
    graph.until(lambda: descriptions)
    assert descriptions[0].data == graph.interface.robot.urdf


def test_what_the_robot_says_arrives(graph: Graph) -> None:
    robot, interface = graph.interface.robot, graph.interface
    stamp = graph.robot_node.get_clock().now().to_msg()
    angles = np.linspace(-1, 1, robot.dof)

    states = graph.received(JointState, "joint_states")
    state = graph.publish_until(lambda: interface.publish_joint_states(stamp, angles, 2 * angles, 3 * angles), states)
    assert tuple(state.name) == robot.joint_names
    np.testing.assert_array_equal([state.position, state.velocity, state.effort], [angles, 2 * angles, 3 * angles])

    readings = graph.received(Imu, "imu/data")
    imu = graph.publish_until(lambda: interface.publish_imu(stamp, (1, 2, 3), (4, 5, 6)), readings)
    assert imu.header.frame_id == "torso"
    assert (imu.angular_velocity.z, imu.linear_acceleration.x, imu.orientation_covariance[0]) == (3.0, 4.0, -1.0)

    wrenches = graph.received(WrenchStamped, "foot/left/wrench")
    foot = graph.publish_until(lambda: interface.publish_foot_wrench(stamp, "left", (0, 0, 9), (1, 0, 0)), wrenches)
    assert (foot.header.frame_id, foot.wrench.force.z, foot.wrench.torque.x) == ("left_foot", 9.0, 1.0)

    places = graph.received(Odometry, "ground_truth/odom")
    odometry = graph.publish_until(
        lambda: interface.publish_odometry(stamp, (1, 2, 3), (0, 0, 0, 1), (4, 5, 6), (7, 8, 9)), places
    )
    assert (odometry.child_frame_id, odometry.pose.pose.position.y, odometry.twist.twist.angular.z) == (
        "torso",
        2.0,
        9.0,
    )


def test_a_sound_trajectory_reaches_the_robot_within_limits(graph: Graph) -> None:
    publisher = graph.publisher(JointTrajectory, "joint_trajectory")
    publisher.publish(message(["left_knee", "head_yaw"], (0.5, [0.3, 9.0]), (1.25, [0.4, 0.0])))
    graph.until(lambda: graph.trajectories)
    trajectory = graph.trajectories[0]
    assert trajectory.joint_names == ("left_knee", "head_yaw")
    np.testing.assert_allclose(trajectory.times, [0.5, 1.25])
    np.testing.assert_allclose(trajectory.positions, [[0.3, math.pi / 2], [0.4, 0.0]])
    assert graph.counts() == {"message": "all commands were sound", "accepted": "1", "limited": "1", "refused": "0"}


def test_unsound_messages_change_nothing_but_a_count(graph: Graph) -> None:
    trajectories = graph.publisher(JointTrajectory, "joint_trajectory")
    bad = [
        message([], (0.0, [])),
        message(["tail"], (0.0, [0.0])),
        message(["left_knee"], (0.0, [math.nan])),
        message(["left_knee"]),
        message(["left_knee"], (1.0, [0.0]), (0.5, [0.0])),
        message(["left_knee"], (0.0, [0.0, 0.0])),
    ]
    for trajectory in bad:
        trajectories.publish(trajectory)
    push = WrenchStamped()
    push.header.frame_id = "tail"
    graph.publisher(WrenchStamped, "push").publish(push)
    graph.until(lambda: graph.interface.refused == len(bad) + 1)
    assert not graph.trajectories
    assert not graph.pushes
    counts = graph.counts()
    assert (counts["accepted"], counts["refused"]) == ("0", "7")
    assert counts["message"].startswith("refused, last: ")


def test_a_push_without_a_link_is_on_the_base(graph: Graph) -> None:
    push = WrenchStamped()
    push.wrench.force.x = 5.0
    graph.publisher(WrenchStamped, "push").publish(push)
    graph.until(lambda: graph.pushes)
    assert graph.pushes[0].link == "torso"
    assert graph.pushes[0].force.tolist() == [5.0, 0.0, 0.0]


def test_an_adapted_description_is_taken_over_whole_or_not_at_all(graph: Graph) -> None:
    heavier = load_robot("fibo_km", ["left_forearm:0.2:0,0,-0.03"])
    publisher = graph.publisher(String, "adapted_description", LATCHED)
    publisher.publish(String(data=heavier.urdf.replace('<mass value="1.225"', '<mass value="-1.225"')))
    graph.until(lambda: graph.interface.refused)
    assert not graph.adapted
    assert graph.interface.robot.mass == pytest.approx(3.436)
    publisher.publish(String(data=heavier.urdf))
    graph.until(lambda: graph.adapted)
    assert graph.adapted[0].mass == pytest.approx(3.636)
    assert graph.interface.robot is graph.adapted[0]


def test_services_answer_and_refuse_with_the_reason(graph: Graph) -> None:
    off = graph.call(SetBool, "torque", SetBool.Request(data=False))
    on = graph.call(SetBool, "torque", SetBool.Request(data=True))
    stop = graph.call(Trigger, "stop", Trigger.Request())
    assert (off.success, off.message) == (True, "servos are off")
    assert (on.success, on.message) == (False, "torque: servo 3 reports overheating. Let it cool.")
    assert (stop.success, stop.message) == (True, "stopped")
    services = {name for name, _ in graph.user.get_service_names_and_types()}
    assert "/robot1/reset" not in services


def test_after_a_stop_nothing_is_followed_until_the_servos_are_switched_on(graph: Graph) -> None:
    publisher = graph.publisher(JointTrajectory, "joint_trajectory")
    told = graph.received(Bool, "stopped", LATCHED)
    graph.until(lambda: [entry.data for entry in told] == [False])
    graph.call(Trigger, "stop", Trigger.Request())
    publisher.publish(message(["left_knee"], (0.0, [0.3])))
    graph.until(lambda: graph.interface.refused == 1)
    assert "Call torque with true" in graph.interface.last_refusal
    graph.call(SetBool, "torque", SetBool.Request(data=False))
    assert not graph.call(SetBool, "torque", SetBool.Request(data=True)).success  # a servo is too hot
    publisher.publish(message(["left_knee"], (0.0, [0.3])))
    graph.until(lambda: graph.interface.refused == 2)
    graph.hot = False
    assert graph.call(SetBool, "torque", SetBool.Request(data=True)).success
    publisher.publish(message(["left_knee"], (0.0, [0.3])))
    graph.until(lambda: graph.trajectories)
    graph.until(lambda: [entry.data for entry in told] == [False, True, False])


def test_what_nobody_hears_is_not_sent(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[object] = []
    stamp = graph.robot_node.get_clock().now().to_msg()
    publishers = {publisher.topic_name: publisher for publisher in graph.robot_node.publishers}
    monkeypatch.setattr(publishers["/robot1/imu/data"], "publish", sent.append)
    graph.interface.publish_imu(stamp, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    assert sent == []
    graph.received(Imu, "imu/data")
    graph.until(publishers["/robot1/imu/data"].get_subscription_count)
    graph.interface.publish_imu(stamp, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    assert len(sent) == 1
