"""Where a robot's base is, as tf, for rviz and others that draw by it. Needs a ROS machine, as tf2_msgs is no wheel."""

from __future__ import annotations

from geometry_msgs.msg import TransformStamped
from nav_msgs.msg import Odometry
from rclpy.node import Node

from humanoid_description import RobotError
from humanoid_description.robot_interface import STREAM


def transform_of(odometry: Odometry, prefix: str) -> TransformStamped:
    """The pose in an odometry message; frames of the robot get a prefix."""
    transform = TransformStamped(header=odometry.header, child_frame_id=prefix + odometry.child_frame_id)
    place = odometry.pose.pose.position
    translation = transform.transform.translation
    translation.x, translation.y, translation.z = place.x, place.y, place.z
    transform.transform.rotation = odometry.pose.pose.orientation
    return transform


class BaseTfNode:
    """Publishes `/tf` from `ground_truth/odom`."""

    def __init__(self, node: Node, prefix: str) -> None:
        try:
            from tf2_msgs.msg import TFMessage
        except ImportError:
            raise RobotError("node tf: tf2_msgs is missing. Install ros-jazzy-tf2-msgs and source ROS 2.") from None
        publisher = node.create_publisher(TFMessage, "/tf", 100)

        def tell(message: Odometry) -> None:
            publisher.publish(TFMessage(transforms=[transform_of(message, prefix)]))

        node.create_subscription(Odometry, "ground_truth/odom", tell, STREAM)
