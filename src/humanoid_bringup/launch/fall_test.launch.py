"""Fall tests and adaptation, beside a robot that runs already.

`ros2 launch humanoid_bringup fall_test.launch.py --show-args` lists the arguments; node_sets.py says what is started.
"""

from launch import LaunchDescription

from humanoid_bringup.launch_description import launch_description


def generate_launch_description() -> LaunchDescription:
    """Describe the set `fall_test`."""
    return launch_description("fall_test")
