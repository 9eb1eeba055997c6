"""The walker by itself: safe commands, whatever it is told and feels."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from humanoid_description import RobotError, load_robot
from humanoid_gait.gait_parameters import load_gait
from humanoid_gait.walker import CALM_STEPS, HEADING_GAIN, SLIPPING, Sensed, Walker

ROBOTS = ["fibo_km", "nao", "ar601m"]
UP = np.array([0.0, 0.0, 9.81])


def feel(walker: Walker, turning: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Sensed:
    return Sensed(walker.placed.position, np.array(turning), UP)


@pytest.mark.parametrize("name", ROBOTS)
def test_commands_stay_within_the_joints_ranges(name: str) -> None:
    robot = load_robot(name)
    walker = Walker(robot)
    walker.walk((walker.gait.max_forward, walker.gait.max_sideways, walker.gait.max_turn))
    lower = np.array([joint.lower for joint in robot.parameters.joints.values()])
    upper = np.array([joint.upper for joint in robot.parameters.joints.values()])
    for _ in range(300):
        command = walker.tick(feel(walker))
        assert (lower <= command.position).all()
        assert (command.position <= upper).all()
        assert walker.placed.reachable


@pytest.mark.parametrize("name", ROBOTS)
def test_it_stands_until_it_is_told_to_walk_and_again_when_told_to_stop(name: str) -> None:
    walker = Walker(load_robot(name))
    first = walker.tick(feel(walker)).position
    for _ in range(50):
        assert walker.standing
        assert walker.tick(feel(walker)).position == pytest.approx(first, abs=1e-3)
    walker.walk((0.05, 0.0, 0.0))
    for _ in range(200):
        walker.tick(feel(walker))
    assert not walker.standing
    walker.walk((0.0, 0.0, 0.0))
    for _ in range(400):
        walker.tick(feel(walker))
    assert walker.standing
    heights = walker.planned.heights
    assert heights == {"left": 0.0, "right": 0.0}


@settings(deadline=None, max_examples=30)
@given(st.lists(st.floats(allow_nan=True, allow_infinity=True), min_size=3, max_size=3))
def test_any_velocity_is_limited_or_refused(velocity: list[float]) -> None:
    walker = WALKER
    before = walker.wanted
    if np.isfinite(velocity).all():
        walker.walk(velocity)
        limits = (walker.gait.max_forward, walker.gait.max_sideways, walker.gait.max_turn)
        assert (np.abs(walker.wanted) <= limits).all()
    else:
        with pytest.raises(RobotError, match="finite"):
            walker.walk(velocity)
        assert walker.wanted is before


WALKER = Walker(load_robot("fibo_km"))


@pytest.mark.parametrize("name", ROBOTS)
def test_a_falling_robot_crouches_and_stays_so(name: str) -> None:
    robot = load_robot(name)
    walker = Walker(robot)
    walker.walk((0.1, 0.0, 0.0))
    for _ in range(120):
        walker.tick(feel(walker, (0.0, 2.0, 0.0)))
    assert walker.fallen
    held = walker.tick(feel(walker))
    assert held.position == pytest.approx(walker.tick(feel(walker)).position)
    assert not held.velocity.any()
    posture = dict(zip(robot.joint_names, held.position.tolist(), strict=True))
    foot = robot.parameters.feet["left"].link
    up, down = (-robot.poses(pose)[foot][2, 3] for pose in (robot.parameters.stand, posture))
    assert down < 0.85 * up


def test_ankles_and_hips_give_way_against_a_turning_torso() -> None:
    calm, turning = Walker(load_robot("fibo_km")), Walker(load_robot("fibo_km"))
    difference = turning.tick(feel(turning, (0.0, 1.0, 0.0))).position - calm.tick(feel(calm)).position
    names = calm.robot.joint_names
    gait = load_gait(calm.robot)
    assert difference[names.index("left_ankle_pitch")] == pytest.approx(0.5 * gait.ankle_rate)
    assert difference[names.index("right_hip_pitch")] == pytest.approx(0.5 * gait.hip_rate)
    assert np.count_nonzero(np.abs(difference) > 1e-12) == 4


def test_a_robot_that_must_step_far_aside_again_and_again_stops_on_both_feet(monkeypatch: pytest.MonkeyPatch) -> None:
    walker = Walker(load_robot("fibo_km"))
    walker.walk((0.2, 0.0, 0.0))
    for _ in range(200):
        walker.tick(feel(walker))
    assert not walker.standing
    walker._balance.unsafe = True
    monkeypatch.setattr(walker._balance, "landing_displacement", lambda planned, catching: np.zeros(2))
    ticks = round(walker.gait.step_time / walker.period)
    for _ in range(20 * ticks):
        walker.tick(feel(walker))
        if walker.standing:
            break
    assert walker.standing
    walker._balance.unsafe = False
    for _ in range((CALM_STEPS + 4) * ticks):
        walker.tick(feel(walker))
    assert not walker.standing


def test_a_robot_that_feels_its_heading_turns_back() -> None:
    straight, turned = (Walker(load_robot("nao")) for _ in range(2))
    for walker, rate in ((straight, 0.0), (turned, 0.1)):
        walker.walk((0.1, 0.0, 0.0))
        for _ in range(300):
            walker.tick(feel(walker, (0.0, 0.0, rate)))
    assert straight.planned.heading == pytest.approx(0.0, abs=1e-9)
    assert turned.planned.heading < -0.02


def test_a_robot_that_was_held_turns_back_no_faster_than_it_may() -> None:
    walker = Walker(load_robot("nao"))
    walker.walk((0.1, 0.0, walker.gait.max_turn))
    for _ in range(1000):
        walker.tick(feel(walker))  # it is held: its gyroscope feels no turning
    assert abs(walker._pattern.velocity[2]) <= SLIPPING * walker.gait.max_turn
    assert abs(walker._heading_error) <= SLIPPING * walker.gait.max_turn / HEADING_GAIN


def test_a_turn_is_one_of_the_base_not_of_the_feet() -> None:
    walker = Walker(load_robot("fibo_km"), balance=False)
    behind = walker.placed.base[0]
    assert behind < -0.02
    walker.walk((0.0, 0.0, 0.3))
    places = []
    for _ in range(600):
        walker.tick()
        places.append(walker.placed.base[:2])
    steps = round(2 * walker.gait.step_time / walker.period)
    # The base sways with every two steps, but their mean stays where it was; the feet go around it.
    means = np.array([np.mean(places[i : i + steps], axis=0) for i in range(300, 600 - steps)])
    assert np.ptp(means, axis=0).max() < 0.3 * abs(behind)


def test_an_imu_that_stands_askew_on_the_torso_walks_alike() -> None:
    robot = load_robot("fibo_km")
    straight, askew = Walker(robot), Walker(robot)
    R_base_imu = Rotation.from_euler("xyz", [0.5, -1.0, 2.0]).as_matrix()
    askew._R_base_imu = R_base_imu
    for walker, R in ((straight, np.eye(3)), (askew, R_base_imu)):
        walker.walk((0.2, 0.0, 0.0))
        for _ in range(100):
            turning, pull = np.array([0.1, -0.2, 0.05]), np.array([0.3, 0.1, 9.7])
            command = walker.tick(Sensed(walker.placed.position, R.T @ turning, R.T @ pull))
    expected = straight.tick(Sensed(straight.placed.position, turning, pull))
    assert np.abs(command.velocity).max() > 0
    got = askew.tick(Sensed(askew.placed.position, R_base_imu.T @ turning, R_base_imu.T @ pull))
    assert got.position == pytest.approx(expected.position, abs=1e-9)


def test_an_imu_on_a_limb_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "fibo_km"
    shutil.copytree(load_robot("fibo_km").folder, folder)
    file = folder / "robot.yaml"
    text = file.read_text()
    file.write_text(re.sub(r"(imu:\n  link: )\w+", r"\1head", text))
    assert file.read_text() != text
    with pytest.raises(RobotError, match=r"imu\.link head moves"):
        Walker(load_robot(folder))


def test_too_few_ticks_for_a_step_are_refused() -> None:
    with pytest.raises(RobotError, match="8 or more"):
        Walker(load_robot("fibo_km"), period=0.1)


def test_a_new_model_takes_effect_without_a_jump() -> None:
    robot = load_robot("fibo_km")
    walker, steady = Walker(robot), Walker(robot)
    laden = robot.with_payloads(["left_forearm:0.2:0,0,-0.03"])
    for each in (walker, steady):
        each.walk((0.2, 0.0, 0.0))
        for _ in range(200):
            each.tick(feel(each))
    usual = np.abs(steady.tick(feel(steady)).position - walker.tick(feel(walker)).position).max()
    assert usual == pytest.approx(0.0, abs=1e-12)
    walker.adapt(laden)
    jump = walker.tick(feel(walker)).position - steady.tick(feel(steady)).position
    # What the servos must hold changes at once, and so does the command that makes up for it; the posture does not.
    assert np.abs(jump).max() < np.radians(3)
    fresh = Walker(laden)
    fresh.walk((0.2, 0.0, 0.0))
    for _ in range(300):
        walker.tick(feel(walker))
    assert np.abs(walker._from_before).max() < 1e-4
    with pytest.raises(RobotError, match="another robot"):
        walker.adapt(load_robot("nao"))
