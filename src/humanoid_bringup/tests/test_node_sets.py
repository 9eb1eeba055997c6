"""The sets of programs that launch files and ./humanoid share."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator

import pytest
import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from humanoid_bringup.cli import parser
from humanoid_bringup.node_set import Program
from humanoid_bringup.node_sets import NODE_SETS, named_robots
from humanoid_bringup.set_runner import ros_arguments
from humanoid_description import RobotError, load_robot

PATIENCE = 120.0  # s
REQUIRED = {"robot": {"ports": "/dev/ttyUSB0"}, "replay": {"bag": "falls"}}
EXTRAS = {"record": "true", "ghost": "true", "viewer": "true", "adapt": "true", "payload": "scenario_d scenario_f"}


def programs(name: str, **given: str) -> dict[str, Program]:
    plan = NODE_SETS[name].plan({**REQUIRED.get(name, {}), **given})
    assert len({program.name for program in plan.programs}) == len(plan.programs), "a name is used twice"
    return {program.name: program for program in plan.programs}


def test_these_are_the_sets() -> None:
    assert list(NODE_SETS) == ["sim", "robot", "twin", "fall_test", "view", "replay", "demo"]


@pytest.mark.parametrize("name", NODE_SETS)
def test_every_argument_is_described_and_the_usual_ones_are_there(name: str) -> None:
    arguments = {argument.name: argument for argument in NODE_SETS[name].arguments}
    assert len(arguments) == len(NODE_SETS[name].arguments)
    assert {"use_sim_time", "log_level"} < set(arguments)
    assert name == "demo" or "namespace" in arguments
    for argument in arguments.values():
        assert len(argument.description) > 5
        assert argument.default is None or not argument.choices or argument.default in argument.choices


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("name", NODE_SETS)
def test_every_program_is_a_command_that_exists(name: str, full: bool) -> None:
    known = {argument.name for argument in NODE_SETS[name].arguments}
    given = {key: value for key, value in EXTRAS.items() if key in known} if full else {}
    for program in programs(name, **given).values():
        options = parser(program.arguments).parse_args(program.arguments)
        assert callable(options.run)


def test_a_simulation_knows_its_robots_by_their_namespaces() -> None:
    plan = NODE_SETS["sim"].plan({"robot": "red=fibo_km nao nao", "record": "true", "bag": "match"})
    assert [shown.namespace for shown in plan.robots] == ["red", "nao", "nao_2"]
    assert plan.programs[0].arguments[:4] == ("sim", "red=fibo_km", "nao", "nao")
    assert plan.programs[1].arguments == ("bag", "record", "match", "--namespace", "/red")
    assert programs("sim", record="true")["recorder"].arguments[2].startswith("fibo_km_2")
    assert programs("sim", namespace="one")["sim"].arguments[1] == "one=fibo_km"
    with pytest.raises(RobotError, match="namespace is for one robot"):
        programs("sim", namespace="one", robot="fibo_km nao")


def test_a_robot_may_be_named_but_no_two_alike() -> None:
    assert list(named_robots(["/a=fibo_km", "fibo_km", "fibo_km"], [])) == ["a", "fibo_km_2", "fibo_km_3"]
    for words in (["a=fibo_km", "a=nao"], ["a/b=nao"]):
        with pytest.raises(RobotError, match="Write another before"):
            named_robots(words, [])
    for words in (["1 a=nao"], ["=nao"], ["ä=nao"]):
        with pytest.raises(RobotError, match="is no namespace"):
            named_robots(words, [])


def test_the_bridge_finds_the_ports_of_the_twin() -> None:
    started = programs("twin", ports="/tmp/ports")
    ports = load_robot("fibo_km").parameters.servo_bus.ports
    for port in ports:
        assert f"{port}=/tmp/ports/fibo_km_{port}" in started["bridge"].arguments
    assert started["twin"].arguments[2:4] == ("--ports", "/tmp/ports")


def test_a_ghost_hears_what_the_robot_hears_and_keeps_its_clock_to_itself() -> None:
    plan = NODE_SETS["robot"].plan({"ports": "/dev/ttyUSB0", "ghost": "true", "namespace": "/real"})
    ghost = next(program for program in plan.programs if program.name == "ghost")
    assert ("/real_ghost/joint_trajectory", "/real/joint_trajectory") in ghost.remappings
    assert ("/clock", "/real_ghost/clock") in ghost.remappings
    assert [(shown.namespace, shown.ghost_of) for shown in plan.robots] == [("real", ""), ("real_ghost", "real")]


def test_a_robot_does_not_stop_for_its_onlookers() -> None:
    for name in ("viewer", "recorder"):
        assert not programs("sim", viewer="true", record="true")[name].essential
    assert programs("sim")["sim"].essential


def test_the_estimator_can_be_asked_when_the_bag_is_over() -> None:
    started = programs("replay", adapt="true", models="elsewhere")
    assert not started["player"].essential
    assert started["adapt"].arguments[-2:] == ("--models", "elsewhere")


@pytest.fixture
def haunted() -> Iterator[subprocess.Popen[bytes]]:
    """The ghost of a robot `/haunted`, as launch starts it."""
    plan = NODE_SETS["robot"].plan({"ports": "/dev/ttyUSB0", "ghost": "true", "namespace": "haunted"})
    ghost = next(program for program in plan.programs if program.name == "ghost")
    words = [*ghost.arguments, *ros_arguments(ghost, {"use_sim_time": "false", "log_level": "info"})]
    process = subprocess.Popen([sys.executable, "-m", "humanoid_bringup", *words], stdout=subprocess.DEVNULL)
    yield process
    process.kill()
    process.wait()


def test_a_ghost_in_ros_follows_what_the_robot_is_told(haunted: subprocess.Popen[bytes]) -> None:
    context = Context()
    rclpy.init(context=context)
    node = Node("user", context=context)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    heard: list[JointState] = []
    node.create_subscription(JointState, "/haunted_ghost/joint_states", heard.append, 10)
    told = node.create_publisher(JointTrajectory, "/haunted/joint_trajectory", 10)
    nod = JointTrajectory(joint_names=["head_yaw"], points=[JointTrajectoryPoint(positions=[0.5])])
    end = time.monotonic() + PATIENCE
    angle = 0.0
    while angle < 0.3:
        assert time.monotonic() < end, "the ghost does not follow"
        if told.get_subscription_count():
            told.publish(nod)
        executor.spin_once(timeout_sec=0.1)
        angle = heard[-1].position[list(heard[-1].name).index("head_yaw")] if heard else 0.0
    assert node.count_publishers("/haunted_ghost/clock") == 1
    assert node.count_publishers("/clock") == 0
    haunted.terminate()
    assert haunted.wait() == 0
    executor.shutdown()
    node.destroy_node()
    rclpy.shutdown(context=context)
