"""The table of joint variables, as text for the page."""

from __future__ import annotations

import math
from collections.abc import Mapping

from humanoid_bringup.viewer.robot_state import VARIABLES

STYLE = "width:100%;border-collapse:collapse;font-size:0.75em;font-variant-numeric:tabular-nums"
CELL = "padding:1px 4px;text-align:right"
HOT = 65.0
"""degC from which a servo is shown in red; most switch off at 70 to 80."""


def joint_table(joints: Mapping[str, Mapping[str, float]]) -> str:
    """HTML of all joints with reference, angle, speed, torque, temperature; what nobody tells is left out."""
    shown = [name for name in VARIABLES if name == "angle" or any(math.isfinite(row[name]) for row in joints.values())]
    head = "".join(f'<th style="{CELL}">{name}<br><small>{VARIABLES[name]}</small></th>' for name in shown)
    rows = [
        f'<tr><td style="padding:1px 4px">{joint}</td>' + "".join(_cell(name, row[name]) for name in shown) + "</tr>"
        for joint, row in joints.items()
    ]
    return f'<table style="{STYLE}"><tr><th></th>{head}</tr>{"".join(rows)}</table>'


def _cell(variable: str, value: float) -> str:
    if not math.isfinite(value):
        return f'<td style="{CELL};opacity:0.4">-</td>'
    digits = {"temperature": 0, "speed": 2, "torque": 2}.get(variable, 3)
    warn = ";color:#c0392b;font-weight:bold" if variable == "temperature" and value >= HOT else ""
    return f'<td style="{CELL}{warn}">{value:.{digits}f}</td>'
