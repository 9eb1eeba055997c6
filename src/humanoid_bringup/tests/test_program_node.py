"""A user's program against a robot in a real ROS graph."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import rclpy
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from geometry_msgs.msg import Twist
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from std_srvs.srv import SetBool
from trajectory_msgs.msg import JointTrajectory

from humanoid_bringup import program_node
from humanoid_bringup.cli import main
from humanoid_bringup.program import FAILED, FINISHED, STOPPED
from humanoid_bringup.program_node import ProgramNode
from humanoid_description import RobotError
from humanoid_description.robot_interface import LATCHED, STREAM

PATIENCE = 60.0  # s
URDF = """<robot name="two"><joint name="hip" type="revolute"/><joint name="knee" type="revolute"/>
<joint name="sole" type="fixed"/></robot>"""


class Graph:
    """A robot with two joints that says where it is every 10 ms, hears, and can walk; and a program's node."""

    def __init__(self, space: str = "programmed") -> None:
        self.context = Context()
        rclpy.init(context=self.context)
        self.executor = SingleThreadedExecutor(context=self.context)
        self.robot = Node("robot", namespace=space, context=self.context)
        self.runner = ProgramNode(Node("program", namespace=space, context=self.context))
        self.executor.add_node(self.robot)
        self.executor.add_node(self.runner.node)
        self.trajectories: list[JointTrajectory] = []
        self.velocities: list[float] = []
        self.switched: list[bool] = []
        self.stamp = 0
        self.joints = ["hip", "knee"]
        self.robot.create_subscription(JointTrajectory, "joint_trajectory", self.trajectories.append, STREAM)
        self.robot.create_subscription(Twist, "cmd_vel", lambda twist: self.velocities.append(twist.linear.x), STREAM)
        self.states = self.robot.create_publisher(JointState, "joint_states", STREAM)
        self.reports = self.robot.create_publisher(DiagnosticArray, "/diagnostics", STREAM)
        self.robot.create_publisher(String, "robot_description", LATCHED).publish(String(data=URDF))
        self.until(lambda: self.states.get_subscription_count() and self.reports.get_subscription_count())
        self.statuses: dict[str, DiagnosticStatus] = {}
        self.report("robot: commands")

    def report(self, name: str, text: str = "", **values: str) -> None:
        """Say this in /diagnostics from now on."""
        pairs = [KeyValue(key=key, value=value) for key, value in values.items()]
        full_name = f"{self.robot.get_namespace()}/{name}"
        self.statuses[name] = DiagnosticStatus(name=full_name, message=text, values=pairs)

    def offer_walking(self) -> None:
        def switch(request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
            self.switched.append(request.data)
            return response

        self.robot.create_service(SetBool, "walk", switch)
        self.until(self.runner._walk.service_is_ready)

    def tick(self) -> None:
        """One control period of the robot."""
        self.stamp += 10_000_000
        count = len(self.joints)
        state = JointState(name=self.joints, position=[0.1, 0.2][:count], velocity=[0.0] * count, effort=[0.0] * count)
        state.header.stamp.sec, state.header.stamp.nanosec = divmod(self.stamp, 1_000_000_000)
        before = self.runner.heard
        self.reports.publish(DiagnosticArray(status=list(self.statuses.values())))
        self.states.publish(state)
        self.until(lambda: self.runner.heard > before, live=False)

    def until(self, condition: Callable[[], Any], live: bool = True) -> None:
        end = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < end, "nothing happened"
            self.executor.spin_once(timeout_sec=0.01)
            if live and self.stamp:
                self.tick()

    def run(self, text: str, rate: float = 100.0) -> str:
        """Run a program to its end; what became of it."""
        self.runner.start(text, rate)
        self.tick()
        program = self.runner.program
        assert program is not None
        self.until(lambda: program.ended)
        return program.told

    def close(self) -> None:
        self.runner.stop()
        self.executor.shutdown()
        self.robot.destroy_node()
        self.runner.node.destroy_node()
        rclpy.shutdown(context=self.context)


@pytest.fixture
def graph() -> Iterator[Graph]:
    """A robot that can be programmed."""
    graph = Graph()
    yield graph
    graph.close()


@pytest.mark.parametrize("rate", [100.0, 50.0, 30.0, 1000.0])
def test_it_is_called_at_its_rate_of_the_robots_time(graph: Graph, rate: float) -> None:
    told = graph.run("def control(robot):\n    if robot.time > 0.995:\n        robot.finish()\n", rate)
    assert told == FINISHED
    program = graph.runner.program
    assert program is not None
    # Not before the robot has new joint states, 100 times a second; late answers may cost a call.
    assert min(rate, 100.0) - graph.runner.late <= program.calls <= min(rate, 100.0) + 1


def test_joints_go_where_it_sends_them_and_stay_there_when_it_finishes(graph: Graph) -> None:
    graph.run("def control(robot):\n    robot.command({'knee': 0.7}, seconds=1.25)\n    robot.finish()\n")
    graph.until(lambda: graph.trajectories)
    (message,) = graph.trajectories
    assert list(message.joint_names) == ["knee"]
    assert list(message.points[0].positions) == [0.7]
    duration = message.points[0].time_from_start
    assert (duration.sec, duration.nanosec) == (1, 250_000_000)


def test_a_program_that_fails_leaves_its_joints_where_they_are(graph: Graph) -> None:
    text = "def control(robot):\n    robot.command({'knee': 0.7})\n    if robot.time > 0.1:\n        robot.oops()\n"
    assert graph.run(text).startswith("failed: line 4: AttributeError")
    graph.until(lambda: list(graph.trajectories[-1].points[0].positions) == [0.2])
    assert all(list(message.joint_names) == ["knee"] for message in graph.trajectories)


def test_walking_is_switched_on_once_repeated_and_stopped_at_any_end(graph: Graph) -> None:
    graph.offer_walking()
    for last, state in (("robot.finish()", FINISHED), ("1 / 0", FAILED)):
        graph.velocities.clear()
        text = (
            "def control(robot):\n    if not robot.time:\n        robot.walk(0.3)\n"
            f"    if robot.time > 0.5:\n        {last}\n"
        )
        assert graph.run(text, rate=20.0).startswith(state)
        graph.until(lambda: graph.velocities and graph.velocities[-1] == 0.0)
        assert graph.velocities.count(0.3) > 30  # at the rate of the joint states rather than of the calls
    assert graph.switched == [True, True]


def test_being_stopped_by_its_user_stops_the_robot(graph: Graph) -> None:
    graph.offer_walking()
    graph.runner.start("def control(robot):\n    robot.walk(0.3)\n", 100.0)
    graph.tick()
    graph.until(lambda: graph.velocities)
    graph.runner.stop()
    graph.until(lambda: graph.velocities[-1] == 0.0)
    assert graph.runner.program is not None
    assert graph.runner.program.state == STOPPED


def test_walking_where_nobody_walks_is_an_error(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program_node, "GAIT_PATIENCE", 0.05)
    assert "Start gait_node beside it" in graph.run("def control(robot):\n    robot.walk(0.3)\n")


def test_it_waits_until_every_joint_has_spoken(graph: Graph) -> None:
    graph.joints = ["hip"]
    graph.tick()
    graph.runner.start("def control(robot): robot.finish()", 100.0)
    graph.until(lambda: graph.runner.program.running and graph.runner.joints)
    for _ in range(20):
        graph.tick()
    assert graph.runner.missing == "knee"
    assert graph.runner.program.calls == 0
    graph.joints = ["hip", "knee"]
    graph.until(lambda: graph.runner.program.state == FINISHED)


@pytest.mark.parametrize("action", ["robot.command({'knee': 0.7})", "robot.walk(0.2)"])
def test_a_robot_whose_servos_are_off_is_not_commanded_and_the_program_has_failed(graph: Graph, action: str) -> None:
    graph.offer_walking()
    graph.report("robot: bridge", "passive: nothing moves before it is enabled", mode="passive")
    assert graph.run("def control(robot):\n    robot.finish()\n") == FINISHED  # it wanted nothing
    told = graph.run(f"def control(robot):\n    {action}\n    robot.finish()\n")
    assert "failed: the robot is passive: nothing moves before it is enabled" in told
    assert "./humanoid call torque true --robot /programmed" in told
    assert (graph.trajectories, graph.velocities, graph.switched) == ([], [], [])
    graph.report("robot: bridge", "following: following commands", mode="following")
    assert graph.run(f"def control(robot):\n    {action}\n    robot.finish()\n") == FINISHED


def test_it_waits_until_the_robot_has_said_how_it_is(graph: Graph) -> None:
    graph.statuses.clear()
    graph.report("gait: gait", state="off")
    graph.runner.start("def control(robot): robot.finish()", 100.0)
    graph.tick()
    graph.until(lambda: graph.runner.program.running and graph.runner.joints)
    for _ in range(20):
        graph.tick()
    assert graph.runner.missing == "/diagnostics"
    assert graph.runner.program.calls == 0
    graph.report("robot: commands")
    graph.until(lambda: graph.runner.program.state == FINISHED)


def test_a_gait_that_does_not_say_its_state_does_no_harm(graph: Graph) -> None:
    graph.report("gait: gait", "walks")
    assert graph.run("def control(robot):\n    robot.finish()\n") == FINISHED


def test_a_rate_must_be_one(graph: Graph) -> None:
    for rate in (0.0, -1.0, math.nan, math.inf):
        with pytest.raises(RobotError, match="above zero"):
            graph.runner.start("", rate)


def test_the_command_says_what_is_wrong_and_where(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program_node, "SILENCE", 0.3)
    file = tmp_path / "mine.py"
    file.write_text("def control(robot):\n    pass\n")
    assert main(["program", str(file), "--robot", "nobody", "--json"]) == 1
    told = json.loads(capfd.readouterr().out)
    assert told["state"] == FAILED
    assert "/nobody: joint_states is silent. Start the robot" in told["error"]
    assert main(["program", str(file), "--seconds", "0"]) == 1
    monkeypatch.setattr(program_node, "SILENCE", PATIENCE)
    file.write_text("def control(robot:\n")
    assert main(["program", str(file), "--robot", "nobody", "--json"]) == 1
    told = json.loads(capfd.readouterr().out)
    assert "SyntaxError" in told["error"]
    assert told["line"] == 1
    assert main(["program", str(tmp_path / "nowhere.py")]) == 1
    assert "nowhere.py: cannot be read" in capfd.readouterr().err
