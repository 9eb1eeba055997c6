"""What a reproduction says: the paper's results beside ours, what was assumed, and whether they agree."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

Progress = Callable[[str], None]
"""Is told what is being computed now."""
NOTE_WIDTH = 80


@dataclass(frozen=True)
class Row:
    """One result."""

    what: str
    paper: str
    ours: str
    agrees: bool | None
    """Whether ours is the verdict that was agreed on; None for what is shown without a verdict."""
    note: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)
    """Ours for machines, with units in the names."""


@dataclass(frozen=True)
class Reproduction:
    """A table or figure of a paper beside ours."""

    title: str
    rows: Sequence[Row]
    assumptions: Sequence[str]
    """What the paper does not tell, and what we took instead."""
    draw: Callable[[Figure], None]
    """Draws it into an empty figure."""
    summary: Mapping[str, Any] = field(default_factory=dict)
    """What machines are told beside the rows."""

    @property
    def agreed(self) -> bool:
        """Whether every agreed verdict is still ours."""
        return all(row.agrees is not False for row in self.rows)

    def as_dict(self) -> dict[str, Any]:
        """All of it for machines."""
        rows = [
            {"what": row.what, "paper": row.paper, "ours": row.ours, "agrees": row.agrees, "note": row.note}
            | dict(row.values)
            for row in self.rows
        ]
        head = {"title": self.title, "agreed": self.agreed, **self.summary}
        return {**head, "rows": rows, "assumptions": list(self.assumptions)}

    def as_text(self) -> str:
        """All of it for people."""
        cells = [("", "paper", "ours", "agrees")]
        cells += [(row.what, row.paper, row.ours, _VERDICT[row.agrees]) for row in self.rows]
        widths = [max(len(line[column]) for line in cells) for column in range(4)]
        notes = ["note", *(row.note for row in self.rows)]
        lines = [self.title, ""]
        for cell, note in zip(cells, notes, strict=True):
            start = "  ".join(text.ljust(width) for text, width in zip(cell, widths, strict=True))
            first, *more = textwrap.wrap(note, NOTE_WIDTH) or [""]
            lines.append(f"{start}  {first}".rstrip())
            lines += [" " * len(start) + "  " + text for text in more]
        lines += ["", "Assumptions:"]
        for assumption in self.assumptions:
            lines += textwrap.wrap(assumption, 118, initial_indent="- ", subsequent_indent="  ")
        return "\n".join(lines)

    def save_figure(self, file: Path) -> None:
        """Write the figure as PNG."""
        figure = Figure(figsize=(9, 4.5), layout="constrained")
        FigureCanvasAgg(figure)
        self.draw(figure)
        figure.suptitle(self.title, fontsize="medium")
        figure.savefig(file, dpi=80)


_VERDICT = {True: "yes", False: "NO", None: "-"}
