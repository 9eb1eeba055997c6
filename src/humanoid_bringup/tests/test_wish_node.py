"""Wishes carried out in a real ROS graph, on a robot that only notes what it is told."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rclpy
from geometry_msgs.msg import InertiaStamped, Twist, WrenchStamped
from rclpy.context import Context
from rclpy.experimental import EventsExecutor
from rclpy.node import Node
from std_msgs.msg import Float64
from std_srvs.srv import SetBool, Trigger

from humanoid_bringup import wish_node
from humanoid_bringup.bridge_mode import BridgeMode
from humanoid_bringup.viewer.robot_state import RobotState
from humanoid_bringup.viewer.wishes import (
    Adapt,
    Carry,
    Confirm,
    FallTest,
    HoldTest,
    Pause,
    Push,
    Record,
    Reset,
    Speed,
    Stop,
    Torque,
    Walk,
)
from humanoid_bringup.wish_node import WishCarrier
from humanoid_description.robot_interface import STREAM

PATIENCE = 60.0  # s


class Graph:
    """A robot that notes what it is told, and who carries out wishes."""

    def __init__(self) -> None:
        self.context = Context()
        rclpy.init(context=self.context)
        self.executor = EventsExecutor(context=self.context)
        self.robot = Node("robot", namespace="told", context=self.context)
        self.hands = Node("viewer", context=self.context)
        self.calls: list[tuple[str, Any]] = []
        for name in ("fall_test/abort", "fall_test/run", "fall_test/confirm", "adapt/run", "reset", "stop"):
            self.robot.create_service(Trigger, name, lambda q, a, name=name: self._note(name, None, a))
        for name in ("walk", "/pause", "torque", "fall_test/pause"):
            self.robot.create_service(SetBool, name, lambda q, a, name=name: self._note(name, q.data, a))
        topics = {"cmd_vel": Twist, "push": WrenchStamped, "payload": InertiaStamped, "/speed": Float64}
        self.heard: dict[str, list[Any]] = {name: [] for name in topics}
        for name, kind in topics.items():
            self.robot.create_subscription(kind, name, self.heard[name].append, STREAM)
        self.state = RobotState("told")
        self.willing = True
        self.told: list[tuple[str, bool]] = []
        self.carrier = WishCarrier(
            self.hands, lambda: {"told": self.state}, lambda text, bad: self.told.append((text, bad))
        )
        for node in (self.robot, self.hands):
            self.executor.add_node(node)

    def _note(self, name: str, data: bool | None, answer: Any) -> Any:
        self.calls.append((name, data))
        if name == "walk":
            self.state.gait = "ready" if data else "off"
        answer.success, answer.message = self.willing, f"{name} was called"
        return answer

    def until(self, condition: Callable[[], Any]) -> None:
        end = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < end, f"nothing happened: {self.calls} {self.told}"
            self.carrier.tick()
            for _ in range(5):
                self.executor.spin_once(timeout_sec=0.002)

    def close(self) -> None:
        self.carrier.close()
        self.executor.shutdown()
        self.robot.destroy_node()
        self.hands.destroy_node()
        rclpy.shutdown(context=self.context)


@pytest.fixture
def graph() -> Iterator[Graph]:
    graph = Graph()
    yield graph
    graph.close()


def test_walking_repeats_its_velocity_until_stopped(graph: Graph) -> None:
    graph.carrier.add(Walk("told", 0.2, 0.0, 0.1))
    graph.until(lambda: len(graph.heard["cmd_vel"]) > 3)
    assert ("walk", True) in graph.calls
    assert (graph.heard["cmd_vel"][-1].linear.x, graph.heard["cmd_vel"][-1].angular.z) == (0.2, 0.1)
    graph.carrier.add(Walk("told", 0.3, 0.0, 0.0))
    graph.until(lambda: graph.heard["cmd_vel"][-1].linear.x == 0.3)
    assert graph.calls.count(("walk", True)) == 1
    graph.carrier.add(Stop("told"))
    graph.until(lambda: ("walk", False) in graph.calls)
    assert graph.heard["cmd_vel"][-1].linear.x == 0.0


def test_a_gait_that_switched_itself_off_is_switched_on_again(graph: Graph) -> None:
    graph.carrier.add(Walk("told", 0.2, 0.0, 0.0))
    graph.until(lambda: graph.state.gait == "ready")
    graph.state.gait = "off"
    graph.until(lambda: graph.calls.count(("walk", True)) == 2)


def test_without_a_gait_stop_is_the_robots_own(graph: Graph) -> None:
    graph.carrier.add(Stop("told"))
    graph.until(lambda: graph.calls and graph.calls[-1][0] == "stop")


def test_before_a_program_others_let_go_and_the_robot_is_not_stopped(graph: Graph) -> None:
    graph.carrier.add(Stop("told", hold=False))
    graph.carrier.add(Reset("told"))
    graph.until(lambda: any(name == "reset" for name, _ in graph.calls))
    assert [name for name, _ in graph.calls] == ["fall_test/abort", "walk", "reset"]


def test_a_push_is_along_the_robots_heading(graph: Graph) -> None:
    graph.state.base.tell(np.zeros(3), np.array([0.0, 0.0, np.sin(np.pi / 4), np.cos(np.pi / 4)]))
    graph.carrier.add(Push("told", 5.0, 1.0))
    graph.until(lambda: graph.heard["push"])
    force = graph.heard["push"][0].wrench.force
    assert (force.x, force.y) == pytest.approx((-1.0, 5.0))


def test_loads_speed_pause_reset_and_adaptation_reach_who_can_do_it(graph: Graph) -> None:
    for wish in (Carry("told", "arm", 0.5, (0, 0, 0.1)), Speed(2.0), Pause(True), Reset("told"), Adapt("told")):
        graph.carrier.add(wish)
    graph.until(lambda: ("adapt/run", None) in graph.calls and graph.told)
    assert graph.heard["payload"][0].inertia.com.z == 0.1
    assert graph.heard["/speed"][0].data == 2.0
    assert [call for call in graph.calls if call[0] != "walk"] == [
        ("/pause", True),
        ("reset", None),
        ("adapt/run", None),
    ]


def test_fall_tests_begin_when_the_gait_has_let_go(graph: Graph) -> None:
    graph.carrier.add(Walk("told", 0.2, 0.0, 0.0))
    graph.until(lambda: graph.state.gait == "ready")
    graph.calls.clear()
    graph.carrier.add(FallTest("told"))
    graph.until(lambda: graph.calls and graph.calls[-1][0] == "fall_test/run")
    assert [name for name, _ in graph.calls] == ["walk", "reset", "fall_test/run"]
    before = len(graph.heard["cmd_vel"])
    graph.until(lambda: graph.told)
    assert len(graph.heard["cmd_vel"]) <= before + 1


def test_a_walk_waits_until_the_servos_are_on_and_says_what_to_press(
    graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wish_node, "ABSENT", 0.2)
    graph.state.bridge = BridgeMode("passive", "passive: nothing moves before it is enabled")
    graph.carrier.add(Walk("told", 0.2, 0.0, 0.0))
    graph.until(lambda: graph.told)
    assert graph.told == [
        ("the robot is passive: nothing moves before it is enabled. Press Enable when nobody is in its way.", True)
    ]
    assert graph.calls == []
    graph.carrier.add(Torque("told", True))
    graph.until(lambda: ("torque", True) in graph.calls)
    graph.carrier.add(Walk("told", 0.2, 0.0, 0.0))
    graph.state.bridge = BridgeMode("ramping", "")
    graph.until(lambda: ("walk", True) in graph.calls)


def test_relaxing_goes_before_everything_else_and_ends_walk_and_test(graph: Graph) -> None:
    graph.carrier.add(Walk("told", 0.2, 0.0, 0.0))
    graph.until(lambda: graph.heard["cmd_vel"])
    graph.calls.clear()
    graph.carrier.add(FallTest("told"))
    graph.carrier.add(Torque("told", False))
    graph.until(lambda: graph.told)
    assert graph.calls == [("torque", False), ("fall_test/abort", None), ("walk", False)]
    assert graph.told == [("torque was called", False)]
    before = len(graph.heard["cmd_vel"])
    graph.carrier.add(Pause(True))
    graph.until(lambda: ("/pause", True) in graph.calls)
    assert len(graph.heard["cmd_vel"]) <= before + 1


def test_a_person_confirms_and_holds_a_test_and_hears_what_is_refused(graph: Graph) -> None:
    graph.carrier.add(Confirm("told"))
    graph.carrier.add(HoldTest("told", True))
    graph.until(lambda: len(graph.told) == 2)
    assert graph.calls == [("fall_test/confirm", None), ("fall_test/pause", True)]
    graph.willing = False
    graph.carrier.add(Torque("told", True))
    graph.until(lambda: len(graph.told) == 3)
    assert graph.told[-1] == ("torque was called", True)


def test_a_robot_that_walks_is_put_back_when_its_gait_has_let_go(graph: Graph) -> None:
    graph.carrier.add(Walk("told", 0.2, 0.0, 0.0))
    graph.until(lambda: graph.state.gait == "ready")
    graph.calls.clear()
    graph.carrier.add(Reset("told"))
    graph.carrier.add(Walk("told", 0.2, 0.0, 0.0))
    graph.until(lambda: ("walk", True) in graph.calls)
    assert [call for call in graph.calls if call[0] in ("walk", "reset")] == [
        ("walk", False),
        ("reset", None),
        ("walk", True),
    ]


def test_what_nobody_offers_is_told(graph: Graph) -> None:
    graph.carrier.add(Reset("nobody"))
    graph.until(lambda: graph.told)
    assert graph.told == [("nobody offers /nobody/reset", True)]


def test_a_recording_is_a_bag_that_can_be_closed(graph: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    graph.carrier.add(Record("told", True))
    graph.until(lambda: list(tmp_path.glob("told_*/*.mcap")))
    graph.carrier.add(Record("told", False))
    graph.until(lambda: graph.told[-1][0] == "the recording is closed")
    assert list(tmp_path.glob("told_*/metadata.yaml"))
