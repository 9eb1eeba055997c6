"""The base as tf."""

from __future__ import annotations

import importlib.util

import pytest
from geometry_msgs.msg import Quaternion
from nav_msgs.msg import Odometry

from humanoid_bringup.base_tf_node import BaseTfNode, transform_of
from humanoid_description import RobotError


def test_the_pose_of_the_odometry_is_the_transform() -> None:
    odometry = Odometry(child_frame_id="torso")
    odometry.header.frame_id = "world"
    odometry.header.stamp.sec = 7
    odometry.pose.pose.position.x, odometry.pose.pose.position.z = 1.5, 0.25
    odometry.pose.pose.orientation = Quaternion(x=0.6, w=0.8)
    transform = transform_of(odometry, "ghost/")
    assert (transform.header, transform.child_frame_id) == (odometry.header, "ghost/torso")
    moved = transform.transform.translation
    assert (moved.x, moved.y, moved.z) == (1.5, 0.0, 0.25)
    assert transform.transform.rotation == Quaternion(x=0.6, w=0.8)


@pytest.mark.skipif(importlib.util.find_spec("tf2_msgs") is not None, reason="tf2_msgs is here")
def test_without_tf2_it_says_what_is_missing() -> None:
    with pytest.raises(RobotError, match="Install ros-jazzy-tf2-msgs"):
        BaseTfNode(None, "")
