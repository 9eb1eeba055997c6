"""Who may come in."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator

import pytest

from humanoid_bringup.viewer.gate import COOKIE, Gate, is_loopback, verdict
from humanoid_description import RobotError

HOME = {"host": "127.0.0.1:8080"}


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        (HOME, 200),
        ({"host": "localhost:8080", "origin": "http://localhost:8080"}, 200),
        ({**HOME, "origin": "http://127.0.0.1:8080"}, 200),
        ({**HOME, "origin": "https://elsewhere.example"}, 403),
        ({**HOME, "origin": "http://127.0.0.1:9090"}, 403),
        ({**HOME, "origin": "null"}, 403),
        ({"host": "rebound.example:8080"}, 403),
        ({}, 403),
    ],
)
def test_only_this_machine_and_this_page_come_in(headers: dict[str, str], status: int) -> None:
    assert verdict("/", headers, "")[0] == status


@pytest.mark.parametrize(
    ("target", "headers", "status"),
    [
        ("/", {"host": "robot:8080"}, 403),
        ("/?token=wrong", {"host": "robot:8080"}, 403),
        ("/?token=secret", {"host": "robot:8080"}, 303),
        ("/", {"host": "robot:8080", "cookie": f"a=b; {COOKIE}=secret"}, 200),
        ("/", {"host": "robot:8080", "cookie": f"{COOKIE}=secre"}, 403),
        ("/", {"host": "robot:8080", "cookie": "broken=\x00;;="}, 403),
        ("/", {"host": "robot:8080", "origin": "http://evil", "cookie": f"{COOKIE}=secret"}, 403),
        ("/?token=secret", {"host": "robot:8080", "origin": "http://evil"}, 403),
    ],
)
def test_a_wider_gate_asks_for_its_token(target: str, headers: dict[str, str], status: int) -> None:
    assert verdict(target, headers, "secret")[0] == status


def test_loopback_is_this_machine() -> None:
    assert all(is_loopback(host) for host in ("127.0.0.1", "localhost", "::1", "[::1]", "127.9.9.9"))
    assert not any(is_loopback(host) for host in ("0.0.0.0", "10.0.0.1", "localhost.example", ""))


@pytest.fixture
def inside() -> Iterator[int]:
    """A server that answers every connection with what it was told, and hangs up."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n" + connection.recv(65536))

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    yield int(listener.getsockname()[1])
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()
    thread.join()


def ask(port: int, request: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.sendall(request)
        answer = b""
        while piece := connection.recv(65536):
            answer += piece
        return answer


def test_bytes_are_handed_on_unchanged_or_not_at_all(inside: int) -> None:
    gate = Gate("127.0.0.1", 0, inside)
    host = f"Host: 127.0.0.1:{gate.port}\r\n".encode()
    request = b"GET /page HTTP/1.1\r\n" + host + b"\r\n"
    assert ask(gate.port, request) == b"HTTP/1.1 200 OK\r\n\r\n" + request
    foreign = b"GET / HTTP/1.1\r\n" + host + b"Origin: http://evil\r\nUpgrade: websocket\r\n\r\n"
    assert ask(gate.port, foreign).startswith(b"HTTP/1.1 403")
    assert ask(gate.port, b"nonsense\r\n\r\n").startswith(b"HTTP/1.1 400")
    assert ask(gate.port, b"GET / HTTP/1.1\r\nX: " + b"x" * 40_000 + b"\r\n\r\n") == b""
    second = Gate("127.0.0.1", gate.port, inside)
    assert second.port != gate.port
    second.close()
    gate.close()


def test_the_token_is_given_once_and_then_kept_by_the_browser(inside: int) -> None:
    gate = Gate("0.0.0.0", 0, inside, "secret")
    assert gate.url.endswith(f":{gate.port}/?token=secret")
    answer = ask(gate.port, b"GET /?token=secret HTTP/1.1\r\nHost: robot\r\n\r\n")
    assert b"303" in answer
    assert f"Set-Cookie: {COOKIE}=secret; HttpOnly; SameSite=Strict".encode() in answer
    assert ask(gate.port, b"GET / HTTP/1.1\r\nHost: robot\r\n\r\n").startswith(b"HTTP/1.1 403")
    gate.close()


def test_nobody_opens_it_wide_without_a_token() -> None:
    with pytest.raises(RobotError, match="Give a token"):
        Gate("0.0.0.0", 0, 1)


@pytest.mark.parametrize("host", ["nope.invalid", "192.0.2.1"])
def test_an_address_that_is_not_ours_is_named_rather_than_the_port(host: str) -> None:
    with pytest.raises(RobotError, match=rf"--host {host}: is no address of this machine"):
        Gate(host, 8080, 1, "token")
