"""The base as tf."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest
from builtin_interfaces.msg import Time
from geometry_msgs.msg import Quaternion
from nav_msgs.msg import Odometry

from humanoid_bringup.base_tf_node import BaseTfNode, transform_from, transform_of
from humanoid_description import RobotError, load_robot


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


def test_a_pose_is_a_transform() -> None:
    T_world_base = np.eye(4)
    T_world_base[:3, :3] = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
    T_world_base[:3, 3] = [1, 2, 3]
    transform = transform_from(T_world_base, Time(sec=4), "ghost/torso")
    assert (transform.header.frame_id, transform.header.stamp.sec, transform.child_frame_id) == (
        "world",
        4,
        "ghost/torso",
    )
    moved, turned = transform.transform.translation, transform.transform.rotation
    assert (moved.x, moved.y, moved.z) == (1, 2, 3)
    assert (turned.x, turned.y, turned.z, turned.w) == pytest.approx((0, 0, 0.5**0.5, 0.5**0.5))


@pytest.mark.skipif(importlib.util.find_spec("tf2_msgs") is not None, reason="tf2_msgs is here")
def test_without_tf2_it_says_what_is_missing() -> None:
    with pytest.raises(RobotError, match="Install ros-jazzy-tf2-msgs"):
        BaseTfNode(None, load_robot("fibo_km"), "")
