"""Commands: what is sound passes within limits, everything else is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from humanoid_description import Robot, load_robot
from humanoid_description.command import (
    MAX_POINTS,
    CommandRefused,
    Trajectory,
    checked_inertials,
    checked_load,
    checked_push,
    checked_trajectory,
)
from humanoid_description.parameters import Joint

JOINTS = {name: Joint("servo", -1.0, 1.0, None, 1, 0.0) for name in ("hip", "knee")}
SPEEDS = {"hip": 5.0, "knee": 5.0}
NAN = math.nan


def trajectory(
    names: list[str], times: list[float], positions: list[list[float]], velocities: list[list[float]]
) -> Trajectory:
    return checked_trajectory(JOINTS, SPEEDS, names, times, positions, velocities)


@given(st.lists(st.tuples(st.floats(-9, 9), st.floats(-9, 9)), min_size=1, max_size=20))
def test_positions_come_out_within_limits(points: list[tuple[float, float]]) -> None:
    positions = [list(point) for point in points]
    result = trajectory(["knee", "hip"], [0.1 * n for n in range(len(points))], positions, [])
    assert np.abs(result.positions).max() <= 1.0
    assert result.limited == (np.abs(positions).max() > 1.0)
    np.testing.assert_array_equal(result.positions, np.clip(positions, -1, 1))


def test_velocities_are_limited_and_optional() -> None:
    assert trajectory(["hip"], [0.0], [[0.5]], [[]]).velocities is None
    fast = trajectory(["hip"], [0.0], [[0.5]], [[99.0]])
    assert fast.limited
    np.testing.assert_array_equal(fast.velocities, [[5.0]])


@pytest.mark.parametrize(
    ("names", "times", "positions", "velocities", "reason"),
    [
        ([], [0.0], [[]], [], "names no joint"),
        (["hipp"], [0.0], [[0.0]], [], "Did you mean 'hip'"),
        (["hip", "hip"], [0.0], [[0.0, 0.0]], [], "names a joint twice"),
        (["hip"], [], [], [], "has 0 points"),
        (["hip"], [0.001 * n for n in range(MAX_POINTS + 1)], [[0.0]] * (MAX_POINTS + 1), [], "has 10001 points"),
        (["hip"], [1.0, 0.5], [[0.0], [0.0]], [], "not increasing"),
        (["hip"], [0.5, 0.5], [[0.0], [0.0]], [], "not increasing"),
        (["hip"], [-1.0], [[0.0]], [], "not increasing"),
        (["hip"], [NAN], [[0.0]], [], "not increasing"),
        (["hip"], [0.0], [[0.0, 0.0]], [], "point 0 has 2 positions"),
        (["hip"], [0.0], [[]], [], "point 0 has 0 positions"),
        (["hip"], [0.0], [[NAN]], [], "not finite"),
        (["hip"], [0.0], [[math.inf]], [], "not finite"),
        (["hip"], [0.0], [[0.0]], [[NAN]], "not finite"),
        (["hip"], [0.0], [[0.0]], [[0.0, 0.0]], "point 0 has 2 velocities"),
    ],
)
def test_an_unsound_trajectory_is_refused(
    names: list[str],
    times: list[float],
    positions: list[list[float]],
    velocities: list[list[float]],
    reason: str,
) -> None:
    with pytest.raises(CommandRefused, match=reason):
        trajectory(names, times, positions, velocities)


def test_a_push_needs_a_link_and_finite_numbers(robots: dict[str, Robot]) -> None:
    links = robots["fibo_km"].inertials
    assert checked_push(links, "torso", (1, 2, 3), (0, 0, 0)).force.tolist() == [1, 2, 3]
    with pytest.raises(CommandRefused, match="Did you mean 'torso'"):
        checked_push(links, "tors", (1, 2, 3), (0, 0, 0))
    for force in ((1, NAN, 3), (1, 2)):
        with pytest.raises(CommandRefused, match="three finite numbers"):
            checked_push(links, "torso", force, (0, 0, 0))


def test_a_load_needs_a_link_and_a_mass_of_zero_takes_it_off(robots: dict[str, Robot]) -> None:
    links = robots["fibo_km"].inertials
    load = checked_load(links, "left_forearm", 0.2, (0, 0, -0.03))
    assert load.payload is not None
    assert (load.payload.mass, load.payload.position_in_link) == (0.2, (0.0, 0.0, -0.03))
    assert checked_load(links, "left_forearm", 0.0, (0, 0, 0)).payload is None
    with pytest.raises(CommandRefused, match="Did you mean 'left_forearm'"):
        checked_load(links, "left_forarm", 0.2, (0, 0, 0))
    for mass, place in ((-0.1, (0, 0, 0)), (NAN, (0, 0, 0)), (0.2, (0, 0, NAN))):
        with pytest.raises(CommandRefused, match="payload on left_forearm"):
            checked_load(links, "left_forearm", mass, place)


def test_an_adapted_description_names_just_the_links_that_changed(robots: dict[str, Robot]) -> None:
    robot = robots["fibo_km"]
    heavier = load_robot("fibo_km", ["left_forearm:0.2:0,0,-0.03"])
    assert checked_inertials(robot.base_model, robot.inertials, robot.urdf) == {}
    changed = checked_inertials(robot.base_model, robot.inertials, heavier.urdf)
    assert changed == {"left_forearm": heavier.inertials["left_forearm"]}


@pytest.mark.parametrize("text", ["", "<robot", "<sdf/>", "<robot/>"])
def test_an_adapted_description_that_is_none_is_refused(robots: dict[str, Robot], text: str) -> None:
    with pytest.raises(CommandRefused, match="adapted_description"):
        checked_inertials(robots["fibo_km"].base_model, robots["fibo_km"].inertials, text)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('radius="0.03"', ""),
        ('radius="0.03"', 'radius="big"'),
        ('type="revolute"', 'type="fixed"'),
        ('lower="0"', 'lower="-9"'),
        ('xyz="0 0 -0.125"', 'xyz="7"'),
        ('effort="3.42"', 'effort="nan"'),
        ('name="left_knee"', 'name="left_kne"'),
    ],
)
def test_an_adapted_description_that_changes_more_than_inertials_is_refused(
    robots: dict[str, Robot], old: str, new: str
) -> None:
    robot = robots["fibo_km"]
    text = robot.urdf.replace('lower="-0.08726646259971647"', 'lower="0"') if old == 'lower="0"' else robot.urdf
    changed = text.replace(old, new, 1)
    assert changed != robot.urdf
    with pytest.raises(CommandRefused, match="adapted_description"):
        checked_inertials(robot.base_model, robot.inertials, changed)


def test_an_adapted_description_of_another_robot_is_refused(robots: dict[str, Robot]) -> None:
    with pytest.raises(CommandRefused, match="another robot"):
        checked_inertials(robots["fibo_km"].base_model, robots["fibo_km"].inertials, robots["nao"].urdf)
