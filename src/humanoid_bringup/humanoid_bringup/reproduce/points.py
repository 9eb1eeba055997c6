"""Seed 003, section 4.3: four against eight contact points per foot."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from humanoid_bringup.reproduce.reproduction import Progress, Reproduction, Row
from humanoid_bringup.reproduce.table4 import MODEL_ASSUMPTIONS, PAPER, ROWS, STEPS, TABLE_4, Walk, pattern, walk_row
from humanoid_bringup.reproduce.variant import with_ground
from humanoid_description import Robot, load_robot

FAST_DT = STEPS["fast"][0]
MARGINAL = 5
"""Row that flips first under small changes of the model: with eight points its verdict is not agreed on."""


def reproduce(progress: Progress, robot: Robot | None = None, rows: Sequence[int] = ROWS) -> Reproduction:
    """Walk rows of Table 4 with four and eight points per foot; AR-601M if no other robot is given."""
    robot = robot or load_robot("ar601m")
    doubled = with_ground(robot, normal_stiffness=2, normal_damping=2, tangential_damping=2)
    grounds = {"four": (robot, 4), "eight": (robot, 8), "eight, Table 2 at each": (doubled, 8)}
    walks: dict[str, list[Walk]] = {name: [] for name in grounds}
    for name, (stander, points) in grounds.items():
        for row in rows:
            progress(f"row {row}, points: {name}")
            walks[name].append(walk_row(stander, row, points_per_foot=points))
    results = [_row(four, eight) for four, eight in zip(walks["four"], walks["eight"], strict=True)]
    patterns = {name: pattern(walked) for name, walked in walks.items()}
    literal, wanted = patterns["eight, Table 2 at each"], "".join(PAPER[row - 1] for row in rows)
    results.append(
        Row(
            what="all with Table 2 at each of eight",
            paper=wanted,
            ours=literal,
            agrees=None,
            note="eight points with Table 2's values each make a ground of twice the stiffness and damping",
            values={"pattern": literal},
        )
    )
    return Reproduction(
        title="Seed 003, section 4.3: four against eight contact points per foot (S stable, F falls)",
        rows=results,
        assumptions=(
            *MODEL_ASSUMPTIONS,
            "five primitives, no torque limit",
            "eight points: the corners and the middles of the sides; each has half of Table 2's values, so that the "
            "foot as a whole stands on the same ground",
            '"did not detect any significant differences" is read as the same verdicts; that of row '
            f"{MARGINAL}, which is marginal, is shown and not agreed on",
        ),
        draw=lambda figure: _draw(figure, walks),
        summary={"patterns": patterns, "paper": wanted},
    )


def _row(four: Walk, eight: Walk) -> Row:
    paper = TABLE_4[four.row - 1][1]
    marginal = four.row == MARGINAL
    same = four.verdict == eight.verdict
    note = f"torso {_apart(four, eight) * 1000:.1f} mm apart in the first step"
    if marginal:
        note = f"marginal{'' if same else ', and eight points change it'}; {note}"
    return Row(
        what=f"row {four.row}, four / eight points",
        paper=f"{paper} / {paper}",
        ours=f"{four.verdict} / {eight.verdict}",
        agrees=None if marginal else same and four.verdict == paper,
        note=note,
        values={"row": four.row, "four": four.verdict, "eight": eight.verdict},
    )


def _apart(four: Walk, eight: Walk) -> float:
    """Greatest distance of the torsos over the first step, m."""
    samples = round(TABLE_4[four.row - 1][0].period / FAST_DT)
    between = four.result.base[:samples, :3] - eight.result.base[:samples, :3]
    return float(np.linalg.norm(between, axis=1).max())


def _draw(figure: Figure, walks: dict[str, list[Walk]]) -> None:
    """Height of the torso over time, in the rows that tell the most."""
    rows = [walked.row for walked in walks["four"]]
    shown = (rows[0], MARGINAL if MARGINAL in rows else rows[-1])
    for axes, row in zip(figure.subplots(1, 2), shown, strict=True):
        for name, walked in walks.items():
            walk = walked[rows.index(row)]
            height = walk.result.base[:, 2]
            axes.plot(np.arange(height.size) * FAST_DT, height, label=f"{name}: {walk.verdict}")
        axes.set(xlabel="time, s", ylabel="height of the torso, m", title=f"row {row}, by points per foot")
        axes.legend()
