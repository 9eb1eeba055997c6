"""Feedback: what differs from the steps before displaces the next landing."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from humanoid_description import load_robot
from humanoid_description.inertial import GRAVITY
from humanoid_gait.balance import Balance
from humanoid_gait.dcm import natural_frequency
from humanoid_gait.gait_parameters import load_gait
from humanoid_gait.leg_placer import LegPlacer
from humanoid_gait.pattern import STANDING, WALKING, WalkPattern

DT = 0.01
ROBOT = load_robot("fibo_km")
GAIT = load_gait(ROBOT)
LEVEL = np.eye(3)


class Walk:
    """A robot that follows its plan exactly, compared with it."""

    def __init__(self) -> None:
        self.placer = LegPlacer(ROBOT, GAIT.hip_height, GAIT.torso_pitch)
        omega = natural_frequency(self.placer.com_height(GAIT.stance))
        self.pattern = WalkPattern(GAIT, omega, np.array([0.012, 0.009]))
        self.balance = Balance(ROBOT, GAIT, omega, DT)
        self.planned = self.pattern.tick(DT)

    def tick(self, lean: np.ndarray = LEVEL, catching: bool = False) -> np.ndarray:
        placed = self.placer.place(self.planned, np.array([GAIT.zmp_forward, -GAIT.zmp_inward]))
        # The pendulum is pushed away from its zero moment point.
        push = self.pattern.omega**2 * (self.planned.com - self.planned.zmp)
        self.balance.measure(placed.position, lean, lean.T @ [*push, GRAVITY], self.planned)
        displaced = self.balance.landing_displacement(self.planned, catching)
        self.planned = self.pattern.tick(DT)
        return displaced


def tilted(pitch: float) -> np.ndarray:
    c, s = np.cos(pitch), np.sin(pitch)
    return np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])


def test_a_robot_that_follows_its_plan_has_little_error() -> None:
    walk = Walk()
    walk.pattern.wanted = np.array([0.2, 0.0, 0.0])
    errors = []
    for _ in range(300):
        walk.tick()
        errors.append(walk.balance.error)
    assert np.abs(np.mean(errors[100:], axis=0)).max() < 0.01


def test_after_a_few_steps_an_undisturbed_walk_is_not_displaced() -> None:
    walk = Walk()
    walk.pattern.wanted = np.array([0.2, 0.0, 0.0])
    displaced = [walk.tick() for _ in range(600)]
    assert np.abs(displaced[400:]).max() < 0.006


@pytest.mark.parametrize("direction", [1.0, -1.0])
def test_a_robot_that_tips_steps_to_where_it_falls(direction: float) -> None:
    walk = Walk()
    walk.pattern.restless = True
    for _ in range(400):
        walk.tick()
    displaced = np.array([walk.tick(tilted(direction * 0.02 * tick)) for tick in range(15)])
    furthest = displaced[np.argmax(np.abs(displaced[:, 0]))]
    assert furthest[0] * direction > 0.02
    assert abs(furthest[0]) > 2 * abs(furthest[1])


def test_a_robot_that_was_pushed_out_of_its_stand_needs_no_usual_steps_to_catch_itself() -> None:
    walk = Walk()
    for _ in range(50):
        walk.tick()
        walk.balance.step_to_catch(walk.planned)
    walk.balance.forget_stand()
    walk.pattern.restless = True
    while walk.planned.phase != WALKING:
        walk.tick()
    ticks = [(walk.balance.error, walk.tick(tilted(0.3), catching=True)) for _ in range(15)]
    assert max(displaced[0] for _, displaced in ticks) > 0.02
    # Beside the plan by what it was when it stood is where it shall be.
    walk.balance._stood = walk.balance.error
    assert not walk.balance.landing_displacement(walk.planned, catching=True).any()


def test_without_the_gain_nothing_is_displaced() -> None:
    walk = Walk()
    walk.balance._gait = dataclasses.replace(GAIT, placement=0.0)
    walk.pattern.restless = True
    assert not np.any([walk.tick(tilted(0.002 * tick)) for tick in range(300)])


def test_a_standing_robot_steps_only_when_it_must() -> None:
    walk = Walk()
    for _ in range(50):
        walk.tick()
        assert walk.planned.phase == STANDING
        assert walk.balance.step_to_catch(walk.planned) is None
    steps = []
    for tick in range(20):
        walk.tick(tilted(0.02 * tick))
        steps.append(walk.balance.step_to_catch(walk.planned))
    caught = next(step for step in steps if step is not None)
    assert caught[0][0] > 0.02
    assert steps[0] is None
    # Before that it presses the ground where it leans to; afterwards that is not enough.
    assert walk.balance.zmp_shift(walk.planned)[0] > GAIT.zmp_forward


def test_a_push_is_felt_before_the_legs_tell_of_it() -> None:
    walk = Walk()
    for _ in range(50):
        walk.tick()
        walk.balance.step_to_catch(walk.planned)
    before, pushed = walk.balance.error, np.array([3.0, -2.0, GRAVITY])
    placed = walk.placer.place(walk.planned, np.array([GAIT.zmp_forward, -GAIT.zmp_inward]))
    walk.balance.measure(placed.position, LEVEL, pushed, walk.planned)
    felt = walk.balance.error - before
    assert felt[0] > 0.003
    assert felt[1] < -0.002
