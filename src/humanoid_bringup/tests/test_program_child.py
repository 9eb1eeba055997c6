"""The robot as a program sees it; test_program.py runs the process."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from humanoid_bringup.program_child import ProgramRobot, call, failure, load

FINITE = st.floats(allow_nan=False, allow_infinity=False)


def robot() -> ProgramRobot:
    """One with a knee."""
    made = ProgramRobot()
    made.feel({"angle": {"knee": 0.5}, "gait": "off"})
    return made


@given(FINITE, FINITE, FINITE, FINITE)
def test_what_is_asked_for_is_handed_on_once(angle: float, forward: float, sideways: float, turn: float) -> None:
    made = robot()
    made.command({"knee": angle})
    made.walk(forward, sideways, turn)
    asked = {"joints": {"knee": (angle, 0.0)}, "velocity": (forward, sideways, turn), "finished": False}
    assert made.take_wanted() == asked
    assert made.take_wanted() == {"joints": {}, "velocity": None, "finished": False}


@given(st.sampled_from([float("nan"), float("inf"), -float("inf"), "1"]))
def test_what_is_no_number_is_refused_at_once(value: float) -> None:
    made = robot()
    with pytest.raises(ValueError, match="Give a finite number"):
        made.command({"knee": value})
    with pytest.raises(ValueError, match="Give a finite number"):
        made.walk(turn=value)
    assert made.take_wanted() == {"joints": {}, "velocity": None, "finished": False}


def test_it_feels_what_it_is_told() -> None:
    made = robot()
    control = load("def control(robot):\n    robot.command({'knee': robot.angle['knee'] / 2})\n", "mine")
    assert call(control, made)["joints"] == {"knee": (0.25, 0.0)}


def test_a_failure_has_the_line_of_the_program_and_not_of_what_it_calls() -> None:
    control = load("import json\n\ndef control(robot):\n    json.loads('{')\n", "mine")
    with pytest.raises(ValueError, match="Expecting") as caught:
        call(control, robot())
    told = failure(caught.value, "mine", control)
    assert told["line"] == 4
    assert told["error"].startswith("JSONDecodeError: Expecting")
