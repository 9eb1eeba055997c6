"""The guided story: walk, carry what the model does not know, fall, be tested, adapt, walk again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import viser

from humanoid_bringup.viewer.robot_state import RobotState
from humanoid_bringup.viewer.wishes import Adapt, Carry, FallTest, Reset, Speed, Walk, Wish

BATTERY = 0.2
"""Of the robot's mass: 0.7 kg for FIBO-KM."""
ARMS = ("left_forearm", "left_lower_arm", "left_hand")
"""Links on which it hangs, whichever the robot has; else its base."""
BATTERY_PLACE = (0.0, 0.0, -0.03)
"""m in the link."""
WALK = (0.2, 0.0, 0.15)
"""Forward, to the left (m/s), turn (rad/s): in a circle, so that it stays on the field."""
HURRY = 5.0
"""Simulated over real time during the tests."""


@dataclass(frozen=True)
class Chapter:
    """One step of the story."""

    title: str
    text: str
    next_label: str
    """Of the button that goes on; empty at the end."""
    wishes: Callable[[str, str, float], tuple[Wish, ...]]
    """What is wished for when it begins, from the robot, the link that carries the battery, and its mass (kg)."""
    waits: bool = False
    """Whether it goes on by itself when it is done."""


CHAPTERS = (
    Chapter(
        "1 · It walks",
        "The robot walks in a circle, from its model alone. The pale blue one beside it is its **twin**, simulated "
        "from the same model. Nothing is paused; drag to look around.",
        "Hang a battery on its arm",
        lambda robot, link, mass: (Speed(1.0), Walk(robot, *WALK)),
    ),
    Chapter(
        "2 · A battery nobody told about",
        "Back at its start, with a battery on its arm, a fifth of its weight. Neither its gait nor its twin knows. "
        "The blue line below the centre of mass is where the *model* believes it to be. Watch it drift, or fall.",
        "Run the fall tests",
        lambda robot, link, mass: (Reset(robot), Carry(robot, link, mass, BATTERY_PLACE), Walk(robot, *WALK)),
    ),
    Chapter(
        "3 · Fall tests",
        "The robot leans slowly until it tips, forward and backward. The angle at which it tips tells where its mass "
        "is. Time runs faster here.",
        "",
        lambda robot, link, mass: (FallTest(robot), Speed(HURRY)),
        waits=True,
    ),
    Chapter(
        "4 · The model moves",
        "The estimator weighs every place where a load could hang, and says how sure it is.",
        "Walk again",
        lambda robot, link, mass: (Speed(1.0), Adapt(robot)),
    ),
    Chapter(
        "5 · It walks again",
        "The battery still hangs there. The gait plans for it now, and the twin carries it too.",
        "",
        lambda robot, link, mass: (Reset(robot), Walk(robot, *WALK)),
    ),
)


class Story:
    """Where in the story we are."""

    def __init__(self, wish: Callable[[Wish], None], robot: str) -> None:
        self._wish, self._robot = wish, robot
        self.number = -1
        """Of the chapter; none has begun yet."""
        self.stepped = False
        """Whether the robot has lifted a foot."""
        self._entered = 0.0
        self._fell: float | None = None
        self._tested = self._stood = False

    @property
    def chapter(self) -> Chapter:
        """The present one."""
        return CHAPTERS[max(0, self.number)]

    def advance(self, state: RobotState) -> None:
        """Go on to the next chapter."""
        if state.model is not None and self.number + 1 < len(CHAPTERS):
            self.number += 1
            self._entered, self._fell, self._tested, self._stood = state.time, None, False, False
            links = state.model.model.inertials
            link = next((link for link in ARMS if link in links), state.model.model.root)
            for wished in self.chapter.wishes(self._robot, link, round(BATTERY * state.model.mass, 2)):
                self._wish(wished)

    def update(self, state: RobotState) -> None:
        """Take in what has happened; a chapter that waits goes on when it is done."""
        if self.number < 0 and state.joints:
            self.advance(state)
        loads = [foot.force[2] for foot in state.feet.values()]
        self.stepped = self.stepped or (len(loads) == 2 and min(loads) <= 0.0 < max(loads) and state.doing == "walks")
        if state.time < self._entered:  # a reset takes time back
            self._entered, self._fell = state.time, None
        self._stood = self._stood or not state.fallen
        if state.fallen and self._stood and self._fell is None:
            self._fell = state.time - self._entered
        phase = state.fall_test.get("phase", "")
        self._tested = self._tested or state.testing
        if self.chapter.waits and self._tested and phase == "done":
            self.advance(state)

    def text(self, state: RobotState) -> str:
        """What the page says now, as Markdown."""
        lines = [f"### {self.chapter.title}", self.chapter.text, self._progress(state)]
        return "\n\n".join(line for line in lines if line)

    def _progress(self, state: RobotState) -> str:
        if self.number in (0, 1, 4):
            if self._fell is not None:
                return f"**It fell after {self._fell:.1f} s.**"
            return f"Upright for **{max(0.0, state.time - self._entered):.0f} s**"
        if self.number == 2:
            test, phase = state.fall_test.get("test", ""), state.fall_test.get("phase", "")
            return f"Test **{test.replace('_', ' ')}**: {phase}" if self._tested else "The robot is put on its feet …"
        return adaptation_text(state)


def adaptation_text(state: RobotState) -> str:
    """What the newest adaptation found, as Markdown."""
    if not state.result:
        return "No fall tests have been evaluated yet."
    before, after, sd = ([1e3 * value for value in state.result[f"com_{what}_m"]] for what in ("before", "after", "sd"))
    rows = ["| centre of mass | drawing | adapted | give or take |", "|---|---:|---:|---:|"]
    rows += [
        f"| {axis}, mm | {b:.1f} | **{a:.1f}** | {s:.1f} |"
        for axis, b, a, s in zip(("forward", "left", "up"), before, after, sd, strict=True)
    ]
    load = state.result.get("payload")
    if load is None:
        found = "No load was found."
    else:
        found = f"A load of **{load['mass_kg']:.2f} kg** on `{load['link']}`"
        found += f", with a chance of {100 * state.result['place_probability']:.0f} %."
    return "\n".join(rows) + f"\n\n{found}"


class StoryPanel:
    """The story on the page: its text, and the button that goes on."""

    def __init__(self, gui: viser.GuiApi, story: Story, state: Callable[[], RobotState | None]) -> None:
        self._story, self._state = story, state
        self._text = gui.add_markdown("")
        self.button = gui.add_button("…", color="blue", icon=viser.Icon.PLAYER_TRACK_NEXT)
        self.button.on_click(lambda _: self._go_on())

    def _go_on(self) -> None:
        state = self._state()
        if state is not None:
            self._story.advance(state)

    def show(self, state: RobotState) -> None:
        """Bring it up to date."""
        text = self._story.text(state)
        if self._text.content != text:
            self._text.content = text
        label = self._story.chapter.next_label
        if label and self.button.label != label:
            self.button.label = label
        self.button.visible = bool(label)
