"""Questions and answers on real pseudo-terminals."""

from __future__ import annotations

import os
import pty
import tty
from collections.abc import Iterator

import pytest

from dynamixel_bridge.exchange import LONG, Ask, Talk, converse
from dynamixel_bridge.serial_port import SerialPort

from .conftest import BAUD


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
        yield Ask(b"!")
        order.append(f"{name} asked")
        os.write(other.master, name.encode())  # each can only hear what the other's talk has sent
        heard = yield Ask(b"?", expected=1, patience=60.0)
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
        heard.append((yield Ask(b"?", expected=5, patience=0.001)))
        os.write(echo.master, b"old")
        os.write(echo.master, bytes(2 * LONG))
        heard.append((yield Ask(b"?", expected=2 * LONG + 3, line_time=0.002, patience=60.0)))
        os.write(echo.master, b"late")
        yield Ask(b"", expected=4, patience=60.0)
        os.write(echo.master, b"stale")
        yield Ask(b"", expected=1, patience=60.0)
        yield Ask(b"", drain=True)
        heard.append((yield Ask(b"", expected=1, patience=0.001)))

    assert converse({echo.port: talk()}) == {}
    assert heard == [b"", b"old" + bytes(2 * LONG), b""]


def test_a_lost_port_ends_its_own_talk_only(echoes: list[Echo]) -> None:
    first, second = echoes
    closed: list[str] = []

    def victim() -> Talk:
        try:
            os.close(first.master)
            yield Ask(b"?", expected=1, patience=60.0)
        finally:
            closed.append("victim")

    def survivor() -> Talk:
        os.write(second.master, b"x")
        assert (yield Ask(b"?", expected=1, patience=60.0)) == b"x"
        closed.append("survivor")

    lost = converse({first.port: victim(), second.port: survivor()})
    assert list(lost) == [first.port]
    assert "the adapter is gone" in str(lost[first.port])
    assert set(closed) == {"victim", "survivor"}
    first.master = os.open(os.devnull, os.O_RDONLY)


@pytest.mark.parametrize(("answer", "then"), [(b"x1", b"2"), (b"y1", b"")])
def test_the_next_question_is_out_before_a_right_answer_is_looked_at(
    echoes: list[Echo], answer: bytes, then: bytes
) -> None:
    echo = echoes[0]

    def talk() -> Talk:
        os.write(echo.master, answer)
        ask = Ask(b"1", expected=2, patience=60.0, like=b"x", then=b"2")
        heard = yield ask
        assert ask.goes_on(heard) == bool(then)
        sent = b""
        while len(sent) < 1 + len(then):
            sent += os.read(echo.master, 9)
        assert sent == b"1" + then

    assert converse({echo.port: talk()}) == {}
    assert not Ask(b"1", expected=2, like=b"x", then=b"2").goes_on(b"x")
