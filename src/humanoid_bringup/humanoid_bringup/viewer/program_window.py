"""The window for a person's own program: edited or loaded, run against the robot, its error shown with the line."""

from __future__ import annotations

import html
from collections.abc import Callable

import viser

from humanoid_bringup.viewer.wishes import RunProgram, StopProgram, Wish

EXAMPLE = '''import math

def control(robot):
    """Called again and again with what the robot feels."""
    robot.command({"head_yaw": 0.6 * math.sin(2 * robot.time)})
    if robot.time > 20:
        robot.finish()
'''
RATE = 50.0
"""Calls per second, Hz."""
PRINTED = 2000
"""Characters of what the program printed that are kept."""


class ProgramWindow:
    """Text, rate and buttons, and what became of the program."""

    def __init__(self, gui: viser.GuiApi, wish: Callable[[Wish], None], chosen: Callable[[], str]) -> None:
        """Put the window where the page is being built.

        Args:
            gui: Of the page.
            wish: Takes what a person wishes for.
            chosen: Namespace of the robot that is looked at.
        """
        self._wish, self._chosen = wish, chosen
        self._printed = ""
        self.text = gui.add_text("program", EXAMPLE, multiline=True)
        self.rate = gui.add_number("calls per second", RATE, min=1.0, max=200.0)
        gui.add_button("Run program", color="green", icon=viser.Icon.PLAYER_PLAY).on_click(lambda _: self.run())
        stop = gui.add_button("Stop program", color="red", icon=viser.Icon.PLAYER_STOP)
        stop.on_click(lambda _: wish(StopProgram(chosen())))
        loader = gui.add_upload_button("Load a file", mime_type="text/x-python,text/plain,.py")
        loader.on_upload(lambda _: self.load(loader.value.content))
        self._state = gui.add_markdown("No program has run yet.")

    def run(self) -> None:
        """Wish for the program to run."""
        self._printed = ""
        self._wish(RunProgram(self._chosen(), self.text.value, self.rate.value))

    def load(self, content: bytes) -> None:
        """Take the text of a file."""
        self.text.value = content.decode("utf-8", "replace")

    @property
    def state(self) -> str:
        """What the page says of the program."""
        return str(self._state.content)

    def show(self, state: str, error: str, line: int | None, printed: str) -> None:
        """What became of it: its state, the error and its line, and what it has printed since the last time."""
        self._printed = (self._printed + printed)[-PRINTED:]
        where = f" in line {line}" if line is not None else ""
        lines = [f"The program is **{state}**{where}."]
        if error:
            lines.append(f"🔴 {html.escape(error)}")
        if self._printed:
            lines.append(f"```\n{self._printed}\n```")
        text = "\n\n".join(lines)
        if self._state.content != text:
            self._state.content = text
