"""The guided story."""

from __future__ import annotations

import numpy as np
import pytest
from seen_robot import served, standing

from humanoid_bringup.viewer.robot_state import FootForce, RobotState
from humanoid_bringup.viewer.story import BATTERY, CHAPTERS, Story, StoryPanel, adaptation_text
from humanoid_bringup.viewer.wishes import Adapt, Carry, FallTest, Reset, Walk, Wish
from humanoid_description import load_robot, robot_names

RESULT = {
    "com_before_m": [0.0, 0.0, 0.02],
    "com_after_m": [0.001, 0.015, 0.03],
    "com_sd_m": [0.001, 0.001, 0.002],
    "payload": {"link": "left_forearm", "mass_kg": 0.69},
    "place_probability": 0.98,
}


def kinds(wishes: list[Wish]) -> set[type]:
    return {type(wish) for wish in wishes}


def test_it_goes_from_walking_over_falling_to_walking_again() -> None:
    state, wishes = standing(load_robot("fibo_km")), []
    story = Story(wishes.append, "r")
    story.update(RobotState("r"))
    assert story.number == -1  # nobody is there yet
    story.update(state)
    assert Walk in kinds(wishes)
    story.advance(state)
    (load,) = [wish for wish in wishes if isinstance(wish, Carry)]
    assert load.link == "left_forearm"
    assert load.mass == pytest.approx(BATTERY * 3.436, abs=0.005)
    story.update(state)
    state.time = 3.5
    state.base.tell(np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]))
    story.update(state)
    assert "It fell after 2.5 s" in story.text(state)
    story.advance(state)
    assert FallTest in kinds(wishes)
    state.fall_test = {"test": "both_forward", "phase": "ramp"}
    story.update(state)
    assert "both forward" in story.text(state)
    state.fall_test = {"test": "both_backward", "phase": "done"}
    story.update(state)
    assert Adapt in kinds(wishes)
    state.result = RESULT
    assert "0.69 kg" in story.text(state)
    wishes.clear()
    story.advance(state)
    assert kinds(wishes) == {Reset, Walk}
    story.advance(state)
    assert story.number == len(CHAPTERS) - 1


def test_who_lies_there_from_before_has_not_fallen_now() -> None:
    state = standing(load_robot("fibo_km"))
    story = Story(lambda wish: None, "r")
    story.advance(state)
    lying, upright = np.array([1.0, 0.0, 0.0, 0.0]), np.array([0.0, 0.0, 0.0, 1.0])
    state.base.tell(np.zeros(3), lying)
    story.update(state)
    assert "Upright" in story.text(state)
    for attitude, time in ((upright, 2.0), (lying, 3.0)):
        state.time = time
        state.base.tell(np.zeros(3), attitude)
        story.update(state)
    assert "It fell after 2.0 s" in story.text(state)
    state.time = 0.0  # put back to its start
    state.base.tell(np.zeros(3), upright)
    story.update(state)
    assert "Upright" in story.text(state)


def test_old_tests_do_not_count() -> None:
    state = standing(load_robot("fibo_km"))
    story = Story(lambda wish: None, "r")
    state.fall_test = {"test": "both_backward", "phase": "done"}
    for _ in range(3):
        story.advance(state)
    story.update(state)
    assert story.number == 2


def test_a_foot_in_the_air_while_it_walks_is_the_first_step() -> None:
    state = standing(load_robot("fibo_km"))
    story = Story(lambda wish: None, "r")
    state.doing = "walks"
    story.update(state)
    assert not story.stepped
    state.feet["left"] = FootForce("left_foot", np.zeros(3), np.zeros(3))
    story.update(state)
    assert story.stepped


@pytest.mark.parametrize("name", robot_names())
def test_every_robot_has_a_place_for_the_battery(name: str) -> None:
    state, wishes = standing(load_robot(name)), []
    story = Story(wishes.append, "r")
    story.advance(state)
    story.advance(state)
    (load,) = [wish for wish in wishes if isinstance(wish, Carry)]
    assert load.link in state.model.model.inertials


def test_the_panel_has_a_button_while_there_is_more_to_come() -> None:
    state, wishes = standing(load_robot("fibo_km")), []
    with served() as server:
        story = Story(wishes.append, "r")
        panel = StoryPanel(server.gui, story, lambda: state)
        story.update(state)
        panel.show(state)
        assert panel.button.label == CHAPTERS[0].next_label
        for _ in CHAPTERS:
            story.advance(state)
        panel.show(state)
        assert not panel.button.visible


def test_nothing_is_claimed_before_an_adaptation() -> None:
    assert "No fall tests" in adaptation_text(RobotState("r"))
    state = RobotState("r", result={**RESULT, "payload": None})
    assert "No load was found" in adaptation_text(state)
