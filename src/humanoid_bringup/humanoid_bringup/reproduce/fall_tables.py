"""Seed 000, Tables I-VII: masses, centres of mass and falls of FIBO-KM, the paper's methods taken literally."""

from __future__ import annotations

from matplotlib.figure import Figure

from humanoid_adapt import paper_tables
from humanoid_adapt.paper_tables import TABLES
from humanoid_bringup.reproduce.reproduction import Progress, Reproduction, Row

MASS_TOLERANCE = 1e-6
"""kg: of the limbs of Table I that are not misprinted."""
TIP_TOLERANCE = 0.1
"""Degrees: of scenario b, to which the model was drawn, in Table IV."""
MISPRINTED = ("torso", "total")
WAYS = ("forward", "backward")


def reproduce(progress: Progress) -> Reproduction:
    """Compute all seven tables."""
    tables = {}
    for number, table in TABLES.items():
        progress(f"Table {number}")
        tables[number] = table()
    rows = [
        Row(
            what=f"Table {number}, {row.name}",
            paper=_shown(row.paper),
            ours=_shown(row.ours),
            agrees=_agrees(number, row),
            note=row.note,
            values={"table": number, "paper_values": dict(row.paper), "our_values": dict(row.ours)},
        )
        for number, table in tables.items()
        for row in table
    ]
    return Reproduction(
        title="Seed 000, Tables I-VII: FIBO-KM's masses, centres of mass and falls",
        rows=rows,
        assumptions=(
            "eqs 8-13, the pendulums and the perceptron are the paper's, literally; notes name the misprints",
            "battery places are guessed from Table III: scenarios other than b need not tip at the angles of Table IV",
            "verdicts are agreed where the paper's numbers bear one: masses of the limbs, and the falls of scenario b",
        ),
        draw=lambda figure: _draw(figure, tables["IV"]),
    )


def _shown(values: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:.4g}" for name, value in values.items())


def _agrees(number: str, row: paper_tables.Row) -> bool | None:
    if number == "I" and row.name not in MISPRINTED:
        return abs(row.ours["mass_kg"] - row.paper["mass_kg"]) <= MASS_TOLERANCE
    if number == "IV" and row.name == "b":
        return all(abs(row.ours[f"{way}_real"] - row.paper[f"{way}_real"]) <= TIP_TOLERANCE for way in WAYS)
    return None


def _draw(figure: Figure, table: list[paper_tables.Row]) -> None:
    """Table IV: angle at which each scenario tips."""
    for axes, way in zip(figure.subplots(1, 2), WAYS, strict=True):
        names = [row.name for row in table]
        axes.plot(names, [row.paper[f"{way}_real"] for row in table], "o", label="paper, real")
        axes.plot(names, [row.ours[f"{way}_real"] for row in table], "x", label="ours, statics")
        axes.plot(names, [row.paper[f"{way}_sent"] for row in table], "s", fillstyle="none", label="paper, sent")
        axes.plot(names, [row.ours[f"{way}_sent_fitted"] for row in table], "+", label="ours, one ankle stiffness")
        axes.set(xlabel="scenario", ylabel="degrees", title=f"falls {way}")
        axes.legend()
