"""Following joint trajectories."""

from __future__ import annotations

import numpy as np
import pytest

from humanoid_description import RobotError
from humanoid_description.command import Trajectory
from humanoid_description.follower import TrajectoryFollower
from humanoid_description.interpolation import ReferenceLimits


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


def test_a_new_command_goes_on_with_the_speed_of_the_old_one() -> None:
    follower = TrajectoryFollower(["hip"], np.zeros(1), "cubic")
    moving = Trajectory(("hip",), np.array([1.0]), np.array([[1.0]]), np.array([[1.5]]), False)
    follower.follow(moving, now=0.0)
    before = follower.target(0.7)
    follower.follow(moving, now=0.7)
    assert follower.target(0.7) == (pytest.approx(before[0]), pytest.approx(before[1]))


def test_two_intervals_keep_the_limits_of_the_command_s_joints() -> None:
    limits = ReferenceLimits(np.array([1.0, 100.0]), np.array([5.0, 500.0]))
    follower = TrajectoryFollower(["hip", "knee"], np.zeros(2), "two_interval", limits)
    follower.follow(trajectory(("knee", "hip"), [0.2], [[0.5, 0.5]]), now=0.0)
    hip, knee = follower.target(0.2)[0]
    assert knee == pytest.approx(0.5)
    assert hip < 0.15
    assert follower.target(3.0)[0] == pytest.approx([0.5, 0.5])


def test_an_unknown_interpolation_is_refused() -> None:
    with pytest.raises(RobotError, match="Did you mean 'cubic'"):
        TrajectoryFollower(["hip"], np.zeros(1), "cubik")
