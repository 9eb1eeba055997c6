"""Following joint trajectories."""

from __future__ import annotations

import numpy as np
import pytest

from humanoid_description.command import Trajectory
from humanoid_description.follower import TrajectoryFollower


def trajectory(names: tuple[str, ...], times: list[float], positions: list[list[float]]) -> Trajectory:
    return Trajectory(names, np.array(times), np.array(positions), None, False)


def test_it_goes_from_where_it_is_through_the_points_and_stays() -> None:
    follower = TrajectoryFollower(["hip", "knee"], np.array([0.5, 1.0]))
    follower.follow(trajectory(("knee",), [1.0, 2.0], [[2.0], [1.5]]), now=10.0)
    expected = {10.0: 1.0, 10.5: 1.5, 11.0: 2.0, 11.5: 1.75, 12.0: 1.5, 99.0: 1.5}
    for now, knee in expected.items():
        position, _ = follower.target(now)
        assert position == pytest.approx([0.5, knee])
    assert follower.target(10.5)[1] == pytest.approx([0.0, 1.0])
    assert follower.target(11.5)[1] == pytest.approx([0.0, -0.5])
    assert follower.target(12.0)[1] == pytest.approx([0.0, 0.0])


def test_a_point_at_time_zero_is_a_set_point() -> None:
    follower = TrajectoryFollower(["hip", "knee"], np.zeros(2))
    follower.follow(trajectory(("hip",), [0.0], [[0.3]]), now=1.0)
    position, velocity = follower.target(1.0)
    assert position == pytest.approx([0.3, 0.0])
    assert velocity == pytest.approx([0.0, 0.0])


def test_a_new_command_starts_from_the_old_one_and_other_joints_go_on() -> None:
    follower = TrajectoryFollower(["hip", "knee"], np.zeros(2))
    follower.follow(trajectory(("hip", "knee"), [2.0], [[1.0, 1.0]]), now=0.0)
    follower.follow(trajectory(("hip",), [1.0], [[0.0]]), now=1.0)
    assert follower.target(1.0)[0] == pytest.approx([0.5, 0.5])
    assert follower.target(1.5)[0] == pytest.approx([0.25, 0.75])
    assert follower.target(5.0)[0] == pytest.approx([0.0, 1.0])


def test_holding_forgets_everything() -> None:
    follower = TrajectoryFollower(["hip"], np.zeros(1))
    follower.follow(trajectory(("hip",), [2.0], [[1.0]]), now=0.0)
    follower.hold(np.array([0.2]))
    assert follower.target(1.0)[0] == pytest.approx([0.2])
