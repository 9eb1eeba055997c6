"""Figure 4 of seed 002: foot and hip trajectories of NAO from Table 2, and how well they meet constraints 1-8."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline

from humanoid_description.parameters import Foot
from humanoid_gait.foot_spline import Footprint, Swing, SwingShape, swing
from humanoid_gait.hip_spline import pendulum_shares

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Table2:
    """Table 2; m, s, rad."""

    Ds: float = 0.16
    Tc: float = 0.2
    Td: float = 0.04
    Tm: float = 0.1
    qgs: float = 0.0
    qge: float = 0.0
    qb: float = 0.2
    qf: float = 0.2
    lan: float = 0.035
    laf: float = 0.08
    lab: float = 0.08
    Lao: float = 0.08
    hgs: float = 0.015
    hge: float = 0.015
    Hao: float = 0.03
    Hmin: float = 0.23
    Hmax: float = 0.23


TABLE_2 = Table2()


@dataclass(frozen=True)
class Figure4:
    """Steps 1 to `steps` of a steady walk; odd ones are the right foot's."""

    table: Table2
    steps: int
    swings: dict[int, Swing]
    """Per step k: the way of its foot from k T_c to (k+1) T_c + T_d."""
    hip: CubicSpline
    """Forward place of the hips less that of a steady walk, m, over one step, s."""
    x_ed: float
    """m."""
    x_sd: float
    """m."""

    def foot(self, side: str, time: Array) -> tuple[Array, Array, Array]:
        """Forward place and height (m) and angle (rad) of the 'right' or 'left' foot over time (s, from T_c on)."""
        first = 1 if side == "right" else 2
        x, z, angle = (np.empty_like(time) for _ in range(3))
        for k in range(first, self.steps + 1, 2):
            way = self.swings[k]
            # A foot stands where it is until its next step; before its first one it is at that step's beginning.
            now = time >= k * self.table.Tc if k > first else np.full(time.shape, True)
            at = np.clip(time[now], way.ankle.t[0], way.ankle.t[-1])
            (x[now], _, z[now]), angle[now] = way.ankle(at).T, way.pitch(at)
        return x, z, angle

    def hips(self, time: Array, order: int = 0) -> tuple[Array, Array]:
        """Forward place and height of the hips (m) over time (s), or a derivative of them."""
        speed = self.table.Ds / self.table.Tc
        steady = [speed * time, np.full_like(time, speed), np.zeros_like(time)][order]
        height = self.table.Hmin if order == 0 else 0.0
        return steady + self.hip(np.mod(time, self.table.Tc), order), np.full_like(time, height)


def figure_4(table: Table2 = TABLE_2, steps: int = 4) -> Figure4:
    """The trajectories from Table 2.

    H_ao is read as printed, the height of the ankle at T_m; at 0.03 m that is below the 0.05 m at which the table lets
    it stand, so the foot would dip into the ground. As a lift above the stand it makes a walk: `as_lift`. Table 2
    leaves x_ed and x_sd open: those of a linear inverted pendulum are taken.
    """
    foot = Foot("right_foot", front=table.laf, rear=table.lab, left=0.0, right=0.0, depth=table.lan)
    lift = table.Hao - max(table.hgs, table.hge) - table.lan
    share = table.Lao / (2 * table.Ds)
    shape = SwingShape(table.Td, table.Tm, table.Tc, table.qb, table.qf, share, lift)
    swings = {}
    for k in range(1, steps + 1):
        start = Footprint(k * table.Ds, 0.0, 0.0, table.hgs, table.qgs)
        end = Footprint((k + 2) * table.Ds, 0.0, 0.0, table.hge, -table.qge)
        swings[k] = swing(foot, shape, start, end, k * table.Tc)
    forward, _ = pendulum_shares(table.Hmin, table.Td, table.Tc - table.Td)
    x_ed = x_sd = forward * table.Ds
    # Constraint 8 less a steady walk is the same in every step.
    beyond = [x_ed, table.Ds - x_sd - table.Ds * table.Td / table.Tc, x_ed]
    hip = CubicSpline([0, table.Td, table.Tc], beyond, bc_type="periodic")
    return Figure4(table, steps, swings, hip, x_ed, x_sd)


def as_lift(table: Table2 = TABLE_2) -> Table2:
    """The table with H_ao measured from where the ankle stands."""
    stands = max(table.hgs, table.hge) + table.lan
    return replace(table, Hao=stands + table.Hao)


def constraint_errors(figure: Figure4) -> dict[str, float]:
    """Greatest deviation from each constraint over all steps, in its own unit; 4-6 are speeds."""
    t, errors = figure.table, {f"({number})": 0.0 for number in range(1, 9)}

    def note(number: int, found: float, wanted: float) -> None:
        errors[f"({number})"] = max(errors[f"({number})"], abs(float(found) - wanted))

    for k, way in figure.swings.items():
        begins, leaves, top, lands = k * t.Tc, k * t.Tc + t.Td, k * t.Tc + t.Tm, (k + 1) * t.Tc
        stands = lands + t.Td
        for time, angle in ((begins, t.qgs), (leaves, t.qb), (lands, -t.qf), (stands, -t.qge)):
            note(1, way.pitch(time), angle)
        forward = {
            begins: k * t.Ds,
            leaves: k * t.Ds + t.lan * np.sin(t.qb) + t.laf * (1 - np.cos(t.qb)),
            top: k * t.Ds + t.Lao,
            lands: (k + 2) * t.Ds - t.lan * np.sin(t.qf) - t.lab * (1 - np.cos(t.qf)),
            stands: (k + 2) * t.Ds,
        }
        height = {
            begins: t.hgs + t.lan,
            leaves: t.hgs + t.laf * np.sin(t.qb) + t.lan * np.cos(t.qb),
            top: t.Hao,
            lands: t.hge + t.lab * np.sin(t.qf) + t.lan * np.cos(t.qf),
            stands: t.hge + t.lan,
        }
        for time, x in forward.items():
            note(2, way.ankle(time)[0], x)
            note(3, way.ankle(time)[2], height[time])
        for time in (begins, stands):
            note(4, way.pitch(time, 1), 0.0)
            note(5, way.ankle(time, 1)[0], 0.0)
            note(6, way.ankle(time, 1)[2], 0.0)
        middles = {begins + 0.5 * t.Td: t.Hmin, begins + 0.5 * (t.Tc - t.Td): t.Hmax, lands + 0.5 * t.Td: t.Hmin}
        for time, z in middles.items():
            note(7, figure.hips(np.array([time]))[1][0], z)
        places = {
            begins: k * t.Ds + figure.x_ed,
            leaves: (k + 1) * t.Ds - figure.x_sd,
            lands: (k + 1) * t.Ds + figure.x_ed,
        }
        for time, x in places.items():
            note(8, figure.hips(np.array([time]))[0][0], x)
    return errors
