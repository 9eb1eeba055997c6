"""What a person sees of the demo's programs: the address, the first step, what goes wrong; the rest is kept."""

from __future__ import annotations

import io
import json
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

LINE = re.compile(r"\[(\w+)\] (.*)")
ADDRESS = "The page is at "
FIRST_STEP = "first step"
TROUBLE = re.compile(r"died|does not end|\[(ERROR|FATAL)\]|^humanoid: ")


class DemoOutput(io.StringIO):
    """Takes the lines that SetRunner prints."""

    def __init__(self, log: Path, address: Callable[[str], None], show: Callable[[str], None]) -> None:
        """Keep all lines in a file.

        Args:
            log: The file.
            address: Is told the page's address.
            show: Takes what a person should see.
        """
        self._log = log.open("w")
        self._address, self._show = address, show
        self._begun = time.monotonic()
        self._rest = ""
        self.url = ""
        self.first_step: float | None = None
        """s from the start of the demo to the first step."""
        self.simulation: dict[str, Any] = {}
        """What the simulator said in the end."""

    def write(self, text: str) -> int:
        """Take text; lines are acted on when they are whole."""
        self._log.write(text)
        self._log.flush()
        *lines, self._rest = (self._rest + text).split("\n")
        for line in lines:
            self._take(line)
        return len(text)

    def _take(self, line: str) -> None:
        found = LINE.match(line)
        if found is None:
            return
        program, said = found.groups()
        if program == "viewer" and said.startswith(ADDRESS):
            self.url = said.removeprefix(ADDRESS)
            self._address(self.url)
        elif program == "viewer" and said == FIRST_STEP and self.first_step is None:
            self.first_step = time.monotonic() - self._begun
            self._show(f"the robot took its first step {self.first_step:.1f} s after the start")
        elif program == "sim" and said.startswith("{"):
            self.simulation = json.loads(said)
        elif TROUBLE.search(said):
            self._show(line)

    def close(self) -> None:
        """Close the file."""
        self._log.close()
        super().close()
