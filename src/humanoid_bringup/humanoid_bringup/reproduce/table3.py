"""Seed 003, Table 3: AR-601M's motors are too weak for the gaits of Table 4."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure

from humanoid_bringup.reproduce.reproduction import Progress, Reproduction, Row
from humanoid_bringup.reproduce.table4 import (
    MODEL_ASSUMPTIONS,
    PAPER,
    PAPER_ANKLE_TORQUE,
    PRIMITIVES,
    ROWS,
    STEPS,
    TABLE_4,
    pattern,
    walk_row,
)
from humanoid_bringup.reproduce.variant import with_servos
from humanoid_description import Robot, load_robot
from humanoid_gait.primitives import forward_walk

SHARES = np.arange(1.0, 8.5, 0.5)
"""Multiples of Table 3's torques that are tried."""
TABLE_3 = {"hip": (50.0, 500.0), "knee": (50.0, 700.0), "ankle": (20.0, 500.0)}
"""Greatest torque (N m) and acceleration (deg/s^2) by kind of joint."""


def reproduce(progress: Progress, robot: Robot | None = None, rows: Sequence[int] = ROWS) -> Reproduction:
    """Walk rows of Table 4 under Table 3's limits; AR-601M if no other robot is given."""
    robot = robot or load_robot("ar601m")
    slow = with_servos(
        robot, robot.joint_names, lambda servo: dataclasses.replace(servo, max_speed=servo.no_load_speed)
    )
    limits = {
        "torque limits": (robot, 1.0),
        "acceleration limits": (slow, np.inf),
        "both limits": (slow, 1.0),
    }
    patterns = {}
    for name, (limited, share) in limits.items():
        progress(f"Table 4 with {name}")
        patterns[name] = pattern([walk_row(limited, row, torque_share=share) for row in rows])
    results = [_limits_row(name, found) for name, found in patterns.items()]
    needed = {}
    for row in (row for row in rows if PAPER[row - 1] == "S"):
        progress(f"row {row} with multiples of the torque limits")
        needed[row] = _needed_share(robot, row)
    results += [_needed_row(row, share) for row, share in needed.items()]
    needs = _needs(robot)
    results += [_need_row(kind, need) for kind in TABLE_3 for need in needs]
    return Reproduction(
        title="Seed 003, Table 3: AR-601M's gaits under the limits of its motors (S stable, F falls)",
        rows=results,
        assumptions=(
            *MODEL_ASSUMPTIONS,
            "a limit on speed of 8 rad/s, as Table 3 has none; the servo's reference keeps to it and the acceleration",
            "accelerations in row 1 are those of the angles that eqs 1-2 ask for, without what impacts add",
            "torques in row 1 are those of the supporting leg in the first step, as in Fig. 17; later peaks are "
            "impacts, which depend on the servo",
        ),
        draw=lambda figure: _draw(figure, needs),
        summary={"patterns": patterns, "needed_torque_share": needed},
    )


def _limits_row(name: str, found: str) -> Row:
    said = name != "acceleration limits"
    return Row(
        what=f"rows of Table 4 with {name}",
        paper="all fall" if said else "-",
        ours=found,
        agrees="S" not in found if said else None,
        note='"could not support fast biped locomotion ... due to leg\'s motor torque limitations"' if said else "",
        values={"pattern": found},
    )


def _needed_share(robot: Robot, row: int) -> float | None:
    """The least multiple of the torque limits from which on a row is stable at every greater one tried."""
    needed = None
    for share in SHARES[::-1]:
        if walk_row(robot, row, torque_share=float(share)).result.fell:
            break
        needed = float(share)
    return needed


def _needed_row(row: int, share: float | None) -> Row:
    ankle = TABLE_3["ankle"][0]
    said = f"; in the paper the ankle needs nearly {PAPER_ANKLE_TORQUE:.0f} of {ankle:.0f} N m" if row == 1 else ""
    return Row(
        what=f"torque limits that row {row} needs",
        paper="more than these",
        ours=f"{share:.1f} times" if share else f"over {SHARES[-1]:.0f} times",
        agrees=share is not None and share > 1.0,
        note=f"to walk with this and all greater ones that were tried{said}",
        values={"row": row, "needed_torque_share": share},
    )


@dataclass(frozen=True)
class Need:
    """What row 1 needs of the joints."""

    quantity: str
    unit: str
    limits: Mapping[str, float]
    """Table 3, by kind of joint."""
    most: Mapping[str, float]
    """Greatest value by joint."""

    def of(self, kind: str) -> dict[str, float]:
        """Of the joints of a kind."""
        return {name: value for name, value in self.most.items() if kind in name}


def _needs(robot: Robot) -> tuple[Need, Need]:
    """Torques of the supporting leg in row 1's first step, and accelerations that are asked of the joints."""
    parameters, _ = TABLE_4[0]
    dt, _ = STEPS["fast"]
    torque = np.abs(walk_row(robot, 1).result.torque[: round(parameters.period / dt)]).max(axis=0)
    reference = forward_walk(robot, parameters, PRIMITIVES, dt)
    acceleration = np.degrees(np.abs(np.gradient(reference.velocity, dt, axis=0)).max(axis=0))
    torques = {name: float(torque[index]) for index, name in enumerate(robot.joint_names) if name.startswith("right")}
    accelerations = {name: float(acceleration[index]) for index, name in enumerate(robot.joint_names)}
    return (
        Need("torque", "N m", {kind: limits[0] for kind, limits in TABLE_3.items()}, torques),
        Need("acceleration", "deg/s^2", {kind: limits[1] for kind, limits in TABLE_3.items()}, accelerations),
    )


def _need_row(kind: str, need: Need) -> Row:
    values, limit = need.of(kind), need.limits[kind]
    most = max(values.values())
    beyond = [name for name, value in values.items() if value > limit]
    return Row(
        what=f"{kind} {need.quantity} in row 1",
        paper=f"at most {limit:.0f} {need.unit}",
        ours=f"{most:.0f} {need.unit}",
        agrees=None,
        note=f"beyond: {', '.join(beyond)}" if beyond else "within",
        values={"unit": need.unit, "limit": limit, "needed": round(most, 3), "beyond": beyond},
    )


def _draw(figure: Figure, needs: tuple[Need, Need]) -> None:
    """Need over limit of the joints in row 1."""
    for axes, need in zip(figure.subplots(1, 2), needs, strict=True):
        shares = {name: value / need.limits[kind] for kind in TABLE_3 for name, value in need.of(kind).items()}
        colours = ["tab:red" if share > 1 else "tab:green" for share in shares.values()]
        axes.barh(list(shares), list(shares.values()), color=colours)
        axes.axvline(1.0, color="black", linestyle="--")
        axes.set(xlabel="needed over Table 3's limit", title=f"{need.quantity} in row 1")
        axes.invert_yaxis()
