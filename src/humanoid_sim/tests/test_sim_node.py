"""The simulator in a real ROS graph."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Iterator
from typing import Any

import numpy as np
import pytest
import rclpy
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import InertiaStamped, WrenchStamped
from nav_msgs.msg import Odometry
from rclpy.context import Context
from rclpy.experimental import EventsExecutor
from rclpy.node import Node
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import Imu, JointState
from std_msgs.msg import Float64, String
from std_srvs.srv import SetBool, Trigger
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from humanoid_description import RobotError, load_robot
from humanoid_description.robot_interface import LATCHED, STREAM
from humanoid_sim.sim_node import SimNode, run, ticks
from humanoid_sim.simulation import Simulation

PATIENCE = 60.0  # s


def two_robots() -> Simulation:
    return Simulation({"a": load_robot("fibo_km"), "b": load_robot("nao")})


class Graph:
    """Two simulated robots and a user."""

    def __init__(self, rate: float, real: Collection[str] = ()) -> None:
        self.rate = rate
        self.context = Context()
        rclpy.init(context=self.context)
        self.executor = EventsExecutor(context=self.context)
        self.simulation = two_robots()
        self.sim_node = SimNode(self.simulation, math.inf, rate, real=real, context=self.context)
        self.sim_node.add_to(self.executor)
        self.user = Node("user", context=self.context)
        self.executor.add_node(self.user)

    def until(self, condition: Callable[[], Any]) -> None:
        end = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < end, "nothing happened"
            for _ in range(5):  # serve what has arrived before time goes on
                self.executor.spin_once(timeout_sec=0.0)
            self.sim_node.tick()

    def received(self, message_type: type, topic: str, qos: Any = STREAM) -> list[Any]:
        messages: list[Any] = []
        self.user.create_subscription(message_type, topic, messages.append, qos)
        self.until(lambda: messages)
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

    def close(self) -> None:
        self.executor.shutdown()
        self.sim_node.destroy()
        self.user.destroy_node()
        rclpy.shutdown(context=self.context)


@pytest.fixture
def graph(request: pytest.FixtureRequest) -> Iterator[Graph]:
    """A running simulation, at a control rate (Hz)."""
    graph = Graph(getattr(request, "param", 100.0))
    yield graph
    graph.close()


def test_robots_speak_in_their_namespaces_on_simulated_time(graph: Graph) -> None:
    clock = graph.received(Clock, "/clock")
    states = {name: graph.received(JointState, f"/{name}/joint_states") for name in ("a", "b")}
    imu = graph.received(Imu, "/a/imu/data")
    wrench = graph.received(WrenchStamped, "/b/foot/left/wrench")
    graph.until(lambda: len(states["a"]) > 20)
    assert len(states["a"][-1].name) == 20
    assert len(states["b"][-1].name) == 22
    stamps = [message.clock.sec + 1e-9 * message.clock.nanosec for message in clock]
    assert (np.diff(stamps) > 0).all()
    stamp = states["a"][-1].header.stamp
    assert stamp.sec + 1e-9 * stamp.nanosec <= graph.simulation.time + 1e-6
    assert len(imu) > 1.5 * len(states["a"][1:]) - 10
    assert imu[-1].linear_acceleration.z == pytest.approx(9.81, abs=1.5)
    assert wrench[-1].header.frame_id == "left_foot"


def test_a_late_joiner_gets_the_description(graph: Graph) -> None:
    graph.until(lambda: graph.simulation.time > 0.1)
    assert graph.received(String, "/b/robot_description", LATCHED)[0].data == load_robot("nao").urdf


def test_a_trajectory_moves_the_joint(graph: Graph) -> None:
    publisher = graph.publisher(JointTrajectory, "/a/joint_trajectory")
    point = JointTrajectoryPoint(positions=[0.5])
    point.time_from_start.nanosec = 500_000_000
    publisher.publish(JointTrajectory(joint_names=["head_yaw"], points=[point]))
    column = graph.simulation.robots["a"].joint_names.index("head_yaw")
    graph.until(lambda: graph.simulation.observe("a").joint_position[column] > 0.4)
    assert not graph.simulation.fallen("a")


def test_a_thousand_bad_messages_change_nothing_but_a_count(graph: Graph) -> None:
    publisher = graph.publisher(JointTrajectory, "/a/joint_trajectory")
    pusher = graph.publisher(WrenchStamped, "/a/push")
    adapter = graph.publisher(String, "/a/adapted_description", LATCHED)
    head = JointTrajectoryPoint(positions=[0.5])
    nowhere, endless = WrenchStamped(), WrenchStamped()
    nowhere.header.frame_id, nowhere.wrench.force.x = "tail", 9.0
    endless.wrench.force.x = math.inf
    bad = [
        (publisher, JointTrajectory(joint_names=["tail"], points=[head])),
        (publisher, JointTrajectory(joint_names=["head_yaw"], points=[JointTrajectoryPoint(positions=[math.nan])])),
        (publisher, JointTrajectory()),
        (publisher, JointTrajectory(joint_names=["head_yaw"], points=[JointTrajectoryPoint(positions=[0.5] * 99)])),
        (publisher, JointTrajectory(joint_names=["head_yaw"], points=[JointTrajectoryPoint()])),
        (publisher, JointTrajectory(joint_names=["head_yaw"], points=[head] * 2)),
        (publisher, JointTrajectory(joint_names=["head_yaw"] * 2, points=[JointTrajectoryPoint(positions=[0.5] * 2)])),
        (pusher, nowhere),
        (pusher, endless),
        (adapter, String(data="<robot/>")),
    ]
    interface = graph.sim_node.robots[0].interface
    for count in range(1, 101):
        for sender, message in bad:
            sender.publish(message)
        graph.until(lambda count=count: interface.refused == len(bad) * count)
    diagnostics = graph.received(DiagnosticArray, "/diagnostics")

    def counts() -> list[dict[str, str]]:
        statuses = [status for array in diagnostics for status in array.status]
        return [{pair.key: pair.value for pair in status.values} for status in statuses if "/a/" in status.name]

    graph.until(lambda: {"accepted": "0", "limited": "0", "refused": "1000"} in counts())
    untouched = two_robots()
    for name in ("a", "b"):
        untouched.command(name, untouched.observe(name).joint_position)
    untouched.step(round(graph.simulation.time / untouched.dt))
    np.testing.assert_array_equal(graph.simulation.scene.data.qpos, untouched.scene.data.qpos)


def test_an_adapted_description_is_taken_over_while_it_runs(graph: Graph) -> None:
    heavier = load_robot("fibo_km", ["left_forearm:0.2:0,0,-0.03"])
    publisher = graph.publisher(String, "/a/adapted_description", LATCHED)
    before = graph.simulation.com("a")
    publisher.publish(String(data=heavier.urdf))
    graph.until(lambda: graph.simulation.robots["a"].mass > 3.5)
    assert graph.simulation.com("a")[1] - before[1] == pytest.approx(0.0055, abs=0.002)
    assert graph.simulation.robots["b"].mass == pytest.approx(4.6071)


def test_a_load_that_nobody_knows_of_stays_through_an_adaptation(graph: Graph) -> None:
    publisher = graph.publisher(InertiaStamped, "/a/payload")
    load = InertiaStamped()
    load.header.frame_id, load.inertia.m, load.inertia.com.z = "right_forearm", 0.3, -0.03
    publisher.publish(load)
    graph.until(lambda: graph.simulation.robots["a"].mass > 3.7)
    assert graph.received(String, "/a/robot_description", LATCHED)[0].data == load_robot("fibo_km").urdf
    heavier = load_robot("fibo_km", ["left_forearm:0.2:0,0,-0.03"])
    graph.publisher(String, "/a/adapted_description", LATCHED).publish(String(data=heavier.urdf))
    graph.until(lambda: graph.simulation.robots["a"].mass > 3.9)
    load.inertia.m = 0.0
    publisher.publish(load)
    graph.until(lambda: graph.simulation.robots["a"].mass < 3.7)
    assert graph.simulation.robots["a"].mass == pytest.approx(heavier.mass)
    load.inertia.m = -1.0
    publisher.publish(load)
    graph.until(lambda: graph.sim_node.robots[0].interface.refused)


def test_a_robot_that_stands_for_a_real_one_is_not_adapted() -> None:
    graph = Graph(100.0, real=["a"])
    topics = {
        name: [
            info.node_namespace for info in graph.user.get_subscriptions_info_by_topic(f"/{name}/adapted_description")
        ]
        for name in ("a", "b")
    }
    assert topics == {"a": [], "b": ["/b"]}
    graph.close()


def test_the_speed_can_be_changed_while_it_runs(graph: Graph) -> None:
    publisher = graph.publisher(Float64, "/speed")
    publisher.publish(Float64(data=2.0))
    graph.until(lambda: graph.sim_node.factor == 2.0)
    publisher.publish(Float64(data=-1.0))
    publisher.publish(Float64(data=3.0))
    graph.until(lambda: graph.sim_node.factor == 3.0)


@pytest.mark.parametrize(
    ("rate", "steps", "per_period"),
    [(100, 5, 2), (500, 1, 2), (1, 500, 2), (166.667, 3, 2), (62.5, 8, 2), (200, 5, 1), (1000, 1, 1), (333.333, 3, 1)],
)
def test_control_rates_that_the_time_step_divides(rate: float, steps: int, per_period: int) -> None:
    assert ticks(rate, 1e-3) == (steps, per_period)


@pytest.mark.parametrize(
    ("rate", "remedy"),
    [
        (60, "Take 58.8235 or 62.5 Hz"),
        (300, "Take 250 or 333.333 Hz"),
        (1001, "1 to 1000 Hz"),
        (0.5, "1 to 1000 Hz"),
        (-100, "1 to 1000 Hz"),
        (math.nan, "1 to 1000 Hz"),
        (math.inf, "1 to 1000 Hz"),
    ],
)
def test_other_control_rates_are_refused(rate: float, remedy: str) -> None:
    with pytest.raises(RobotError, match=remedy):
        ticks(rate, 1e-3)


@pytest.mark.parametrize("graph", [200.0, 100.0, 50.0], indirect=True)
def test_messages_come_at_the_rates_asked_for(graph: Graph) -> None:
    states, imu = graph.received(JointState, "/a/joint_states"), graph.received(Imu, "/a/imu/data")
    graph.until(lambda: len(states) > 20)
    often = 1 if graph.rate == 200.0 else 2  # a period of 5 ms has no half in whole steps
    for messages, period in ((states, 1 / graph.rate), (imu, 1 / graph.rate / often)):
        stamps = [message.header.stamp.sec * 10**9 + message.header.stamp.nanosec for message in messages]
        assert set(np.diff(stamps)) == {round(period * 1e9)}


def test_the_real_time_factor_counts_what_was_simulated_before_a_reset(graph: Graph) -> None:
    diagnostics = graph.received(DiagnosticArray, "/diagnostics")
    before = len(diagnostics)

    def reported() -> bool:
        graph.simulation.reset()  # time never gets beyond a tick
        return len(diagnostics) > before + 1

    graph.until(reported)
    reports = [status for array in diagnostics for status in array.status if status.name == "simulator"]
    assert all(float(status.values[0].value) > 0 for status in reports)
    assert all(status.level == DiagnosticStatus.OK for status in reports)  # as fast as it goes is never too slow


def test_pause_stop_torque_reset_and_push(graph: Graph) -> None:
    assert graph.call(SetBool, "/pause", SetBool.Request(data=True)).message == "paused"
    stood = graph.simulation.time
    for _ in range(10):
        graph.sim_node.tick()
    assert graph.simulation.time == stood
    graph.call(SetBool, "/pause", SetBool.Request(data=False))
    assert graph.call(Trigger, "/a/stop", Trigger.Request()).success
    push = WrenchStamped()
    push.wrench.force.x = 40.0
    graph.publisher(WrenchStamped, "/a/push").publish(push)
    graph.until(lambda: graph.simulation.fallen("a"))
    head = JointTrajectoryPoint(positions=[0.5])
    graph.publisher(JointTrajectory, "/b/joint_trajectory").publish(
        JointTrajectory(joint_names=["head_yaw"], points=[head])
    )
    column = graph.simulation.robots["b"].joint_names.index("head_yaw")
    graph.until(lambda: graph.simulation.observe("b").joint_position[column] > 0.4)
    fell_at = graph.simulation.time
    assert graph.call(Trigger, "/a/reset", Trigger.Request()).success
    assert graph.simulation.time < fell_at
    graph.until(lambda: graph.simulation.time > 0.5)
    assert abs(graph.simulation.observe("b").joint_position[column]) < 0.05
    assert graph.call(SetBool, "/b/torque", SetBool.Request(data=False)).message == "servos are off"
    graph.until(lambda: graph.simulation.fallen("b"))


def test_a_node_beside_it_is_served_in_step_however_late_the_simulation_is(monkeypatch: pytest.MonkeyPatch) -> None:
    simulation = Simulation({"served": load_robot("fibo_km")})
    lags: list[float] = []

    def listener() -> Node:
        node = Node("listener", namespace="served")
        for topic, kind in (("imu/data", Imu), ("joint_states", JointState), ("ground_truth/odom", Odometry)):
            node.create_subscription(kind, topic, lambda message: lags.append(lag(message)), STREAM)
        return node

    def lag(message: Any) -> float:
        stamp = message.header.stamp
        return simulation.time - stamp.sec - 1e-9 * stamp.nanosec

    run(simulation, math.inf, 1.0, 100.0, companions=[listener])
    assert len(lags) > 300
    assert max(lags) < 1e-6
