# ROS 2 Jazzy, Gazebo Harmonic, rviz2, and the suite built by colcon.
FROM ros:jazzy-ros-base-noble@sha256:31daab66eef9139933379fb67159449944f4e2dcf2e22c2d12cc715f29873e0f
SHELL ["/bin/bash", "-euo", "pipefail", "-c"]
# What package.xml asks for beyond the base; ros-gz brings Gazebo Harmonic along.
RUN apt-get update \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
        python3-venv \
        ros-jazzy-dynamixel-sdk \
        ros-jazzy-robot-state-publisher \
        ros-jazzy-ros-gz \
        ros-jazzy-ros2bag \
        ros-jazzy-rosbag2-storage-mcap \
        ros-jazzy-rviz2 \
        ros-jazzy-tf2-msgs \
        ros-jazzy-xacro \
    && rm -rf /var/lib/apt/lists/*
# The first user of most hosts, so that folders shared with the host can be written; dialout may open serial ports.
RUN userdel --remove ubuntu \
    && useradd --create-home --uid 1000 --groups dialout,video humanoid
WORKDIR /home/humanoid/suite
COPY --chown=humanoid . .
RUN chown humanoid .
USER humanoid
# The pinned Python packages beside ROS 2, then the workspace by that Python, with which its programs start then.
RUN source /opt/ros/jazzy/setup.bash \
    && ./humanoid robots \
    && .venv-ros/bin/python "$(command -v colcon)" build --base-paths src
ENTRYPOINT ["/home/humanoid/suite/docker/entrypoint.sh"]
CMD ["ros2", "launch", "humanoid_bringup", "sim.launch.py"]
