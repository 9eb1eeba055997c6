"""The picture of a sweep: a line over one parameter, a heat map over two."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle
from numpy.typing import NDArray

from humanoid_sim.sweep import Axis, Cell

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
STANDS, FALLS, REFUSED = "#3b75af", "#ef8636", "#bdbdbd"
"""Colours that the colour-blind can tell apart."""
OF_THE_END = ("distance_m", "yaw_drift_rad")
"""Measures that mean nothing once the robot lies on the ground."""
MOST_TICKS = 12
MOST_TEXTS = 150
"""Cells up to which each carries its value in figures."""


def draw(cells: Sequence[Cell], axes: Sequence[Axis], measure: str, title: str) -> Figure:
    """Draw what a sweep over one or two axes found.

    Args:
        cells: In the order of humanoid_sim.sweep.grid, with answers that have 'fell' and the measure.
        axes: One or two; the first of two goes upwards.
        measure: Key of the answers, with its unit in its name.
        title: Above the picture.
    """
    figure = Figure(figsize=(7, 5), dpi=150, layout="constrained")
    plot = figure.add_subplot()
    plot.set_title(title)
    shape = tuple(len(axis.values) for axis in axes)
    refused = np.array([cell.answer is None for cell in cells])
    fell = np.array([cell.answer is not None and cell.answer["fell"] for cell in cells], dtype=bool)
    found = [None if cell.answer is None else cell.answer[measure] for cell in cells]
    values = np.array([math.nan if value is None else value for value in found], dtype=float)
    if measure in OF_THE_END:
        values[fell] = math.nan
    if len(axes) == 1:
        _line(plot, axes[0], values, fell, refused, measure)
    else:
        _heat_map(figure, plot, axes, values.reshape(shape), fell.reshape(shape), refused.reshape(shape), measure)
    return figure


def _label(axis: Axis) -> str:
    return axis.name if axis.unit == "1" else f"{axis.name} ({axis.unit})"


def _line(plot: Axes, axis: Axis, values: Array, fell: Mask, refused: Mask, measure: str) -> None:
    places = np.array(axis.values)
    plot.set_xlabel(_label(axis))
    plot.set_ylabel(measure)
    plot.plot(places, values, "o" if measure == "fell" else "o-", color=STANDS)
    if measure == "fell":
        plot.set_yticks([0, 1], ["stands", "falls"])
    for happened, colour, label in ((fell, FALLS, "falls"), (refused, REFUSED, "not possible")):
        for number, place in enumerate(places[happened]):
            plot.axvline(place, color=colour, linestyle="--", zorder=0, label=None if number else label)
    if fell.any() or refused.any():
        plot.legend()


def _heat_map(
    figure: Figure, plot: Axes, axes: Sequence[Axis], values: Array, fell: Mask, refused: Mask, measure: str
) -> None:
    legend: list[Patch] = []
    crossed = {"facecolor": REFUSED, "edgecolor": "white", "hatch": "//"}
    covers: list[tuple[Mask, dict[str, Any], str]] = [(refused, crossed, "not possible")]
    if measure == "fell":
        plot.imshow(values, origin="lower", aspect="auto", cmap=ListedColormap([STANDS, FALLS]), vmin=0, vmax=1)
        legend = [Patch(color=STANDS, label="stands"), Patch(color=FALLS, label="falls")]
    else:
        known = values[np.isfinite(values)]
        signed = known.size > 0 and known.min() < 0 < known.max()
        limit = float(np.abs(known).max()) if signed else None
        colours, low = ("PiYG", -limit) if limit is not None else ("viridis", None)
        image = plot.imshow(values, origin="lower", aspect="auto", cmap=colours, vmin=low, vmax=limit)
        figure.colorbar(image, label=measure)
        if values.size <= MOST_TEXTS:
            for row, column in zip(*np.nonzero(np.isfinite(values)), strict=True):
                text = plot.text(column, row, f"{values[row, column]:.2g}", ha="center", va="center", fontsize=7)
                text.set_bbox({"facecolor": "white", "alpha": 0.6, "linewidth": 0, "pad": 1})
        blank = np.isnan(values) & ~refused
        covers.append((blank & fell, {"color": FALLS}, "falls"))
        covers.append((blank & ~fell, {"facecolor": "white", "edgecolor": REFUSED}, "stands"))
    for happened, style, label in covers:
        for row, column in zip(*np.nonzero(happened), strict=True):
            plot.add_patch(Rectangle((column - 0.5, row - 0.5), 1, 1, **style))
        if happened.any():
            legend.append(Patch(label=label, **style))
    if legend:
        figure.legend(handles=legend, loc="outside lower center", ncols=len(legend))
    up, right = axes
    for axis, set_ticks, set_label in (
        (right, plot.set_xticks, plot.set_xlabel),
        (up, plot.set_yticks, plot.set_ylabel),
    ):
        places = range(0, len(axis.values), math.ceil(len(axis.values) / MOST_TICKS))
        set_ticks(list(places), [f"{axis.values[place]:g}" for place in places])
        set_label(_label(axis))
