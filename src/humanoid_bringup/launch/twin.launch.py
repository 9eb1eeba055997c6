"""A simulated robot behind a virtual servo bus, and the bridge that drives it.

`ros2 launch humanoid_bringup twin.launch.py --show-args` lists the arguments; node_sets.py says what is started.
"""

from launch import LaunchDescription

from humanoid_bringup.launch_description import launch_description


def generate_launch_description() -> LaunchDescription:
    """Describe the set `twin`."""
    return launch_description("twin")
