"""Draws what keeps a robot upright: forces, centre of mass, zero moment point, support polygon, masses, footprints."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np
import viser
from numpy.typing import NDArray

from humanoid_bringup.viewer.balance_view import BalanceView
from humanoid_bringup.viewer.robot_state import RobotState
from humanoid_description.inertial import GRAVITY

Array = NDArray[np.float64]
LAYERS = ("forces", "centre of mass", "zero moment point", "support polygon", "three masses", "footprints", "plan")
ORANGE, BLUE, GREEN, PURPLE, RED = (255, 140, 0), (30, 110, 255), (30, 170, 80), (150, 70, 200), (220, 50, 40)
WEIGHT_LENGTH = 0.35
"""m: length of an arrow for the robot's weight."""
ABOVE_GROUND = 0.002
"""m, so that lines on the ground are not hidden by it."""
STEPPED = 0.3
"""Share of the weight on a foot from which it leaves a footprint."""
FOOTPRINTS = 24
"""Kept."""
LINE = 0.004
"""m: width of lines."""
NEAR = 0.02
"""m within which a footprint is the same as the last of that foot."""
DENSITY = 2000.0
"""kg/m^3 with which a mass is drawn as a ball."""


class BalanceScene:
    """Overlays of one robot."""

    def __init__(self, scene: viser.SceneApi, name: str) -> None:
        self._scene, self._name = scene, name
        self._handles: dict[str, Any] = {}
        self._prints: deque[tuple[str, Array]] = deque(maxlen=FOOTPRINTS)
        self._time = 0.0
        self.layers = dict.fromkeys(LAYERS, True)
        """What is shown."""
        self.layers["three masses"] = self.layers["plan"] = False

    def show(self, state: RobotState, view: BalanceView) -> None:
        """Bring all layers up to date."""
        if state.time < self._time:  # put back to its start
            self._prints.clear()
        self._time = state.time
        model = state.adapted or state.model
        assert model is not None
        metres_per_newton = WEIGHT_LENGTH / (model.mass * GRAVITY)
        arrows = [[place, place + metres_per_newton * force] for place, force in view.forces.values()]
        self._set("forces", "arrows", np.array(arrows).reshape(-1, 2, 3), ORANGE)
        self._ball("centre of mass", "com", view.com, 0.018, BLUE)
        below = np.array([view.com, [view.com[0], view.com[1], ABOVE_GROUND]])
        self._set("centre of mass", "com_line", below[None], BLUE)
        if view.zmp is not None:
            self._ball("zero moment point", "zmp", view.zmp, 0.012, RED)
        self._set("support polygon", "support", _loop(view.support), GREEN)
        self._footprints(view)
        self._masses(state, view)
        self._plan(state)

    def _footprints(self, view: BalanceView) -> None:
        for side, sole in view.soles.items():
            if view.loads[side] > STEPPED and all(
                other != side or np.abs(sole - print_).max() > NEAR for other, print_ in self._prints
            ):
                self._prints.append((side, sole * [1, 1, 0] + [0, 0, ABOVE_GROUND]))
        lines = [_loop(print_) for _, print_ in self._prints]
        self._set("footprints", "prints", np.concatenate([np.zeros((0, 2, 3)), *lines]), (120, 130, 150))

    def _masses(self, state: RobotState, view: BalanceView) -> None:
        if view.masses is None:
            return
        T = state.base.T_world_base
        for number, part in enumerate(view.masses.masses):
            radius = (3 * part.mass / (4 * np.pi * DENSITY)) ** (1 / 3)
            place = T[:3, :3] @ part.com_in_base + T[:3, 3]
            self._ball("three masses", f"mass_{number}", place, radius, PURPLE)
            if state.result:
                sd = state.result["three_masses"][number]["com_sd_m"]
                self._ellipsoid("three masses", f"uncertainty_{number}", place, sd, T, PURPLE)
        if state.result:
            self._ellipsoid("centre of mass", "uncertainty", view.com, state.result["com_sd_m"], T, BLUE)

    def _ellipsoid(
        self, layer: str, name: str, place: Array, sd: Sequence[float], T: Array, colour: tuple[int, int, int]
    ) -> None:
        """Two standard deviations (m, along the base's axes) about a place."""
        if name not in self._handles:
            self._handles[name] = self._scene.add_icosphere(f"{self._name}/{name}", 1.0, colour, opacity=0.3)
        handle = self._handles[name]
        handle.scale = tuple(2 * np.array(sd))
        handle.wxyz = viser.transforms.SO3.from_matrix(T[:3, :3]).wxyz
        handle.position, handle.visible = place, self.layers[layer]

    def _plan(self, state: RobotState) -> None:
        T = state.base.T_world_base
        lines = [np.zeros((0, 2, 3))]
        for mark in state.plan:
            placed = mark.points @ T[:3, :3].T + T[:3, 3]
            if len(placed) > 1:
                lines.append(np.stack([placed[:-1], placed[1:]], axis=1))
            else:
                self._ball("plan", f"plan_{mark.name}", placed[0], 0.01, tuple(round(255 * c) for c in mark.colour))
        self._set("plan", "plan_feet", np.concatenate(lines), (0, 160, 160))

    def _ball(self, layer: str, name: str, place: Array, radius: float, colour: tuple[int, ...]) -> None:
        if name not in self._handles:
            red, green, blue = colour
            path = f"{self._name}/{name}"
            self._handles[name] = self._scene.add_icosphere(path, radius, (red, green, blue), subdivisions=2)
        self._handles[name].position, self._handles[name].visible = place, self.layers[layer]

    def _set(self, layer: str, name: str, points: Array, colour: tuple[int, int, int]) -> None:
        """Lines or arrows, shape (n, 2, 3)."""
        shown = self.layers[layer] and len(points) > 0
        if name not in self._handles:
            if not shown:
                return
            path = f"{self._name}/{name}"
            if name == "arrows":
                sizes = {"shaft_radius": 0.005, "head_radius": 0.012, "head_length": 0.03}
                self._handles[name] = self._scene.add_arrows(path, points, colour, **sizes)
            else:
                self._handles[name] = self._scene.add_line_segments(path, points, colour, thickness=LINE)
            return
        handle = self._handles[name]
        handle.visible = shown
        if shown:
            handle.points = points.astype(np.float32)

    def remove(self) -> None:
        """Take all out of the scene."""
        for handle in self._handles.values():
            handle.remove()
        self._handles.clear()


def _loop(corners: Array) -> Array:
    """Sides of a polygon on the ground."""
    flat = corners * [1, 1, 0] + [0, 0, ABOVE_GROUND]
    return np.stack([flat, np.roll(flat, -1, axis=0)], axis=1) if len(flat) else np.zeros((0, 2, 3))
