"""Launch files: everywhere what can be read of them, and their descriptions where launch is installed."""

from __future__ import annotations

import ast
import importlib.util
import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from humanoid_bringup.node_sets import NODE_SETS
from humanoid_description import load_robot

FOLDER = Path(__file__).parents[1]
LAUNCH_FILES = sorted((FOLDER / "launch").glob("*.launch.py"))
REQUIRED = {"robot": {"ports": "/dev/ttyUSB0"}, "replay": {"bag": "falls"}}
needs_launch = pytest.mark.skipif(
    importlib.util.find_spec("launch_ros") is None, reason="launch_ros is not installed; it comes with ROS 2 only"
)


def set_of(file: Path) -> str:
    return file.name.removesuffix(".launch.py")


def started(name: str, **given: str) -> list[Any]:
    """The processes that a launch file starts."""
    from launch import LaunchContext
    from launch.actions import DeclareLaunchArgument, OpaqueFunction

    from humanoid_bringup.launch_description import launch_description

    context = LaunchContext()
    context.launch_configurations.update({**REQUIRED.get(name, {}), **given})
    description = launch_description(name)
    for entity in description.entities:
        if isinstance(entity, DeclareLaunchArgument):
            entity.visit(context)
    (function,) = [entity for entity in description.entities if isinstance(entity, OpaqueFunction)]
    actions = function.execute(context)
    assert actions is not None
    return list(actions)


def executables(actions: list[Any]) -> list[str]:
    return [getattr(action, "node_executable", "ros2") for action in actions]


def test_there_is_a_launch_file_per_set() -> None:
    assert {set_of(file) for file in LAUNCH_FILES} == set(NODE_SETS)


@pytest.mark.parametrize("file", LAUNCH_FILES, ids=set_of)
def test_a_launch_file_describes_the_set_of_its_name(file: Path) -> None:
    tree = ast.parse(file.read_text())
    (function,) = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    assert function.name == "generate_launch_description"
    (call,) = [node for node in ast.walk(function) if isinstance(node, ast.Call)]
    assert ast.unparse(call) == f"launch_description('{set_of(file)}')"


def test_every_argument_of_launch_alone_is_described() -> None:
    tree = ast.parse((FOLDER / "humanoid_bringup" / "launch_description.py").read_text())
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and ast.unparse(node.func) == "Argument"]
    assert len(calls) == 4
    for call in calls:
        name, description = (ast.literal_eval(word) for word in call.args[:2])
        assert len(description) > 5, name


@pytest.mark.parametrize("name", ["robot", "ghost"])
def test_rviz_shows_topics_that_the_robot_has(name: str) -> None:
    text = (FOLDER / "rviz" / f"{name}.rviz").read_text()
    displays = yaml.safe_load(text)["Visualization Manager"]["Displays"]
    topics = {display[key]["Value"] for display in displays for key in ("Topic", "Description Topic") if key in display}
    known = (FOLDER.parents[1] / "docs" / "interface.md").read_text()
    for topic in topics - {"ghost/robot_description"}:
        assert f"`{topic}`" in known
    assert ("ghost/robot_description" in topics) == (name == "ghost")


def test_the_foxglove_layout_places_every_panel_and_names_topics_that_exist() -> None:
    layout = json.loads((FOLDER / "foxglove" / "humanoid.json").read_text())

    def panels(tree: Any) -> list[str]:
        return [tree] if isinstance(tree, str) else panels(tree["first"]) + panels(tree["second"])

    assert sorted(panels(layout["layout"])) == sorted(layout["configById"])
    known = set(re.findall(r"`([\w/]+)`", (FOLDER.parents[1] / "docs" / "interface.md").read_text()))
    named = set(re.findall(r"/fibo_km/((?:foot/\w+/)?[a-z_/]+)", json.dumps(layout)))
    assert len(named) > 5
    assert named <= known


@needs_launch
@pytest.mark.parametrize("file", LAUNCH_FILES, ids=set_of)
def test_a_launch_file_builds_its_description_with_all_arguments(file: Path) -> None:
    from launch.launch_description_sources import get_launch_description_from_python_launch_file

    description = get_launch_description_from_python_launch_file(str(file))
    arguments = {argument.name: argument for argument in description.get_launch_arguments()}
    assert {argument.name for argument in NODE_SETS[set_of(file)].arguments} < set(arguments)
    assert {"rviz", "rviz_config", "use_robot_state_pub", "recorder"} < set(arguments)
    assert all("no description" not in argument.description for argument in arguments.values())


@needs_launch
@pytest.mark.parametrize("name", NODE_SETS)
def test_it_starts_what_the_set_says(name: str) -> None:
    programs = NODE_SETS[name].plan(REQUIRED.get(name, {})).programs
    actions = started(name, use_robot_state_pub="false")
    assert executables(actions) == ["humanoid"] * len(programs)


@needs_launch
def test_every_robot_has_its_transforms_and_rviz() -> None:
    actions = started("sim", robot="fibo_km red=nao", rviz="true")
    states = ["robot_state_publisher", "humanoid", "humanoid"] * 2
    assert executables(actions) == ["humanoid", *states, "rviz2", "rviz2"]


@needs_launch
def test_a_ghost_is_drawn_in_the_window_of_its_robot() -> None:
    actions = started("twin", ghost="true", rviz="true")
    assert executables(actions).count("robot_state_publisher") == 2
    assert executables(actions).count("rviz2") == 1


@needs_launch
def test_rosbag2_records_the_topics_of_the_robot() -> None:
    actions = started("fall_test", record="true", recorder="rosbag2")
    recorder = actions[executables(actions).index("ros2")]
    words = [part[0].text for part in recorder.cmd]
    assert words[:5] == ["ros2", "bag", "record", "-s", "mcap"]
    assert f"/{load_robot('fibo_km').name}/fall_test/state" in words
