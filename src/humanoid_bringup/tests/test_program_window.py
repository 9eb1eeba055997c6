"""The window for a person's own program."""

from __future__ import annotations

from seen_robot import served

from humanoid_bringup.program_child import load
from humanoid_bringup.viewer.program_window import EXAMPLE, PRINTED, ProgramWindow
from humanoid_bringup.viewer.wishes import RunProgram, Wish


def test_it_runs_its_text_at_its_rate_and_shows_what_became_of_it() -> None:
    wishes: list[Wish] = []
    with served() as server:
        window = ProgramWindow(server.gui, wishes.append, lambda: "r")
        window.rate.value = 20.0
        window.run()
        assert wishes == [RunProgram("r", EXAMPLE, 20.0)]
        window.show("failed", "division by zero <b>", 3, "hello\n")
        assert "**failed** in line 3" in window.state
        assert "zero &lt;b&gt;" in window.state
        assert "hello" in window.state
        window.show("running", "", None, "x" * 10 * PRINTED)
        assert len(window.state) < PRINTED + 200
        window.load("print('ä')".encode())
        assert window.text.value == "print('ä')"


def test_its_example_is_a_program() -> None:
    assert callable(load(EXAMPLE, "example"))
