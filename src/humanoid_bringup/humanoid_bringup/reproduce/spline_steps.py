"""Seed 002, Figure 4: trajectories of feet and hips from Table 2, through every constraint."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from humanoid_bringup.reproduce.reproduction import Progress, Reproduction, Row
from humanoid_gait.seed002 import Figure4, as_lift, constraint_errors, figure_4

TOLERANCE = 1e-9
INSTANT, SMOOTH = 1e-9, 1e-5
"""s before and after a knot, and by how much (m/s^2) a continuous acceleration may change in that time."""
CONSTRAINTS = {
    "(1)": "angle of the foot, rad",
    "(2)": "forward place of the foot, m",
    "(3)": "height of the foot, m",
    "(4)": "the foot does not turn on the ground, rad/s",
    "(5)": "nor slide, m/s",
    "(6)": "nor rise, m/s",
    "(7)": "height of the hips, m",
    "(8)": "forward place of the hips, m",
}


def reproduce(progress: Progress) -> Reproduction:
    """Compute the trajectories and how well they keep to the constraints."""
    progress("splines through Table 2")
    figure = figure_4()
    errors = {number: float(error) for number, error in constraint_errors(figure).items()}
    rows = [
        Row(
            what=f"constraint {number}: {text}",
            paper="met",
            ours=f"off by {errors[number]:.1e}",
            agrees=errors[number] <= TOLERANCE,
            values={"error": errors[number]},
        )
        for number, text in CONSTRAINTS.items()
    ]
    jump = _acceleration_jump(figure)
    rows.append(
        Row(
            what="acceleration over break points",
            paper="continuous",
            ours=f"jumps by {jump:.1e} m/s^2",
            agrees=jump <= SMOOTH,
            note="where a foot starts and ends to move too, by two more knots than a clamped spline has",
            values={"jump_m_per_s2": jump},
        )
    )
    return Reproduction(
        title="Seed 002, Figure 4: feet and hips of NAO's walk from Table 2",
        rows=rows,
        assumptions=(
            "H_ao = 0.03 m is below the 0.05 m at which Table 2 lets the ankle stand: as printed, the swinging foot "
            "dips into the ground (left); read as a lift it makes a walk (right), with which the simulated robots walk",
            "Table 2 leaves x_ed and x_sd open: those of a linear inverted pendulum are taken",
            "the curves of Figure 4 are not printed as numbers: the constraints are compared",
        ),
        draw=lambda canvas: _draw(canvas, figure),
    )


def _acceleration_jump(figure: Figure4) -> float:
    """Greatest jump of a foot's acceleration at a knot, beginning and end at rest included, m/s^2."""
    greatest = 0.0
    for way in figure.swings.values():
        acceleration = way.ankle.derivative(2)
        first, *inner, last = np.unique(way.ankle.t)
        jumps = [acceleration(knot + INSTANT) - acceleration(knot - INSTANT) for knot in inner]
        greatest = max(greatest, float(np.abs([*jumps, acceleration(first), acceleration(last)]).max()))
    return greatest


def _draw(canvas: Figure, printed: Figure4) -> None:
    lifted = figure_4(as_lift(printed.table))
    titles = ("H_ao as printed", "H_ao as a lift")
    for axes, figure, title in zip(canvas.subplots(1, 2), (printed, lifted), titles, strict=True):
        time = np.linspace(figure.table.Tc, (figure.steps + 1) * figure.table.Tc, 400)
        for side in ("left", "right"):
            x, z, _ = figure.foot(side, time)
            axes.plot(x, z, label=f"{side} ankle")
        axes.plot(*figure.hips(time), label="hips")
        axes.set(xlabel="forward, m", ylabel="height, m", title=title)
        axes.legend()
