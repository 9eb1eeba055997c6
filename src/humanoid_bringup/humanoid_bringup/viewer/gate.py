"""The gate before the page: who may come in. It hands on bytes to the page's own server, which asks nobody anything.

Any web page that a person visits could talk to a server on the person's machine, so a connection from another page's
origin is refused, and a foreign host name too. When the gate is opened to the network, a token is asked for as well.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import hmac
import ipaddress
import socket
import threading
from collections.abc import Mapping
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, urlsplit

from humanoid_description.errors import RobotError

COOKIE = "humanoid_token"
LONGEST_HEAD = 16_384
"""Bytes of a request before its body."""
HEAD_SECONDS = 10.0
"""s in which they must come."""
PORTS_TRIED = 20
PIECE = 65_536


def is_loopback(host: str) -> bool:
    """Whether an address or name is this machine itself."""
    if host == "localhost":
        return True
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    return False


def verdict(target: str, headers: Mapping[str, str], token: str) -> tuple[int, str]:
    """Status of a request, and where to send the browser or what to say to it; 200 lets it in.

    Args:
        target: What is asked for, such as '/?token=abc'.
        headers: By their names in small letters.
        token: That must be known, or empty.
    """
    host = headers.get("host", "")
    if not token and not is_loopback(urlsplit(f"//{host}").hostname or ""):
        return 403, f"This page is served to this machine only, not as {host}."
    origin = headers.get("origin")
    if origin is not None and urlsplit(origin).netloc != host:
        return 403, "Another page may not use this one."
    if not token:
        return 200, ""
    given = parse_qs(urlsplit(target).query).get("token", [""])[0]
    if hmac.compare_digest(given.encode(), token.encode()):
        return 303, "/"
    try:
        cookie = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        cookie = None
    if cookie is not None and hmac.compare_digest(cookie.value.encode(), token.encode()):
        return 200, ""
    return 403, "This page asks for its token: open the address that was printed when it was started."


class Gate:
    """Listens on an address and lets those in who may."""

    def __init__(self, host: str, port: int, inside: int, token: str = "") -> None:
        """Open the gate.

        Args:
            host: Address to listen on.
            port: First port to try; if it is taken, one of the next.
            inside: Port of the page's own server on this machine.
            token: That a browser must know; required unless only this machine can come.
        """
        if not token and not is_loopback(host):
            raise RobotError(f"--host {host}: opens the page to others, who could move the robot. Give a token too.")
        self._inside, self._token = inside, token
        self._listener = _listen(host, port)
        self._loop = asyncio.new_event_loop()
        self.port = int(self._listener.getsockname()[1])
        shown = socket.gethostname() if host in ("0.0.0.0", "::") else host
        self.url = f"http://{shown}:{self.port}/" + (f"?token={token}" if token else "")
        """Address to open in a browser."""
        self._stopping = asyncio.Event()
        self._thread = threading.Thread(target=self._loop.run_until_complete, args=(self._serve(),), daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Shut the gate."""
        self._loop.call_soon_threadsafe(self._stopping.set)
        self._thread.join()
        self._loop.close()

    async def _serve(self) -> None:
        async with await asyncio.start_server(self._receive, sock=self._listener, limit=LONGEST_HEAD):
            await self._stopping.wait()
        visits = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for visit in visits:
            visit.cancel()
        await asyncio.gather(*visits, return_exceptions=True)

    async def _receive(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(HEAD_SECONDS):
                head = await reader.readuntil(b"\r\n\r\n")
            request, *lines = head.decode("latin-1").split("\r\n")
            pairs = [line.partition(":") for line in lines if ":" in line]
            headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
            words = request.split()
            status, text = verdict(words[1], headers, self._token) if len(words) == 3 else (400, "This is no request.")
            if status == 200:
                await self._hand_on(head, reader, writer)
            else:
                writer.write(self._answer(status, text))
                await writer.drain()
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, TimeoutError, ConnectionError):
            pass  # whoever knocked has gone, or never was a browser
        except asyncio.CancelledError:
            pass  # the gate is being shut, and nobody waits for this task
        finally:
            writer.close()

    def _answer(self, status: int, text: str) -> bytes:
        lines = [f"HTTP/1.1 {status} {'See Other' if status == 303 else 'Refused'}", "Connection: close"]
        body = b"" if status == 303 else text.encode()
        if status == 303:
            lines += [f"Location: {text}", f"Set-Cookie: {COOKIE}={self._token}; HttpOnly; SameSite=Strict; Path=/"]
        lines += ["Content-Type: text/plain; charset=utf-8", f"Content-Length: {len(body)}", "", ""]
        return "\r\n".join(lines).encode() + body

    async def _hand_on(self, head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        from_page, to_page = await asyncio.open_connection("127.0.0.1", self._inside)
        try:
            to_page.write(head)
            ways = [asyncio.create_task(_pump(reader, to_page)), asyncio.create_task(_pump(from_page, writer))]
            # When the page's server has said all, or the browser has gone, there is no more to hand on.
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)
        finally:
            to_page.close()


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while piece := await reader.read(PIECE):
        writer.write(piece)
        await writer.drain()


def _listen(host: str, port: int) -> socket.socket:
    tried = range(port, port + PORTS_TRIED) if port else [0]
    for number in tried:
        try:
            return socket.create_server((host, number))
        except OSError as error:
            if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                remedy = "Give 127.0.0.1, or 0.0.0.0 for all addresses of this machine."
                raise RobotError(f"--host {host}: is no address of this machine ({error}). {remedy}") from None
    raise RobotError(f"--port {port}: cannot be had on {host}, nor the next {PORTS_TRIED - 1}. Give another.")
