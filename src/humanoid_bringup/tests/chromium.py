"""A real browser for tests: Debian's Chromium without a window, told what to do over its DevTools protocol."""

from __future__ import annotations

import base64
import contextlib
import io
import itertools
import json
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import numpy as np
from PIL import Image
from websockets.sync.client import ClientConnection, connect

CHROMIUM = shutil.which("chromium")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-gpu-rasterization",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--remote-debugging-port=0",
    "--window-size=900,600",
    "--no-first-run",
    "--disable-background-networking",
)
PATIENCE = 120.0  # s; drawing without a graphics card begins with half a minute of compiling on a busy machine


class Tab:
    """One page of the browser."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._numbers = itertools.count(1)
        self.requests: list[str] = []
        """Addresses that the page asked for."""
        for domain in ("Page", "Runtime", "Network"):
            self.command(f"{domain}.enable")

    def command(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Answer to a command of the protocol."""
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self._socket.recv(timeout=PATIENCE))
            if message.get("method") == "Network.requestWillBeSent":
                self.requests.append(message["params"]["request"]["url"])
            elif message.get("method") == "Network.webSocketCreated":
                self.requests.append(message["params"]["url"])
            if message.get("id") == number:
                assert "error" not in message, message
                return dict(message["result"])

    def evaluate(self, expression: str) -> Any:
        """Value of an expression in the page."""
        answer = self.command("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def _press(self, what: str, text: str) -> bool:
        """Press the element of a kind that shows this text, as a mouse does, if the page has it."""
        place = self.evaluate(
            f"""(() => {{
              const shown = [...document.querySelectorAll({json.dumps(what)})].filter(e => e.offsetParent !== null);
              const found = shown.find(e => [e.value, e.innerText].some(t => t?.trim() === {json.dumps(text)}));
              if (!found) return null;
              found.scrollIntoView({{block: 'center'}});
              const box = found.getBoundingClientRect();
              return [box.x + box.width / 2, box.y + box.height / 2];
            }})()"""
        )
        if place is None:
            return False
        mouse = {"x": place[0], "y": place[1], "button": "left", "clickCount": 1}
        for kind in ("mousePressed", "mouseReleased"):
            self.command("Input.dispatchMouseEvent", type=kind, **mouse)
        return True

    def click(self, text: str) -> None:
        """Press the button or tab that shows this text, once it is there."""
        until(lambda: self._press("button, label, [role=tab]", text))

    def choose(self, present: str, wanted: str) -> None:
        """Choose another option of the first list whose present choice is given."""
        until(lambda: self._press("input", present))
        until(lambda: self._press("[role=option]", wanted))

    def text(self) -> str:
        """All that can be read on the page."""
        self.command("Page.bringToFront")  # one that is behind another stands still
        return str(self.evaluate("document.body?.innerText ?? ''"))

    def picture(self, file: Path | None = None) -> np.ndarray:
        """What is seen, as an array of height, width and colours; kept in a file if one is given."""
        png = base64.b64decode(self.command("Page.captureScreenshot", format="png")["data"])
        if file is not None:
            file.write_bytes(png)
        return np.asarray(Image.open(io.BytesIO(png)).convert("RGB")).astype(int)

    def close(self) -> None:
        """Leave the page."""
        self._socket.close()


class Chromium:
    """The browser."""

    def __init__(self, folder: Path) -> None:
        assert CHROMIUM is not None
        self._process = subprocess.Popen(
            [
                "nice",
                CHROMIUM,
                *FLAGS,  # it draws on all cores, and what it shall show needs some, too
                f"--user-data-dir={folder}",
                "about:blank",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        told = folder / "DevToolsActivePort"
        until(lambda: told.is_file() and told.read_text().count("\n"))
        self._port = int(told.read_text().split()[0])
        self._tabs: list[Tab] = []

    @property
    def process(self) -> int:
        """Id of the browser's process."""
        return self._process.pid

    def open(self, url: str) -> Tab:
        """A new page at an address."""
        request = Request(f"http://127.0.0.1:{self._port}/json/new?about:blank", method="PUT")
        with urlopen(request, timeout=PATIENCE) as answer:
            address = json.load(answer)["webSocketDebuggerUrl"]
        tab = Tab(connect(address, max_size=None, compression=None, ping_interval=None))
        self._tabs.append(tab)
        tab.command("Page.navigate", url=url)
        return tab

    def close(self) -> None:
        """End the browser."""
        for tab in self._tabs:
            tab.close()
        self._process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(10)
        self._process.kill()
        self._process.wait()


def until(condition: Callable[[], Any], serve: Callable[[], None] = lambda: time.sleep(0.05)) -> None:
    """Serve whatever needs serving until something holds."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "nothing happened"
        serve()
