"""Payloads as text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from humanoid_description import Payload, RobotError, parse_payload


@given(st.floats(1e-3, 10), st.tuples(*[st.floats(-1, 1)] * 3))
def test_text_and_payload_say_the_same(mass: float, position: tuple[float, float, float]) -> None:
    text = f"left_forearm:{mass!r}:{','.join(repr(value) for value in position)}"
    assert parse_payload(text) == Payload("left_forearm", mass, position)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "torso",
        "torso:0.2",
        ":0.2:0,0,0",
        "torso:heavy:0,0,0",
        "torso:0.2:0,0",
        "torso:0.2:0,0,nan",
        "torso:-0.2:0,0,0",
        "torso:nan:0,0,0",
        "torso:0.2:0,0,0:more",
    ],
)
def test_a_bad_text_is_refused_with_the_remedy(text: str) -> None:
    with pytest.raises(RobotError, match=r"LINK:MASS:X,Y,Z|Give its mass|three finite numbers"):
        parse_payload(text)
