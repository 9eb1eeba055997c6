"""Robots of a Gazebo world in a real ROS graph."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import WrenchStamped
from rclpy.context import Context
from rclpy.experimental import EventsExecutor
from rclpy.node import Node
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import Imu, JointState
from std_msgs.msg import String
from std_srvs.srv import SetBool, Trigger
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from humanoid_description import load_robot
from humanoid_description.robot_interface import LATCHED, STREAM
from humanoid_sim import gz_node
from humanoid_sim.gz_node import GzNode
from humanoid_sim.gz_world import GzRobot, GzSettings, write_world

PATIENCE = 60.0  # s


class Graph:
    """A world of the stand-in with a robot, and a user."""

    def __init__(self, gazebo: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
        self.context = Context()
        rclpy.init(args=["--ros-args", "--log-level", "info"], context=self.context)  # whatever was set before us
        monkeypatch.setattr(gz_node, "GzNode", lambda *arguments: GzNode(*arguments, context=self.context))
        self.user = Node("gazebo_user", context=self.context)
        self.executor = EventsExecutor(context=self.context)
        self.executor.add_node(self.user)
        settings = GzSettings({"in_gazebo": GzRobot("fibo_km")})
        self.server: Any = gazebo.load_world(write_world("empty", settings, {"in_gazebo": (0.0, 0.0, 0.0)}))

    def until(self, condition: Callable[[], Any]) -> None:
        end = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < end, "nothing happened"
            for _ in range(5):
                self.server.iterate()
            for _ in range(8):  # as many as the world may have published
                self.executor.spin_once(timeout_sec=0.0)

    def heard(self, message_type: type, topic: str, qos: Any = STREAM) -> list[Any]:
        messages: list[Any] = []
        self.user.create_subscription(message_type, topic, messages.append, qos)
        return messages

    def call(self, service_type: type, name: str, **request: Any) -> Any:
        client = self.user.create_client(service_type, name)
        self.until(client.service_is_ready)
        future = client.call_async(service_type.Request(**request))
        self.until(future.done)
        return future.result()

    def publisher(self, message_type: type, topic: str, qos: Any = STREAM) -> Any:
        publisher = self.user.create_publisher(message_type, topic, qos)
        self.until(publisher.get_subscription_count)
        return publisher

    @property
    def shadow(self) -> Any:
        return self.server.system.robots.shadow

    def close(self) -> None:
        self.server.system.shutdown()
        self.executor.shutdown()
        self.user.destroy_node()
        rclpy.shutdown(context=self.context)


@pytest.fixture
def graph(gazebo: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Iterator[Graph]:
    made = Graph(gazebo, monkeypatch)
    yield made
    made.close()


def test_sensors_and_clock_come_at_their_rates(graph: Graph) -> None:
    states = graph.heard(JointState, "/in_gazebo/joint_states")
    imu = graph.heard(Imu, "/in_gazebo/imu/data")
    wrenches = graph.heard(WrenchStamped, "/in_gazebo/foot/left/wrench")
    clock = graph.heard(Clock, "/clock")
    graph.until(lambda: len(states) > 20 and len(wrenches) > 20 and len(clock) > 40 and len(imu) > 40)

    def seconds(stamp: Any) -> float:
        return float(stamp.sec + 1e-9 * stamp.nanosec)

    times = [seconds(message.header.stamp) for message in states]
    assert np.diff(times) == pytest.approx(0.01, abs=1e-9)
    assert np.diff([seconds(message.clock) for message in clock]) == pytest.approx(0.005, abs=1e-9)
    assert imu[-1].linear_acceleration.z == pytest.approx(9.81, abs=0.5)
    robot = load_robot("fibo_km")
    assert list(states[-1].name) == list(robot.joint_names)
    assert wrenches[-1].wrench.force.z == pytest.approx(robot.mass * 9.81 / 2, rel=0.1)


def test_it_moves_is_pushed_and_reset(graph: Graph) -> None:
    robot = load_robot("fibo_km")
    command = graph.publisher(JointTrajectory, "/in_gazebo/joint_trajectory")
    point = JointTrajectoryPoint(positions=[0.4])
    command.publish(JointTrajectory(joint_names=["head_yaw"], points=[point]))
    head = robot.joint_names.index("head_yaw")
    graph.until(lambda: abs(graph.shadow.observe("in_gazebo").joint_position[head] - 0.4) < 0.05)
    push = graph.publisher(WrenchStamped, "/in_gazebo/push")
    message = WrenchStamped()
    message.wrench.force.x = 100.0
    push.publish(message)
    graph.until(lambda: graph.shadow.fallen("in_gazebo"))
    assert graph.call(Trigger, "/in_gazebo/reset").success
    graph.until(lambda: graph.server.ecm.calls == ["remove", "create"] and not graph.shadow.fallen("in_gazebo"))


def test_adapted_inertials_are_taken_over_by_a_new_model(graph: Graph, capfd: pytest.CaptureFixture[str]) -> None:
    heavier = load_robot("fibo_km", ["torso:0.5:0,0,0.1"])
    head = heavier.joint_names.index("head_yaw")
    command = graph.publisher(JointTrajectory, "/in_gazebo/joint_trajectory")
    command.publish(JointTrajectory(joint_names=["head_yaw"], points=[JointTrajectoryPoint(positions=[0.4])]))
    graph.until(lambda: graph.shadow.observe("in_gazebo").joint_position[head] > 0.35)
    graph.publisher(String, "/in_gazebo/adapted_description", LATCHED).publish(String(data=heavier.urdf))
    graph.until(lambda: "create" in graph.server.ecm.calls and not graph.shadow.replacements)
    assert graph.server.ecm.model.body_mass.sum() == pytest.approx(heavier.mass)
    graph.server.run(True, 300, False)
    assert abs(graph.shadow.observe("in_gazebo").joint_position[head]) < 0.02  # it stands, whatever was asked before
    assert "by a new model that stands where the old one was" in capfd.readouterr().err


def test_ros_and_gazebo_pause_each_other(graph: Graph) -> None:
    assert graph.call(SetBool, "/pause", data=True).success
    graph.until(lambda: graph.server.paused)
    assert graph.call(SetBool, "/pause", data=False).success
    graph.until(lambda: not graph.server.paused)
    graph.server.paused = True  # Gazebo's own button
    status = graph.heard(DiagnosticArray, "/diagnostics")
    graph.until(lambda: any("paused" in one.message for message in status for one in message.status))
    assert graph.server.paused


def test_a_model_that_disagrees_is_told_in_the_diagnostics(graph: Graph) -> None:
    status = graph.heard(DiagnosticArray, "/diagnostics")
    graph.until(lambda: len(status) > 0)
    graph.server.ecm.model.body_mass[:] *= 1.1
    graph.until(lambda: any("has other masses" in one.message for message in status for one in message.status))
