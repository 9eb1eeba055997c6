"""Plots of what is chosen."""

from __future__ import annotations

import numpy as np
from seen_robot import served, standing

from humanoid_bringup.viewer.joint_plots import POINTS, JointPlot
from humanoid_description import load_robot


def test_it_shows_the_chosen_joint_and_variable_with_the_reference_beside_an_angle() -> None:
    state = standing(load_robot("fibo_km"))
    for number in range(1000):
        state.hear_reference({"left_knee": 0.5})
        state.hear_joints(2.0 + 0.01 * number, 0.0, {"left_knee": (0.001 * number, 3.0, 0.0), "head_yaw": (7.0, 0, 0)})
    with served() as server:
        plot = JointPlot(server.gui, "angle")
        plot.show({})
        plot.offer({"r": state})
        assert (plot.robot.value, plot.joint.value) == ("r", "left_knee")
        plot.show({"r": state})
        times, angles, references = plot.curve.data
        assert len(times) <= POINTS
        assert abs(angles[-1] - 0.999) < 0.01
        assert references[-1] == 0.5
        plot.variable.value = "speed"
        plot.show({"r": state})
        assert plot.curve.data[1][-1] == 3.0
        assert np.isnan(plot.curve.data[2]).all()
        assert plot.curve.series[1]["label"] == "speed, rad/s"
        plot.joint.value, plot.variable.value = "head_yaw", "angle"
        plot.show({"r": state})
        assert plot.curve.data[1][-1] == 7.0
