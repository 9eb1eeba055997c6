"""Simulated robots in one world.

`ros2 launch humanoid_bringup sim.launch.py --show-args` lists the arguments; node_sets.py says what is started.
"""

from launch import LaunchDescription

from humanoid_bringup.launch_description import launch_description


def generate_launch_description() -> LaunchDescription:
    """Describe the set `sim`."""
    return launch_description("sim")
