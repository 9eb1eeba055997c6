"""What a set does with its arguments."""

from __future__ import annotations

import pytest

from humanoid_bringup.node_set import Argument, NodeSet, Plan, Program
from humanoid_description import RobotError

GREETING = NodeSet(
    "greeting",
    "says something",
    (
        Argument("whom", "a name", None),
        Argument("how", "in which way", "kindly", ("kindly", "coldly")),
        Argument("words", "what to say"),
    ),
    lambda values: Plan((Program("speaker", tuple(values.values())),)),
)


def test_what_is_not_given_has_its_default() -> None:
    assert GREETING.plan({"whom": "you"}).programs[0].arguments == ("you", "kindly", "")
    assert GREETING.plan({"how": "coldly", "whom": "me"}).programs[0].arguments == ("me", "coldly", "")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "'whom' is missing. Give a name."),
        ({"whom": "you", "how": "loudly"}, "Choose from kindly, coldly"),
        ({"whom": "you", "hwo": "kindly"}, "no argument 'hwo'. Known: whom, how, words"),
    ],
)
def test_what_cannot_be_is_refused_with_the_remedy(given: dict[str, str], message: str) -> None:
    with pytest.raises(RobotError, match=message):
        GREETING.plan(given)
