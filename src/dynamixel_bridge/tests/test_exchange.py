"""Questions and answers on real pseudo-terminals."""

from __future__ import annotations

import os
import pty
import threading
import tty
from collections.abc import Iterator

import pytest

from dynamixel_bridge.exchange import LONG, Ask, Question, Talk, converse
from dynamixel_bridge.serial_port import SerialPort

from .conftest import BAUD


def ask(request: bytes, expected: int = 0, line_time: float = 0.0, patience: float = 60.0) -> Ask:
    return Ask((Question(request, expected, line_time),), patience)


class Echo:
    """The other end of a port, in the hands of the test."""

    def __init__(self) -> None:
        self.master, self._slave = pty.openpty()
        tty.setraw(self._slave)
        self.port = SerialPort(os.ttyname(self._slave), BAUD)

    def close(self) -> None:
        self.port.close()
        os.close(self._slave)
        os.close(self.master)


@pytest.fixture
def echoes() -> Iterator[list[Echo]]:
    """Two ports."""
    made = [Echo(), Echo()]
    yield made
    for echo in made:
        echo.close()


def test_talks_on_two_ports_run_at_once(echoes: list[Echo]) -> None:
    order: list[str] = []

    def talk(name: str, mine: Echo, other: Echo) -> Talk:
        yield ask(b"!")
        order.append(f"{name} asked")
        os.write(other.master, name.encode())  # each can only hear what the other's talk has sent
        (heard,) = yield ask(b"?", expected=1)
        order.append(f"{name} heard {heard.decode()}")

    first, second = echoes
    lost = converse({first.port: talk("a", first, second), second.port: talk("b", second, first)})
    assert lost == {}
    assert set(order[:2]) == {"a asked", "b asked"}
    assert set(order[2:]) == {"a heard b", "b heard a"}
    assert os.read(first.master, 9) == b"!?"


def test_silence_ends_with_patience_and_long_answers_are_slept_for(echoes: list[Echo]) -> None:
    heard: list[bytes] = []
    echo = echoes[0]

    def talk() -> Talk:
        heard.extend((yield ask(b"?", expected=5, patience=0.001)))
        os.write(echo.master, b"old")
        os.write(echo.master, bytes(2 * LONG))
        heard.extend((yield ask(b"?", expected=2 * LONG + 3, line_time=0.002)))
        os.write(echo.master, b"late")
        yield ask(b"", expected=4)
        os.write(echo.master, b"stale")
        yield ask(b"", expected=1)
        yield Ask(drain=True)
        heard.extend((yield ask(b"", expected=1, patience=0.001)))

    assert converse({echo.port: talk()}) == {}
    assert heard == [b"", b"old" + bytes(2 * LONG), b""]


def test_a_lost_port_ends_its_own_talk_only(echoes: list[Echo]) -> None:
    first, second = echoes
    closed: list[str] = []

    def victim() -> Talk:
        try:
            os.close(first.master)
            yield ask(b"?", expected=1)
        finally:
            closed.append("victim")

    def survivor() -> Talk:
        os.write(second.master, b"x")
        assert (yield ask(b"?", expected=1)) == [b"x"]
        closed.append("survivor")

    lost = converse({first.port: victim(), second.port: survivor()})
    assert list(lost) == [first.port]
    assert "the adapter is gone" in str(lost[first.port])
    assert set(closed) == {"victim", "survivor"}
    first.master = os.open(os.devnull, os.O_RDONLY)


SERIES = (Question(b"1", 2, like=b"x"), Question(b"2", 2, like=b"y"), Question(b"3", 1))


@pytest.mark.parametrize(
    ("answers", "asked"),
    [((b"x1", b"y2", b"3"), b"123"), ((b"y1",), b"1"), ((b"x1", b"y2+"), b"12")],
    ids=["all right", "another's", "too long"],
)
def test_a_question_goes_out_as_soon_as_the_one_before_is_answered_rightly(
    echoes: list[Echo], answers: tuple[bytes, ...], asked: bytes
) -> None:
    echo = echoes[0]

    def devices() -> None:
        for answer in answers:
            os.read(echo.master, 1)
            os.write(echo.master, answer)

    def talk() -> Talk:
        heard.extend((yield Ask(SERIES, patience=60.0)))

    heard: list[bytes] = []
    answering = threading.Thread(target=devices)
    answering.start()
    assert converse({echo.port: talk()}) == {}
    answering.join()
    assert tuple(heard) == answers
    assert len(heard) == len(asked)


def test_behind_the_end_nothing_is_asked_and_nobody_waited_for() -> None:
    ask = Ask((Question(b"1", 1, line_time=0.2), Question(b"2", 1, line_time=0.3)), patience=1.0, end=2.0)
    assert ask.goes_on(0, b"!", now=1.6)
    assert not ask.goes_on(0, b"!", now=1.8)
    assert not ask.goes_on(1, b"!", now=0.0)
    assert ask.deadline(0, now=0.0) == pytest.approx(1.2)
    assert ask.deadline(0, now=1.5) == pytest.approx(2.0)
    assert ask.deadline(0, now=3.0) == pytest.approx(3.2)
