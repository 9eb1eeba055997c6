"""Buttons and sliders make wishes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from seen_robot import served

from humanoid_bringup.viewer.controls import PUSHES, Controls
from humanoid_bringup.viewer.wishes import Carry, FallTest, Push, Stop, Torque, Walk, Wish


@pytest.fixture
def made() -> Iterator[tuple[Controls, list[Wish]]]:
    wishes: list[Wish] = []
    with served() as server:
        yield Controls(server.gui, wishes.append, lambda: "r"), wishes


def test_walk_follows_the_sliders_until_stop(made: tuple[Controls, list[Wish]]) -> None:
    controls, wishes = made
    controls.forward.value = 0.3  # nothing walks yet
    assert wishes == []
    controls.walk()
    controls.turn.value = 0.2
    controls.stop()
    controls.turn.value = 0.0
    assert wishes == [Walk("r", 0.3, 0.0, 0.0), Walk("r", 0.3, 0.0, 0.2), Stop("r")]


def test_a_hand_pushes_away_from_where_it_is(made: tuple[Controls, list[Wish]]) -> None:
    controls, wishes = made
    controls.force.value = 10.0
    for hand in PUSHES:
        controls.push(hand)
    assert wishes == [Push("r", -10, 0), Push("r", 10, 0), Push("r", 0, -10), Push("r", 0, 10)]


def test_loads_hang_on_links_of_the_robot(made: tuple[Controls, list[Wish]]) -> None:
    controls, wishes = made
    controls.offer_links(("torso", "left_forearm"))
    assert controls.link.value == "left_forearm"
    controls.link.value = "torso"
    controls.offer_links(("torso", "left_forearm"))
    controls.carry(0.5)
    controls.carry(0.0)
    assert wishes == [Carry("r", "torso", 0.5), Carry("r", "torso", 0.0)]


def test_relaxing_ends_the_walk_and_is_offered_where_it_is_needed(made: tuple[Controls, list[Wish]]) -> None:
    controls, wishes = made
    assert not controls.servos.visible
    controls.offer(servos=True, tests=False)
    assert controls.servos.visible
    assert not controls.tests.visible
    controls.walk()
    controls.relax()
    controls.turn.value = 0.2
    assert wishes[1:] == [Torque("r", False)]


def test_a_fall_test_ends_the_walk(made: tuple[Controls, list[Wish]]) -> None:
    controls, wishes = made
    controls.walk()
    controls.fall_test()
    controls.turn.value = 0.2
    assert wishes[1:] == [FallTest("r")]
