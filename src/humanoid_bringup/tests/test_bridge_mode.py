"""Whether a robot lets itself be moved."""

from __future__ import annotations

import pytest

from dynamixel_bridge.safety import POWERED
from humanoid_bringup.bridge_mode import MOVES, BridgeMode, bridge_mode


def test_the_modes_are_those_of_the_bridge() -> None:
    assert set(MOVES) == set(POWERED) - {"soft"}


@pytest.mark.parametrize("namespace", ["real", "/real", "/real/"])
def test_only_the_bridge_of_this_robot_tells_it(namespace: str) -> None:
    mode = bridge_mode(namespace, "/real/robot: bridge", "soft: the robot has fallen", {"mode": "soft", "rate": "100"})
    assert mode == BridgeMode("soft", "soft: the robot has fallen")
    assert not mode.moves
    assert bridge_mode(namespace, "/real/robot: commands", "", {"mode": "soft"}) is None
    assert bridge_mode(namespace, "/really/robot: bridge", "", {"mode": "soft"}) is None
    assert bridge_mode(namespace, "/real/robot: bridge", "", {}) is None


def test_a_robot_that_follows_moves() -> None:
    assert BridgeMode("following", "").moves
