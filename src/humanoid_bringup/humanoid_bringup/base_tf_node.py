"""Where a robot's base is, as tf, for rviz and others that draw by it. Needs a ROS machine, as tf2_msgs is no wheel."""

from __future__ import annotations

import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import Quaternion, TransformStamped, Vector3, WrenchStamped
from nav_msgs.msg import Odometry
from rclpy.node import Node
from scipy.spatial.transform import Rotation
from sensor_msgs.msg import Imu, JointState

from humanoid_bringup.standing_base import StandingBase
from humanoid_description import Robot, RobotError
from humanoid_description.robot_interface import STREAM


def transform_of(odometry: Odometry, prefix: str) -> TransformStamped:
    """The pose in an odometry message; frames of the robot get a prefix."""
    place = odometry.pose.pose.position
    transform = TransformStamped(header=odometry.header, child_frame_id=prefix + odometry.child_frame_id)
    transform.transform.translation = Vector3(x=place.x, y=place.y, z=place.z)
    transform.transform.rotation = odometry.pose.pose.orientation
    return transform


def transform_from(T_world_base: np.ndarray, stamp: Time, base: str) -> TransformStamped:
    """A pose as a message, with the name of the base's frame."""
    transform = TransformStamped(child_frame_id=base)
    transform.header.stamp, transform.header.frame_id = stamp, "world"
    x, y, z = T_world_base[:3, 3].tolist()
    transform.transform.translation = Vector3(x=x, y=y, z=z)
    x, y, z, w = Rotation.from_matrix(T_world_base[:3, :3]).as_quat().tolist()
    transform.transform.rotation = Quaternion(x=x, y=y, z=z, w=w)
    return transform


class BaseTfNode:
    """Publishes `/tf` from `ground_truth/odom`, or where nobody knows from IMU, joints and feet."""

    def __init__(self, node: Node, robot: Robot, prefix: str) -> None:
        try:
            from tf2_msgs.msg import TFMessage
        except ImportError:
            raise RobotError("node tf: tf2_msgs is missing. Install ros-jazzy-tf2-msgs and source ROS 2.") from None
        self._message = TFMessage
        self._prefix = prefix
        self._base_frame = prefix + robot.base_model.root
        self._base: StandingBase | None = StandingBase(robot)
        self._publisher = node.create_publisher(TFMessage, "/tf", 100)
        node.create_subscription(Odometry, "ground_truth/odom", self._on_odometry, STREAM)
        node.create_subscription(Imu, "imu/data", self._on_imu, STREAM)
        node.create_subscription(JointState, "joint_states", self._on_joint_states, STREAM)
        for side in robot.parameters.feet:
            node.create_subscription(
                WrenchStamped, f"foot/{side}/wrench", lambda message, side=side: self._on_wrench(side, message), STREAM
            )

    def _tell(self, transform: TransformStamped) -> None:
        self._publisher.publish(self._message(transforms=[transform]))

    def _on_odometry(self, message: Odometry) -> None:
        self._base = None  # somebody knows better
        self._tell(transform_of(message, self._prefix))

    def _on_imu(self, message: Imu) -> None:
        if self._base is not None:
            turning, pull, stamp = message.angular_velocity, message.linear_acceleration, message.header.stamp
            self._base.feel(
                stamp.sec + 1e-9 * stamp.nanosec,
                np.array([turning.x, turning.y, turning.z]),
                np.array([pull.x, pull.y, pull.z]),
            )

    def _on_wrench(self, side: str, message: WrenchStamped) -> None:
        if self._base is not None:
            self._base.load(side, message.wrench.force.z)

    def _on_joint_states(self, message: JointState) -> None:
        T_world_base = None if self._base is None else self._base.move(message.name, message.position)
        if T_world_base is not None:
            self._tell(transform_from(T_world_base, message.header.stamp, self._base_frame))
