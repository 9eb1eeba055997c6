"""Sets of tests and their postures."""

from __future__ import annotations

import itertools
import math

import mujoco
import numpy as np
import pytest

from humanoid_adapt.foot_frame import FootFrame
from humanoid_adapt.limbs import as_array
from humanoid_adapt.protocol import HELD_OUT, INSIDE, PROTOCOLS, Shape, held_out, protocol
from humanoid_adapt.protocol import tests_for as fall_tests_for
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


@pytest.mark.parametrize("name", ["9", "12"])
def test_swing_feet_are_well_above_the_ground(fibo: Robot, name: str) -> None:
    for test in protocol(fibo, name):
        if test.swing_foot is not None:
            frame, foot = FootFrame(fibo, test.support), fibo.parameters.feet[test.swing_foot]
            rotations, origins = frame.link_poses(as_array(fibo, test.waypoints[-1]))
            index = frame.links.index(foot.link)
            corners = itertools.product((foot.front, -foot.rear), (foot.left, -foot.right), (-foot.depth,))
            lowest = min(float((origins[index] + rotations[index] @ corner)[2]) for corner in corners)
            assert lowest + frame.foot.depth > 0.05


def test_limbs_do_not_touch_on_the_way_to_a_posture(fibo: Robot) -> None:
    """Simulated limbs would go through each other."""
    model = fibo.kinematics.model
    data = mujoco.MjData(model)
    qpos = [int(model.joint(name).qposadr[0]) for name in fibo.joint_names]

    def up(geom: int) -> list[int]:
        bodies = [int(model.geom_bodyid[geom])]
        while bodies[-1]:
            bodies.append(int(model.body_parentid[bodies[-1]]))
        return bodies

    def are_neighbours(first: int, second: int) -> bool:
        return len(set(up(first)) ^ set(up(second))) <= 2

    pairs = [pair for pair in itertools.combinations(range(model.ngeom), 2) if not are_neighbours(*pair)]
    for test in protocol(fibo, "12"):
        path = [as_array(fibo, way) for way in (fibo.parameters.stand, *test.waypoints)]
        for begin, end in itertools.pairwise(path):
            for share in (0.2, 0.4, 0.7, 1.0):
                data.qpos[qpos] = begin + share * (end - begin)
                mujoco.mj_kinematics(model, data)
                assert min(mujoco.mj_geomDistance(model, data, *pair, 0.02, None) for pair in pairs) > 0.004, test.name


def test_a_torso_turned_above_its_foot_stays_upright_over_the_middle_of_it(fibo: Robot) -> None:
    for support in ("left", "right"):
        (test,) = fall_tests_for(fibo, ((support, "none", Shape(torso_yaw=40.0)),), INSIDE)
        frame, angles = FootFrame(fibo, support), as_array(fibo, test.waypoints[-1])
        turned = frame.link_poses(angles)[0][frame.links.index("torso")]
        cos, sin = math.cos(math.radians(40)), math.sin(math.radians(40))
        np.testing.assert_allclose(turned, [[cos, -sin, 0], [sin, cos, 0], [0, 0, 1]], atol=1e-9)
        assert frame.com(angles)[0][1] == pytest.approx((frame.foot.left - frame.foot.right) / 2, abs=1e-6)


def test_toes_and_head_turn_the_way_they_are_told_and_joints_that_lack_are_left_out(fibo: Robot) -> None:
    row = ("left", "none", Shape(swing_yaw=45.0, head_yaw=-80.0))
    (test,) = fall_tests_for(fibo, (row,), INSIDE)
    assert math.degrees(test.waypoints[-1]["right_hip_yaw"]) == pytest.approx(-45.0)
    assert math.degrees(test.waypoints[-1]["head_yaw"]) == pytest.approx(-80.0)
    (without,) = fall_tests_for(load_robot("nao"), (row,), INSIDE)
    assert without.waypoints[-1].get("right_hip_yaw_pitch", 0.0) == 0.0


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
