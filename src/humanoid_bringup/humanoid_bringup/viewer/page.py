"""The page: a scene with all robots, and a panel to drive them, read them and follow the story."""

from __future__ import annotations

import queue
from collections.abc import Mapping, Sequence

import numpy as np
import viser
from numpy.typing import NDArray

from humanoid_bringup.viewer.balance_scene import LAYERS, BalanceScene
from humanoid_bringup.viewer.balance_view import balance_view
from humanoid_bringup.viewer.controls import Controls
from humanoid_bringup.viewer.joint_plots import JointPlot
from humanoid_bringup.viewer.joint_table import joint_table
from humanoid_bringup.viewer.plain_words import Finding, in_plain_words
from humanoid_bringup.viewer.program_window import ProgramWindow
from humanoid_bringup.viewer.robot_scene import RobotScene
from humanoid_bringup.viewer.robot_state import RobotState
from humanoid_bringup.viewer.story import Story, StoryPanel, adaptation_text
from humanoid_bringup.viewer.wishes import Wish
from humanoid_bringup.viewer.world_scene import WorldScene

Array = NDArray[np.float64]
CAMERA = np.array([0.8, -0.85, 0.45])
"""m from the robot that is looked at."""
LOOK_AT = np.array([0.0, 0.0, 0.2])
"""m from the robot's place on the ground."""
FOLLOW = 0.08
"""Share of the way to the robot that the camera goes with every picture."""
STILL = 2e-3
"""m below which it stays."""
NEAR = 0.05
"""m within which a camera is where it was sent."""
NOBODY = "nobody"
PHASES = {"help": "put it on its feet, then press *It stands again*"}
"""Of fall tests, in plain words."""


class Page:
    """All of it, on one server."""

    def __init__(self, server: viser.ViserServer, story_robot: str = "") -> None:
        """Build the page.

        Args:
            server: That shows it.
            story_robot: Namespace of the robot of the guided story, or empty for none.
        """
        self._server = server
        self.wishes: queue.SimpleQueue[Wish] = queue.SimpleQueue()
        """What the people at the browsers wish for; the browsers' threads put it in."""
        self._states: dict[str, RobotState] = {}
        self._robots: dict[str, RobotScene] = {}
        self._balance: dict[str, BalanceScene] = {}
        self.world = WorldScene(server.scene)
        self._story_robot = story_robot
        server.gui.configure_theme(show_logo=False, show_share_button=False, brand_color=(30, 110, 255))
        server.gui.set_panel_label("Humanoid")
        server.gui.main_panel.dock_right()
        server.gui.main_panel.set_width(380)
        server.scene.configure_environment_map(None)  # costs seconds where there is no graphics card
        server.scene.add_light_hemisphere(
            "/sky", sky_color=(255, 255, 255), ground_color=(190, 190, 190), intensity=2.5
        )
        server.initial_camera.position = CAMERA
        server.initial_camera.look_at = LOOK_AT
        self._placed: set[int] = set()
        server.on_client_connect(lambda client: client.camera.on_update(lambda camera: self._note(client, camera)))
        server.on_client_disconnect(lambda client: self._placed.discard(client.client_id))
        self._build()

    def _build(self) -> None:
        gui = self._server.gui
        self._status = gui.add_markdown("Waiting for a robot …")
        self._robot = gui.add_dropdown("robot", [NOBODY], visible=False)
        tabs = gui.add_tab_group()
        self.story: Story | None = None
        """The guided story, where one is told."""
        self._story_panel: StoryPanel | None = None
        if self._story_robot:
            with tabs.add_tab("Story", viser.Icon.BOOK):
                self.story = Story(self.wishes.put, self._story_robot)
                self._story_panel = StoryPanel(gui, self.story, lambda: self._states.get(self._story_robot))
        with tabs.add_tab("Drive", viser.Icon.DEVICE_GAMEPAD_2):
            self.controls = Controls(gui, self.wishes.put, lambda: self._robot.value)
        with tabs.add_tab("Joints", viser.Icon.TABLE):
            self.plots = [JointPlot(gui, variable) for variable in ("angle", "torque")]
            self._table = gui.add_html("")
        with tabs.add_tab("Program", viser.Icon.CODE):
            self.program = ProgramWindow(gui, self.wishes.put, lambda: self._robot.value)
        with tabs.add_tab("Model", viser.Icon.SCALE):
            self._model = gui.add_markdown("")
        with tabs.add_tab("Health", viser.Icon.HEARTBEAT):
            self._health = gui.add_markdown("")
        with tabs.add_tab("View", viser.Icon.EYE):
            self._follow = gui.add_checkbox("follow the robot", True)
            self.shadows = gui.add_checkbox("shadows (slow without a graphics card)", True)
            self.shadows.on_update(lambda _: self._server.scene.configure_default_lights(True, self.shadows.value))
            self._layers = {layer: gui.add_checkbox(layer, layer not in ("three masses", "plan")) for layer in LAYERS}

    @property
    def chosen(self) -> str:
        """Namespace of the robot that is looked at."""
        return str(self._robot.value)

    def position(self, name: str) -> Array:
        """Where a robot's base is drawn, m in the world."""
        return np.array(self._robots[name].base.position)

    def tell(self, text: str, bad: bool = False) -> None:
        """Say something to everyone who looks."""
        for client in self._server.get_clients().values():
            client.add_notification(
                title="That did not work" if bad else "Done", body=text, color="red" if bad else "green",
                auto_close_seconds=6.0,
            )  # fmt: skip

    def take(self, states: Mapping[str, RobotState]) -> None:
        """Look at these robots; the story goes on, whether or not anybody looks."""
        self._states = dict(states)
        if self.story is not None and self._story_robot in states:
            self.story.update(states[self._story_robot])

    def move(self) -> None:
        """Bring the scene up to date: what moves."""
        states = self._states
        for name in [name for name in self._robots if name not in states]:
            self._robots.pop(name).remove()
            self._balance.pop(name).remove()
        with self._server.atomic():
            for name, state in states.items():
                if state.model is None:
                    continue
                if name not in self._robots:
                    path = f"/robots/{name.strip('/')}"
                    self._robots[name] = RobotScene(self._server.scene, path, state.model, state.ghost)
                    self._balance[name] = BalanceScene(self._server.scene, f"/balance/{name.strip('/')}")
                self._robots[name].show(state.posture, state.base.T_world_base)
                view = None if state.ghost else balance_view(state)
                if view is not None:
                    self._balance[name].layers = {layer: box.value for layer, box in self._layers.items()}
                    self._balance[name].show(state, view)
        self._follow_robot()

    def _follow_robot(self) -> None:
        state = self._states.get(self.chosen)
        if state is None or not self._follow.value:
            return
        robot = state.base.T_world_base[:3, 3] * [1, 1, 0]
        self._server.initial_camera.position = CAMERA + robot
        self._server.initial_camera.look_at = LOOK_AT + robot
        for client in self._server.get_clients().values():
            camera = client.camera
            if client.client_id not in self._placed:
                camera.position, camera.look_at = CAMERA + robot, LOOK_AT + robot
                continue
            # From where the browser says that it looks: of what it was told before, a slow one may not have done all.
            step = FOLLOW * (robot - camera.look_at) * [1, 1, 0]
            if np.abs(step).max() > STILL:
                camera.position = camera.position + step

    def _note(self, client: viser.ClientHandle, camera: viser.CameraHandle) -> None:
        """A slow browser first tells of a camera of its own, far away: it is sent to ours until it says it is there."""
        distance = np.linalg.norm(camera.position - camera.look_at)
        if abs(distance - np.linalg.norm(CAMERA - LOOK_AT)) < NEAR:
            self._placed.add(client.client_id)

    def read(self, findings: Sequence[Finding]) -> None:
        """Bring the panel up to date: what is read, less often."""
        names = [name for name, state in self._states.items() if not state.ghost and state.model is not None]
        if names and tuple(self._robot.options) != tuple(names):
            chosen = self._robot.value
            self._robot.options = names
            self._robot.value = chosen if chosen in names else names[0]
            self._robot.visible = len(names) > 1
        for plot in self.plots:
            plot.offer({name: state for name, state in self._states.items() if state.model is not None})
            plot.show(self._states)
        self._set(self._health, in_plain_words(findings))
        state = self._states.get(self.chosen)
        if state is None or state.model is None:
            return
        self.controls.offer_links(tuple(state.model.model.inertials))
        self.controls.offer(state.bridge is not None, state.testing)
        self._table.content = joint_table(state.joints)
        self._set(self._model, _model_text(state))
        self._set(self._status, _status(state))
        if self._story_panel is not None and self._story_robot in self._states:
            self._story_panel.show(self._states[self._story_robot])

    @staticmethod
    def _set(text: viser.GuiMarkdownHandle, content: str) -> None:
        if text.content != content:
            text.content = content


def _status(state: RobotState) -> str:
    assert state.model is not None
    what = "has fallen" if state.fallen else state.doing or "is there"
    if state.testing:
        phase = state.fall_test["phase"]
        what = f"fall test {state.fall_test.get('test', '')}: {PHASES.get(phase, phase)}"
    elif state.bridge is not None and not state.bridge.moves:
        what = f"servos {state.bridge.told}"
    return f"**{state.model.name}** · {what} · {state.time:.1f} s"


def _model_text(state: RobotState) -> str:
    assert state.model is not None
    model = state.adapted or state.model
    lines = [f"**{model.name}**, {model.mass:.3f} kg{' (adapted)' if state.adapted else ''}", adaptation_text(state)]
    masses = state.result.get("three_masses", ())
    if masses:
        rows = ["| three masses | kg | forward, mm | left, mm | up, mm |", "|---|---:|---:|---:|---:|"]
        for name, part in zip(("left leg", "right leg", "body"), masses, strict=True):
            x, y, z = (1e3 * value for value in part["com_in_base_m"])
            rows.append(f"| {name} | {part['mass_kg']:.3f} | {x:.0f} | {y:.0f} | {z:.0f} |")
        lines.append("\n".join(rows))
    return "\n\n".join(lines)
