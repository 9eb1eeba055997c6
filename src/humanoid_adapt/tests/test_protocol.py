"""Sets of tests and their postures."""

from __future__ import annotations

import numpy as np
import pytest

from humanoid_adapt.foot_frame import FootFrame
from humanoid_adapt.limbs import as_array
from humanoid_adapt.protocol import HELD_OUT, INSIDE, PROTOCOLS, held_out, protocol
from humanoid_adapt.tipping import Tipping
from humanoid_description import Robot, RobotError, load_robot


@pytest.mark.parametrize("name", ["fibo_km", "nao", "ar601m"])
def test_every_test_starts_inside_the_edge_and_can_be_ramped_over_it(name: str) -> None:
    robot = load_robot(name)
    tipping = Tipping(robot)
    for test in (*protocol(robot, "12"), *held_out(robot)):
        start = as_array(robot, test.waypoints[-1])
        assert tipping.beyond_edge(test, start) == pytest.approx(-INSIDE, abs=1e-6)
        assert 0 < tipping.ramp_angle(test, start) < 0.3


def test_swing_feet_are_well_above_the_ground(fibo: Robot) -> None:
    for test in protocol(fibo, "9"):
        if test.swing_foot is not None:
            rotations, origins = FootFrame(fibo, test.support).link_poses(as_array(fibo, test.waypoints[-1]))
            del rotations
            assert origins[list(fibo.inertials).index(f"{test.swing_foot}_foot"), 2] > 0.05


def test_protocols_have_their_size_and_distinct_names(fibo: Robot) -> None:
    for name, size in {"paper": 2, "6": 6, "9": 9, "12": 12}.items():
        tests = protocol(fibo, name)
        assert len({test.name for test in tests}) == size
    assert not set(map(str, HELD_OUT)) & {str(row) for rows in PROTOCOLS.values() for row in rows}
    assert protocol(fibo, "paper")[0].waypoints == (dict(fibo.parameters.stand),)


def test_nine_tests_see_more_of_the_robot_than_the_papers_two(fibo: Robot) -> None:
    """Rank of the conditions in the first moments of the three masses' links (facts: 2 for two tests)."""
    tipping = Tipping(fibo)
    ranks = {}
    for name in ("paper", "9"):
        rows = [tipping.row(test, as_array(fibo, test.waypoints[-1])) for test in protocol(fibo, name)]
        ranks[name] = np.linalg.matrix_rank(np.array([row.moment.ravel() for row in rows]), tol=1e-3)
    assert ranks == {"paper": 2, "9": 9}


def test_an_unknown_protocol_names_the_known_ones(fibo: Robot) -> None:
    with pytest.raises(RobotError, match="Known: 12, 6, 9, cop, paper"):
        protocol(fibo, "13")


def test_postures_of_cop_rest_inside_the_feet(fibo: Robot) -> None:
    tests = protocol(fibo, "cop")
    assert len(tests) == 16
    for test in tests:
        frame = FootFrame(fibo, test.support_feet[0])
        com, _ = frame.com(as_array(fibo, test.waypoints[-1]))
        assert -frame.foot.rear + 0.02 < com[0] < frame.foot.front - 0.0
        if test.support != "both":
            assert com[1] == pytest.approx((frame.foot.left - frame.foot.right) / 2, abs=1e-6)
