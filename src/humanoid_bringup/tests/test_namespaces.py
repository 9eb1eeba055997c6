"""What is a namespace, and what is not."""

from __future__ import annotations

import pytest

from humanoid_bringup.cli import main
from humanoid_bringup.namespaces import checked_namespace
from humanoid_description import RobotError


@pytest.mark.parametrize(("text", "namespace"), [("real", "/real"), ("/real/", "/real"), ("lab/_r2", "/lab/_r2")])
def test_a_namespace_has_a_slash_in_front(text: str, namespace: str) -> None:
    assert checked_namespace(text) == namespace


@pytest.mark.parametrize("text", ["", "/", "bad x", "bad name!", "2nd", "a//b", "ä", "a" * 300, "a\n"])
def test_what_ros_would_not_take_is_refused(text: str) -> None:
    with pytest.raises(RobotError, match="Use letters, digits and underscores"):
        checked_namespace(text)


@pytest.mark.parametrize(
    "arguments",
    [
        ["bridge", "run", "fibo_km", "--port", "/dev/null", "--namespace"],
        ["node", "gait", "fibo_km", "--namespace"],
        ["program", "mine.py", "--robot"],
        ["call", "torque", "true", "--robot"],
        ["view", "--story"],
        ["bag", "record", "walk", "--namespace"],
    ],
)
def test_every_command_refuses_it(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([*arguments, "bad name!"])
    assert ended.value.code == 2
    assert "'bad name!' is no namespace. Use letters" in capsys.readouterr().err


def test_sets_refuse_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["launch", "twin", "--namespace", "bad name!"]) == 1
    assert "'bad name!' is no namespace" in capsys.readouterr().err
