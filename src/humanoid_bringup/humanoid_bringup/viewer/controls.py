"""Buttons and sliders: what a person does with them becomes a wish."""

from __future__ import annotations

from collections.abc import Callable

import viser

from humanoid_bringup.viewer.wishes import (
    Adapt,
    Carry,
    Confirm,
    FallTest,
    HoldTest,
    Pause,
    Push,
    Record,
    Reset,
    Speed,
    Stop,
    Torque,
    Walk,
    Wish,
)

PUSHES = {"front": (-1.0, 0.0), "back": (1.0, 0.0), "left": (0.0, -1.0), "right": (0.0, 1.0)}
"""Where the hand is, and which way it pushes: forward and to the left."""


class Controls:
    """The tab with which a robot is driven."""

    def __init__(self, gui: viser.GuiApi, wish: Callable[[Wish], None], chosen: Callable[[], str]) -> None:
        """Put buttons and sliders where the page is being built.

        Args:
            gui: Of the page.
            wish: Takes what a person wishes for.
            chosen: Namespace of the robot that is looked at.
        """
        self._gui, self._wish, self._chosen = gui, wish, chosen
        self.walking = False
        """Whether the person wants the robot to walk."""
        self.servos = gui.add_folder("Servos", visible=False)
        """Of a real robot only: a simulated one is always ready."""
        with self.servos:
            self._button("Enable", "green", viser.Icon.POWER, lambda: self._wish(Torque(self._chosen(), True)))
            self._button("Relax: all servos off", "red", viser.Icon.PLUG_CONNECTED_X, self.relax)
        with gui.add_folder("Velocity"):
            self.forward = gui.add_slider("forward, m/s", -0.2, 0.4, 0.01, 0.2)
            self.sideways = gui.add_slider("to the left, m/s", -0.1, 0.1, 0.01, 0.0)
            self.turn = gui.add_slider("turn left, rad/s", -0.6, 0.6, 0.02, 0.0)
            self._button("Walk", "green", viser.Icon.WALK, self.walk)
            self._button("Stop", "red", viser.Icon.HAND_STOP, self.stop)
        for slider in (self.forward, self.sideways, self.turn):
            slider.on_update(lambda _: self.walk() if self.walking else None)
        with gui.add_folder("Trouble"):
            self.force = gui.add_slider("push for 0.1 s, N", 1.0, 40.0, 1.0, 12.0)
            hands = gui.add_button_group("push from the", list(PUSHES))
            hands.on_click(lambda event: self.push(event.target.value))
            self.link = gui.add_dropdown("load on", ["base"])
            self.mass = gui.add_slider("load, kg", 0.05, 1.5, 0.05, 0.7)
            self._button("Hang on", None, viser.Icon.WEIGHT, lambda: self.carry(self.mass.value))
            self._button("Take off", None, viser.Icon.FEATHER, lambda: self.carry(0.0))
            self._button("Put back on its feet", None, viser.Icon.REFRESH, lambda: self._wish(Reset(self._chosen())))
        with gui.add_folder("Model"):
            self._button("Fall tests", "orange", viser.Icon.TRENDING_DOWN, self.fall_test)
            self.tests = gui.add_folder("Test under way", visible=False)
            """What a person who stands by has to say."""
            with self.tests:
                self._button("It stands again", "green", viser.Icon.CHECK, lambda: self._wish(Confirm(self._chosen())))
                self._button("Hold", None, viser.Icon.PLAYER_PAUSE, lambda: self._wish(HoldTest(self._chosen(), True)))
                self._button(
                    "Begin this test anew",
                    None,
                    viser.Icon.PLAYER_PLAY,
                    lambda: self._wish(HoldTest(self._chosen(), False)),
                )
            self._button("Adapt the model", "violet", viser.Icon.ADJUSTMENTS, lambda: self._wish(Adapt(self._chosen())))
        with gui.add_folder("Time"):
            self.speed = gui.add_slider("speed of the simulation", 0.1, 5.0, 0.1, 1.0)
            self.speed.on_update(lambda _: self._wish(Speed(self.speed.value)))
            self.pause = gui.add_checkbox("pause", False)
            self.pause.on_update(lambda _: self._wish(Pause(self.pause.value)))
            self.record = gui.add_checkbox("record into a bag", False)
            self.record.on_update(lambda _: self._wish(Record(self._chosen(), self.record.value)))

    def _button(self, label: str, colour: str | None, icon: viser.IconName, act: Callable[[], None]) -> None:
        self._gui.add_button(label, color=colour, icon=icon).on_click(lambda _: act())

    def offer_links(self, links: tuple[str, ...]) -> None:
        """Links of the chosen robot on which a load can hang."""
        if tuple(self.link.options) != links:
            self.link.options = links
            self.link.value = next((link for link in links if "forearm" in link), links[0])

    def offer(self, servos: bool, tests: bool) -> None:
        """Show what this robot needs now: buttons for its servos, and for the fall test that is under way."""
        for folder, shown in ((self.servos, servos), (self.tests, tests)):
            if folder.visible != shown:
                folder.visible = shown

    def walk(self) -> None:
        """Walk as the sliders say."""
        self.walking = True
        self._wish(Walk(self._chosen(), self.forward.value, self.sideways.value, self.turn.value))

    def stop(self) -> None:
        """Stop."""
        self.walking = False
        self._wish(Stop(self._chosen()))

    def relax(self) -> None:
        """Switch all servos off at once."""
        self.walking = False
        self._wish(Torque(self._chosen(), False))

    def push(self, hand: str) -> None:
        """Push from a side."""
        forward, sideways = PUSHES[hand]
        self._wish(Push(self._chosen(), forward * self.force.value, sideways * self.force.value))

    def carry(self, mass: float) -> None:
        """Hang a mass (kg) on the chosen link."""
        self._wish(Carry(self._chosen(), self.link.value, mass))

    def fall_test(self) -> None:
        """Do the fall tests."""
        self.walking = False
        self._wish(FallTest(self._chosen()))
