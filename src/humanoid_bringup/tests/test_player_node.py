"""What the player refuses; test_recorder_node plays a recording."""

from __future__ import annotations

from pathlib import Path

import pytest
import rclpy
from rclpy.context import Context

from humanoid_adapt.bag import TYPES, BagWriter, encode
from humanoid_bringup import player_node
from humanoid_description import RobotError


def test_what_cannot_be_played_is_refused(tmp_path: Path) -> None:
    with BagWriter(tmp_path / "empty"):
        pass
    with pytest.raises(RobotError, match="is empty"):
        player_node.run(tmp_path / "empty", 1.0, 0.0, False)
    with BagWriter(tmp_path / "short") as writer:
        data = encode(TYPES.types["std_msgs/msg/String"](data="x"))
        writer.write("/a/text", "std_msgs/msg/String", 10**9, data)
    with pytest.raises(RobotError, match="beyond the end"):
        player_node.run(tmp_path / "short", 1.0, 5.0, False)


def test_a_bag_without_times_is_played_at_once(tmp_path: Path) -> None:
    with BagWriter(tmp_path / "timeless") as writer:
        writer.write("/a/text", "std_msgs/msg/String", 0, encode(TYPES.types["std_msgs/msg/String"](data="x")))
    context = Context()
    rclpy.init(context=context)
    assert player_node.run(tmp_path / "timeless", 1.0, 0.0, False, context) == 1
    rclpy.try_shutdown(context=context)
