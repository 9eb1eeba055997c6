"""The planned walk: continuous, within the soles, and it gets where it is told."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from humanoid_description import load_robot
from humanoid_gait.dcm import natural_frequency
from humanoid_gait.gait_parameters import GaitParameters, derived_gait
from humanoid_gait.pattern import STANDING, WALKING, Planned, WalkPattern
from humanoid_gait.planar_pose import place

DT = 0.002
ROOM = np.array([0.012, 0.009])
COMMANDS = [(0.2, 0.0, 0.0), (-0.1, 0.0, 0.0), (0.0, 0.05, 0.0), (0.0, 0.0, 0.5), (0.1, -0.04, 0.3)]


@pytest.fixture(scope="module")
def gait() -> GaitParameters:
    return derived_gait(load_robot("fibo_km"))


def walked(gait: GaitParameters, command: tuple[float, ...], seconds: float) -> list[Planned]:
    """A walk that begins and ends standing."""
    pattern = WalkPattern(gait, natural_frequency(0.25), ROOM)
    plan = [pattern.tick(DT)]
    pattern.wanted = np.array(command)
    plan += [pattern.tick(DT) for _ in range(round(seconds / DT))]
    pattern.wanted = np.zeros(3)
    while plan[-1].phase != STANDING:
        plan.append(pattern.tick(DT))
    return plan + [pattern.tick(DT) for _ in range(round(2.0 / DT))]


@pytest.mark.parametrize("command", COMMANDS)
def test_nothing_jumps(gait: GaitParameters, command: tuple[float, ...]) -> None:
    plan = walked(gait, command, 4.0)
    for side in ("left", "right"):
        feet = np.array([[*moment.feet[side], moment.heights[side]] for moment in plan])
        assert np.abs(np.diff(feet, axis=0)).max() < 3.0 * DT
    com = np.array([moment.com for moment in plan])
    omega = natural_frequency(0.25)
    acceleration = np.diff(com, 2, axis=0) / DT**2
    dcm = np.array([moment.dcm for moment in plan])
    velocity = omega * (dcm - com)
    assert np.diff(com, axis=0) / DT == pytest.approx(0.5 * (velocity[1:] + velocity[:-1]), abs=2e-3)
    # The acceleration is the pendulum's: the weight is never further from the centre of mass than the feet are.
    assert np.abs(acceleration).max() < omega**2 * 0.2


@pytest.mark.parametrize("command", COMMANDS)
def test_the_zero_moment_point_stays_inside_the_sole(gait: GaitParameters, command: tuple[float, ...]) -> None:
    foot = load_robot("fibo_km").parameters.feet["left"]
    for moment in walked(gait, command, 4.0):
        if moment.phase != WALKING or moment.load[moment.support] < 1.0:
            continue
        x, y, yaw = moment.feet[moment.support]
        ahead, aside = place(np.array([0.0, 0.0, -yaw]), moment.zmp - [x, y])
        outward, inward = (aside, -aside) if moment.support == "left" else (-aside, aside)
        assert -foot.rear < ahead < foot.front
        assert outward < foot.left
        assert inward < foot.right


@pytest.mark.parametrize("command", COMMANDS)
def test_it_walks_as_it_is_told(gait: GaitParameters, command: tuple[float, ...]) -> None:
    plan = walked(gait, command, 8.0)
    moments = [i for i, (a, b) in enumerate(itertools.pairwise(plan)) if a.support == "left" != b.support]
    first, last = moments[-6], moments[-2]
    seconds = round((last - first) * DT / gait.step_time) * gait.step_time
    begin, end = plan[first].feet["left"], plan[last].feet["left"]
    twist = np.array(command)
    assert end[2] - begin[2] == pytest.approx(twist[2] * seconds, abs=1e-6)
    # Along an arc the chord is shorter than the way.
    half = 0.5 * twist[2] * seconds
    chord = np.hypot(twist[0], twist[1]) * seconds * np.sinc(half / np.pi)
    middle = [place(moment.feet["left"], [0.0, -0.5 * apart(gait, twist)]) for moment in (plan[first], plan[last])]
    assert np.linalg.norm(middle[1] - middle[0]) == pytest.approx(chord, abs=2e-3)


def apart(gait: GaitParameters, twist: np.ndarray) -> float:
    return gait.stance + gait.step_time * (abs(twist[1]) + 0.05 * abs(twist[2]))


def test_it_ends_on_both_feet_with_the_weight_between_them(gait: GaitParameters) -> None:
    end = walked(gait, (0.15, 0.0, 0.0), 3.0)[-1]
    left, right = end.feet["left"], end.feet["right"]
    assert left[0] == pytest.approx(right[0], abs=1e-9)
    assert left[1] - right[1] == pytest.approx(gait.stance, abs=1e-9)
    assert end.com == pytest.approx([left[0] + gait.zmp_forward, 0.5 * (left[1] + right[1])], abs=1e-4)
    assert end.heights == {"left": 0.0, "right": 0.0}


def test_the_next_walk_begins_with_the_other_leg_or_goes_on(gait: GaitParameters) -> None:
    pattern = WalkPattern(gait, natural_frequency(0.25), ROOM)
    for _ in range(2):
        pattern.wanted = np.array([0.1, 0.0, 0.0])
        phases = {pattern.tick(DT).phase for _ in range(2000)}
        pattern.wanted = np.zeros(3)
        while pattern.tick(DT).phase != STANDING:
            pass
        assert WALKING in phases


def test_a_displaced_landing_moves_the_walk_with_it(gait: GaitParameters) -> None:
    straight, pushed = (WalkPattern(gait, natural_frequency(0.25), ROOM) for _ in range(2))
    for pattern in (straight, pushed):
        pattern.wanted = np.array([0.1, 0.0, 0.0])
        for _ in range(1000):
            pattern.tick(DT)
    shift = np.array([0.03, 0.02])
    support = straight.tick(DT).support
    pushed.tick(DT)
    while straight.tick(DT).support == support:
        pushed.tick(DT, shift)
    landed = pushed.tick(DT, shift)
    ours, theirs = landed, straight.tick(DT)
    for _ in range(1500):
        ours, theirs = pushed.tick(DT), straight.tick(DT)
    side = ours.support
    assert ours.feet[side][:2] - theirs.feet[side][:2] == pytest.approx(shift, abs=2e-3)
    assert ours.dcm - theirs.dcm == pytest.approx(shift, abs=2e-3)


def test_a_robot_that_stands_can_be_caught_by_a_step(gait: GaitParameters) -> None:
    pattern = WalkPattern(gait, natural_frequency(0.25), ROOM)
    pattern.tick(DT)
    pattern.restless = True
    pattern.catch(np.array([0.04, 0.0]), "left", ROOM)
    moments = [pattern.tick(DT) for _ in range(round(6 * gait.step_time / DT))]
    assert moments[0].phase == WALKING
    assert moments[0].support == "right"
    last = moments[-1]
    # It steps forward to where the weight went, and does not run away.
    assert 0.05 < last.feet["left"][0] < 0.4
    assert abs(last.dcm[0] - last.feet[last.support][0]) < 0.1


def test_a_sole_with_more_room_makes_the_step_that_catches_shorter(gait: GaitParameters) -> None:
    reached, shifts = [], []
    for room in ([0.0, 0.0], [0.02, 0.0], [0.04, 0.0]):
        pattern = WalkPattern(gait, natural_frequency(0.25), ROOM)
        pattern.tick(DT)
        pattern.restless = True
        pattern.catch(np.array([0.06, 0.0]), "left", np.array(room))
        moment = pattern.tick(DT)
        shifts.append(moment.zmp_shift[0])
        while moment.support == "right":
            moment = pattern.tick(DT)
        reached.append(moment.feet["left"][0])
        assert not moment.zmp_shift.any()
    assert shifts == pytest.approx([0.0, 0.02, 0.04])
    assert reached[0] > reached[1] > reached[2] > 0.0
