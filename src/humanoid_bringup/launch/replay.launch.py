"""A recorded bag as if the robot were there.

`ros2 launch humanoid_bringup replay.launch.py --show-args` lists the arguments; node_sets.py says what is started.
"""

from launch import LaunchDescription

from humanoid_bringup.launch_description import launch_description


def generate_launch_description() -> LaunchDescription:
    """Describe the set `replay`."""
    return launch_description("replay")
