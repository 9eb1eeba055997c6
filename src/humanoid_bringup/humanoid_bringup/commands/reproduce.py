"""`humanoid reproduce`: results of the papers beside ours."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

import numpy as np

from humanoid_bringup.commands import Commands, add_command
from humanoid_bringup.commands.walk import report, walk
from humanoid_description import load_robot
from humanoid_gait.primitives import PrimitiveParameters

# Seed 003, Table 4: a, h, z0 in m, T in s, and whether the gait was stable.
TABLE_4 = [
    (0.1, 0.1, 0.85, 0.5, "S"),
    (0.2, 0.1, 0.85, 0.5, "F"),
    (0.15, 0.1, 0.85, 0.5, "S"),
    (0.2, 0.1, 0.8, 0.5, "F"),
    (0.2, 0.1, 0.75, 0.5, "F"),
    (0.2, 0.1, 0.75, 0.25, "F"),
    (0.15, 0.1, 0.85, 0.75, "F"),
    (0.15, 0.1, 0.75, 0.75, "F"),
    (0.15, 0.05, 0.75, 0.7, "S"),
]
PAUSE = 1.0
"""s between phases (seed 003, section 5, 12 DoFs model)."""
STEPS = {"fast": (1e-3, False), "reference": (1e-4, True)}
"""Time step in s and whether it is explicit."""
ASSUMPTIONS = [
    "z0 is the height of the torso's centre: with straight legs the hips are 0.666 m high",
    "feet side by side: x0 = 0.16 m, the width of a foot",
    "Table 2 without the penetration factors of eqs 4-5, whose units it does not fit (reading S1)",
    "a compliant position servo, 5000 N m/rad and 100 N m s/rad, which the paper does not tell",
    "five primitives; no torque limit, as with Table 3's every row falls, which is the paper's own conclusion",
    "a simulator in which every robot falls would agree in six rows of nine",
]


def add_parsers(commands: Commands) -> None:
    """Add `reproduce`."""
    parser = add_command(commands, "reproduce", "print results of the papers beside ours", "reproduce table4 --json")
    parser.add_argument("what", choices=["table4"], help="table4: seed 003, stability of nine gaits of AR-601M")
    parser.add_argument("--step", choices=[*STEPS, "both"], default="both", help="time step (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="print {pattern, paper, rows, assumptions}")
    parser.set_defaults(run=run)


def table4(step: str, progress: bool) -> list[dict[str, Any]]:
    """Our rows of Table 4 at a time step ('fast' or 'reference')."""
    dt, explicit = STEPS[step]
    robot = load_robot("ar601m")
    rows = []
    for number, (a, h, z0, period, paper) in enumerate(TABLE_4, start=1):
        if progress:
            print(f"\rrow {number} of {len(TABLE_4)}, {step} step", end="", file=sys.stderr, flush=True)
        result = walk(robot, PrimitiveParameters(a, h, z0, period, PAUSE), 5, dt, explicit)
        ours = "F" if result[0].fell else "S"
        parameters = {"a_m": a, "h_m": h, "z0_m": z0, "T_s": period}
        rows.append({"row": number, "step": step, **parameters, "paper": paper, "ours": ours, **report(*result)})
    if progress:
        print("\r" + " " * 40 + "\r", end="", file=sys.stderr, flush=True)
    return rows


def run(options: argparse.Namespace) -> int:
    """Print the table; the status is 1 if a verdict differs from the paper's."""
    steps = list(STEPS) if options.step == "both" else [options.step]
    rows = [row for step in steps for row in table4(step, progress=sys.stderr.isatty())]
    paper = "".join(row[4] for row in TABLE_4)
    patterns = {step: "".join(row["ours"] for row in rows if row["step"] == step) for step in steps}
    agreed = all(pattern == paper for pattern in patterns.values())
    if options.json:
        answer = {"pattern": patterns[steps[0]], "paper": paper, "patterns": patterns, "rows": rows}
        print(json.dumps({**answer, "assumptions": ASSUMPTIONS}, indent=2))
        return 0 if agreed else 1
    print("Seed 003, Table 4: stability of AR-601M's gaits (S stable, F falls)\n")
    print(f"{'a':>6}{'h':>6}{'z0':>6}{'T':>6}   {'step':<10}{'paper':<7}{'ours':<6}{'fall':<18}{'ankle':>9}{'yaw':>8}")
    for row in rows:
        fall = f"{row['fall_direction']} {row['fall_time_s']:.2f} s" if row["fell"] else "-"
        sizes = f"{row['a_m']:6}{row['h_m']:6}{row['z0_m']:6}{row['T_s']:6}"
        torque, yaw = row["first_step_ankle_torque_nm"], np.degrees(row["yaw_drift_rad"])
        print(f"{sizes}   {row['step']:<10}{row['paper']:<7}{row['ours']:<6}{fall:<18}{torque:5.0f} N m{yaw:6.0f} deg")
    print(f"\npaper {paper}")
    for step, pattern in patterns.items():
        print(f"ours  {pattern}  {step} step, {sum(x == y for x, y in zip(pattern, paper, strict=True))} of 9")
    print("\nThe paper's support ankle needs nearly 90 N m. Assumptions:")
    for assumption in ASSUMPTIONS:
        print(f"- {assumption}")
    return 0 if agreed else 1
