"""Looks at robots that run already, in the browser and in rviz.

`ros2 launch humanoid_bringup view.launch.py --show-args` lists the arguments; node_sets.py says what is started.
"""

from launch import LaunchDescription

from humanoid_bringup.launch_description import launch_description


def generate_launch_description() -> LaunchDescription:
    """Describe the set `view`."""
    return launch_description("view")
