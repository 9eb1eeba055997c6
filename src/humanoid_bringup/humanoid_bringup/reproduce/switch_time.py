"""Seed 001, Figure 5: the two-interval trajectory of the example, and what its switch time saves."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from humanoid_bringup.reproduce.reproduction import Progress, Reproduction, Row
from humanoid_gait.seed001 import ANGLES, CLAIM, SPEEDS, TIMES, Figure5, figure_5, savings

PAPER_SWITCH = 3.6
"""s."""


def reproduce(progress: Progress) -> Reproduction:
    """Compute the example and the savings."""
    progress("the example, and 2000 random demands")
    figure = figure_5()
    rows = [
        Row(
            what="switch time t_m of eq 8",
            paper=f"{PAPER_SWITCH} s",
            ours=f"{figure.switch:.4f} s",
            agrees=abs(figure.switch - PAPER_SWITCH) < 1e-9,
            note="the instant at which the joint already has its final speed",
            values={"switch_s": figure.switch},
        ),
        Row(
            what="angle and speed at the end",
            paper=f"{np.degrees(ANGLES[1]):.0f} deg, {np.degrees(SPEEDS[1]):.0f} deg/s",
            ours=f"{np.degrees(figure.angle[-1]):.4f} deg, {np.degrees(figure.speed[-1]):.4f} deg/s",
            agrees=bool(np.allclose([figure.angle[-1], figure.speed[-1]], [ANGLES[1], SPEEDS[1]])),
        ),
        Row(
            what="work over the switch time",
            paper="least at t_m",
            ours="least up to t_m, then rising",
            agrees=_least_until_switch(figure),
            note="only positive power counted; as printed, eq 7 is the same for every switch",
        ),
    ]
    for saving in savings():
        rows.append(
            Row(
                what=f"saved against {saving.against}",
                paper=f"up to {CLAIM:.0%}",
                ours=f"{saving.example:.1%}, {saving.together:.1%}",
                agrees=None,
                note="in the example; in all random demands together. The paper does not say against what",
                values={"example": saving.example, "together": saving.together},
            )
        )
    return Reproduction(
        title="Seed 001, Figure 5: two intervals of constant acceleration and the switch of least energy",
        rows=rows,
        assumptions=(
            "power of a braking motor is not won back: else eq 7 is the change of kinetic energy, whatever the switch",
            "the arm is that of the paper, 0.174 kg and 0.2 m, a rod about its end; its inertia does not change shares",
            "random demands: speeds up to 100 deg/s at both ends, 0.2 to 1 s, ways of up to 100 deg/s on average",
        ),
        draw=lambda canvas: _draw(canvas, figure),
    )


def _least_until_switch(figure: Figure5) -> bool:
    before, after = figure.work[figure.switches <= figure.switch], figure.work[figure.switches > figure.switch]
    return bool(np.ptp(before) < 1e-9 * before[0] and (np.diff(after) > 0).all())


def _draw(canvas: Figure, figure: Figure5) -> None:
    left, right = canvas.subplots(1, 2)
    left.plot(figure.time, np.degrees(figure.angle), label="angle, deg")
    left.plot(figure.time, np.degrees(figure.speed), label="speed, deg/s")
    right.plot(figure.switches, 1000 * figure.work, label="work of the motor, mJ")
    for axes, label in ((left, "time, s"), (right, "time of the switch, s")):
        axes.axvline(figure.switch, color="grey", linestyle=":", label=f"t_m = {figure.switch:.2f} s")
        axes.set(xlabel=label, xlim=TIMES)
        axes.legend()
