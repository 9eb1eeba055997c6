#!/usr/bin/env bash
# Runs a command with ROS 2 and the suite sourced.
set -e
source /opt/ros/jazzy/setup.bash
source /home/humanoid/suite/install/setup.bash
exec "$@"
