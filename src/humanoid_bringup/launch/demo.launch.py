"""A walking robot, its fall tests, its adaptation and the page in the browser.

`ros2 launch humanoid_bringup demo.launch.py --show-args` lists the arguments; node_sets.py says what is started.
"""

from launch import LaunchDescription

from humanoid_bringup.launch_description import launch_description


def generate_launch_description() -> LaunchDescription:
    """Describe the set `demo`."""
    return launch_description("demo")
