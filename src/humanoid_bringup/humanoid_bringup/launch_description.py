"""A node set as a launch description, with what only a ROS machine has: robot_state_publisher, tf and rviz.

Each robot's tf lives in its namespace, as nav2 does it, so that frames keep their names with several robots. A ghost
is drawn in the tf of its robot, under the prefix `ghost/`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ament_index_python.packages import get_package_share_directory
from launch import LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, ExecuteProcess, OpaqueFunction, Shutdown
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

from humanoid_adapt.assembler import TOPICS
from humanoid_bringup.node_set import Argument, Program, ShownRobot, Values
from humanoid_bringup.node_sets import NODE_SETS, SWITCH
from humanoid_bringup.set_runner import PATIENT

GHOST_PREFIX = "ghost/"
BESIDE = ("fall_test", "view")
"""Sets for a robot that runs already, whose own set brings its transforms along."""


def launch_arguments(name: str) -> tuple[Argument, ...]:
    """Arguments of a launch file beside those of its set."""
    states = "false" if name in BESIDE else "true"
    recorders = ("humanoid", "rosbag2")
    return (
        Argument("use_robot_state_pub", "whether robot_state_publisher and tf run for each robot", states, SWITCH),
        Argument("rviz", "whether rviz2 is opened for each robot", "false", SWITCH),
        Argument("rviz_config", "configuration of rviz2; empty for the one of this package"),
        Argument("recorder", "who records: ours, which warns of silent topics, or rosbag2", "humanoid", recorders),
    )


def launch_description(name: str) -> LaunchDescription:
    """What `NAME.launch.py` returns."""
    node_set = NODE_SETS[name]
    arguments = (*node_set.arguments, *launch_arguments(name))

    def start(context: LaunchContext) -> list[Any]:
        values = {argument.name: LaunchConfiguration(argument.name).perform(context) for argument in arguments}
        plan = node_set.plan({argument.name: values[argument.name] for argument in node_set.arguments})
        actions = [_program(program, values) for program in plan.programs]
        if values["use_robot_state_pub"] == "true":
            actions += [action for robot in plan.robots for action in _transforms(robot, values)]
        if values["rviz"] == "true":
            ghosts = {robot.ghost_of for robot in plan.robots}
            actions += [
                _rviz(robot.namespace, robot.namespace in ghosts, values) for robot in plan.robots if not robot.ghost_of
            ]
        return actions

    return LaunchDescription([*(_declared(argument) for argument in arguments), OpaqueFunction(function=start)])


def _declared(argument: Argument) -> DeclareLaunchArgument:
    # An empty text is a default; None is none.
    choices = {"choices": argument.choices} if argument.choices else {}
    return DeclareLaunchArgument(
        argument.name, default_value=argument.default, description=argument.description, **choices
    )


def _parameters(values: Values) -> dict[str, Any]:
    return {"use_sim_time": values["use_sim_time"] == "true"}


def _program(program: Program, values: Values) -> ExecuteProcess:
    if program.name == "recorder" and values["recorder"] == "rosbag2":
        _, _, bag, _, namespace = program.arguments
        topics = [f"{namespace}/{topic}" for topic in TOPICS]
        return ExecuteProcess(
            name="recorder",
            cmd=["ros2", "bag", "record", "-s", "mcap", "-o", bag, "--topics", *topics],
            output="screen",
        )
    return Node(
        package="humanoid_bringup",
        executable="humanoid",
        exec_name=program.name,
        arguments=list(program.arguments),
        parameters=[_parameters(values)],
        ros_arguments=["--log-level", values["log_level"]],
        remappings=list(program.remappings),
        output="screen",
        **({"prefix": f"nice -n {PATIENT}"} if program.patient else {}),
        **({"on_exit": Shutdown(reason=f"{program.name} has ended")} if program.essential else {}),
    )


def _transforms(robot: ShownRobot, values: Values) -> list[Node]:
    """Joints and base of a robot as tf, and what keeps it upright as markers."""
    prefix = GHOST_PREFIX if robot.ghost_of else ""
    drawn = robot.ghost_of or robot.namespace
    topics = [(f"/{topic}", f"/{drawn}/{topic}") for topic in ("tf", "tf_static")]
    description = [("robot_description", f"/{drawn}/{prefix}robot_description")]
    joints = Node(
        package="robot_state_publisher",
        executable="robot_state_publisher",
        namespace=robot.namespace,
        parameters=[
            {
                **_parameters(values),
                # As text: launch would take it for YAML.
                "robot_description": ParameterValue(robot.robot.urdf, value_type=str),
                "frame_prefix": prefix,
                "publish_frequency": 50.0,
            }
        ],
        ros_arguments=["--log-level", values["log_level"]],
        remappings=[*topics, *description],
        output="screen",
    )
    arguments = ("node", "tf", str(robot.robot.folder), "--namespace", robot.namespace, "--prefix", prefix)
    base = _program(Program(f"{robot.namespace}_tf", arguments, tuple(topics), essential=False), values)
    if robot.ghost_of:
        return [joints, base]
    upright = ("node", "balance", str(robot.robot.folder), "--namespace", robot.namespace)
    return [joints, base, _program(Program(f"{robot.namespace}_balance", upright, essential=False), values)]


def _rviz(namespace: str, ghost: bool, values: Values) -> Node:
    share = Path(get_package_share_directory("humanoid_bringup"))
    config = values["rviz_config"] or str(share / "rviz" / ("ghost.rviz" if ghost else "robot.rviz"))
    return Node(
        package="rviz2",
        executable="rviz2",
        namespace=namespace,
        arguments=["-d", config],
        parameters=[_parameters(values)],
        ros_arguments=["--log-level", values["log_level"]],
        remappings=[("/tf", "tf"), ("/tf_static", "tf_static")],
        output="screen",
    )
