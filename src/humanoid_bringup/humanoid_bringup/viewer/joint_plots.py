"""Live plots of any robot's, joint's and variable's last seconds."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import viser
import viser.uplot

from humanoid_bringup.viewer.robot_state import VARIABLES, RobotState

POINTS = 300
"""Sent for a curve."""
COLOURS = ("#1e6eff", "#ff8c00")
NOTHING = "nothing"


class JointPlot:
    """One plot of one variable, with the reference beside an angle."""

    def __init__(self, gui: viser.GuiApi, variable: str) -> None:
        self.robot = gui.add_dropdown("robot", [NOTHING])
        self.joint = gui.add_dropdown("joint", [NOTHING])
        self.variable = gui.add_dropdown("variable", list(VARIABLES), initial_value=variable)
        empty = np.array([0.0, 1.0])
        self.curve = gui.add_uplot(
            (empty, np.zeros(2), np.zeros(2)),
            _series(variable),
            scales={"x": viser.uplot.Scale(time=False)},
            axes=(viser.uplot.Axis(label="s", size=36), viser.uplot.Axis(size=48)),
            height=190,
        )
        self._shown = variable

    def offer(self, states: Mapping[str, RobotState]) -> None:
        """Robots and joints to choose from."""
        robots = tuple(states) or (NOTHING,)
        if tuple(self.robot.options) != robots:
            self.robot.options = robots
        state = states.get(self.robot.value)
        joints = (state.memory.joint_names if state else ()) or (NOTHING,)
        if tuple(self.joint.options) != joints:
            self.joint.options = joints
            self.joint.value = next((name for name in joints if "knee" in name), joints[0])

    def show(self, states: Mapping[str, RobotState]) -> None:
        """Draw the last seconds of what is chosen."""
        state, variable = states.get(self.robot.value), self.variable.value
        if state is None or self.joint.value not in state.memory.joint_names:
            return
        times, values = state.memory.series(self.joint.value, variable, POINTS)
        if len(times) < 2:
            return
        beside = state.memory.series(self.joint.value, "reference", POINTS)[1] if variable == "angle" else None
        if variable != self._shown:
            self._shown = variable
            self.curve.series = _series(variable)
        self.curve.data = (times, values, np.full_like(values, np.nan) if beside is None else beside)


def _series(variable: str) -> tuple[viser.uplot.Series, ...]:
    curves = [viser.uplot.Series(label="s")]
    for label, colour in ((f"{variable}, {VARIABLES[variable]}", COLOURS[0]), ("reference, rad", COLOURS[1])):
        shown = not label.startswith("reference") or variable == "angle"
        curves.append(viser.uplot.Series(label=label, stroke=colour, width=2, show=shown))
    return tuple(curves)
