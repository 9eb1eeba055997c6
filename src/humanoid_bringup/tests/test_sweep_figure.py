"""The picture of a sweep, read back from the figure and from the file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.image import imread
from matplotlib.patches import Rectangle

from humanoid_bringup.sweep_figure import draw
from humanoid_sim.sweep import Axis, Cell, grid

STEP, PERIOD = Axis("step", "m", (0.1, 0.2)), Axis("period", "s", (0.5, 0.6, 0.7))


def answer(value: float, fell: bool = False) -> dict[str, Any]:
    return {"fell": fell, "fall_time_s": 2.0 * value if fell else None, "distance_m": value}


def cells(axes: list[Axis]) -> list[Cell]:
    """Growing distances; the second walk falls, the last is out of reach."""
    points = grid(axes)
    found = [Cell(point, answer(float(number), number == 1)) for number, point in enumerate(points[:-1])]
    return [*found, Cell(points[-1], None, "out of reach")]


def legend(figure: Any) -> set[str]:
    holders = [*figure.legends, *(axes.get_legend() for axes in figure.axes if axes.get_legend())]
    return {text.get_text() for holder in holders for text in holder.get_texts()}


def covered(figure: Any) -> set[tuple[float, float]]:
    """Row and column of the cells that have no value in colour."""
    patches = [patch for patch in figure.axes[0].patches if isinstance(patch, Rectangle)]
    return {(patch.get_y() + 0.5, patch.get_x() + 0.5) for patch in patches}


@pytest.mark.parametrize(
    ("measure", "values", "blank", "labels"),
    [
        ("fell", [[0, 1, 0], [0, 0, np.nan]], {(1, 2)}, {"stands", "falls", "not possible"}),
        ("distance_m", [[0, np.nan, 2], [3, 4, np.nan]], {(0, 1), (1, 2)}, {"falls", "not possible"}),
        (
            "fall_time_s",
            [[np.nan, 2, np.nan], [np.nan] * 3],
            {(0, 0), (0, 2), (1, 0), (1, 1), (1, 2)},
            {"stands", "not possible"},
        ),
    ],
)
def test_a_heat_map_has_the_first_axis_upwards_and_marks_what_has_no_value(
    measure: str, values: list[list[float]], blank: set[tuple[float, float]], labels: set[str]
) -> None:
    figure = draw(cells([STEP, PERIOD]), [STEP, PERIOD], measure, "a robot")
    plot = figure.axes[0]
    image = plot.images[0]
    np.testing.assert_array_equal(np.ma.filled(image.get_array(), np.nan), values)
    assert image.origin == "lower"
    assert (plot.get_xlabel(), plot.get_ylabel(), plot.get_title()) == ("period (s)", "step (m)", "a robot")
    assert [text.get_text() for text in plot.get_xticklabels()] == ["0.5", "0.6", "0.7"]
    assert covered(figure) == blank
    assert legend(figure) == labels


def test_colours_of_signed_values_are_even_about_zero() -> None:
    signed = [Cell(point, answer(number - 1.0)) for number, point in enumerate(grid([STEP, PERIOD]))]
    image = draw(signed, [STEP, PERIOD], "distance_m", "").axes[0].images[0]
    assert image.get_clim() == (-4.0, 4.0)


@pytest.mark.parametrize(("measure", "values"), [("distance_m", [0, np.nan, np.nan]), ("fell", [0, 1, np.nan])])
def test_one_axis_gives_a_line_with_falls_and_refusals_marked(measure: str, values: list[float]) -> None:
    figure = draw(cells([PERIOD]), [PERIOD], measure, "")
    line, *marks = figure.axes[0].lines
    np.testing.assert_array_equal(line.get_xdata(), PERIOD.values)
    np.testing.assert_array_equal(line.get_ydata(), values)
    assert [mark.get_xdata()[0] for mark in marks] == [0.6, 0.7]
    assert legend(figure) == {"falls", "not possible"}


def test_many_values_keep_the_ticks_readable() -> None:
    wide = Axis("step", "m", tuple(np.arange(100.0)))
    figure = draw(cells([PERIOD, wide]), [PERIOD, wide], "fell", "")
    assert len(figure.axes[0].get_xticks()) == 12


def test_it_is_written_as_a_picture_with_both_colours(tmp_path: Path) -> None:
    draw(cells([STEP, PERIOD]), [STEP, PERIOD], "fell", "a robot").savefig(tmp_path / "sweep.png")
    pixels = (imread(tmp_path / "sweep.png")[..., :3] * 255).round().astype(int).reshape(-1, 3)
    for colour in ((0x3B, 0x75, 0xAF), (0xEF, 0x86, 0x36)):
        assert (pixels == colour).all(axis=1).sum() > 1000
