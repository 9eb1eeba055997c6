"""Parameters of the walk by splines, and a set of them for any robot."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from humanoid_description import Robot, RobotError
from humanoid_gait.leg_ik import leg_of


@dataclass(frozen=True)
class SplineParameters:
    """Parameters of the walk; T_c and the like are those of seed 002, Table 2."""

    period: float
    """T_c: duration of a step, s."""
    double_support: float
    """T_d, s."""
    highest: float
    """T_m, s after the beginning of the step."""
    toe_off: float
    """q_b of the longest step, rad; shorter ones have less."""
    heel_strike: float
    """q_f of the longest step, rad."""
    share_at_highest: float
    """L_ao over the way of the foot."""
    lift: float
    """Of the foot at T_m, m."""
    hip_low: float
    """H_hmin, m."""
    hip_high: float
    """H_hmax, m."""
    hip_ahead: float
    """Of the middle between the ankles, m."""
    stance: float
    """Between the ankles sideways, m."""
    starting: float
    """Before the first step and after the last one, s."""
    max_step: float
    """Longest step forward or back, m."""
    max_side_step: float
    """Longest step sideways, m."""
    max_turn: float
    """Greatest turn of a step, rad."""

    def __post_init__(self) -> None:
        """Refuse what cannot be a walk."""
        values = tuple(self.__dict__.values())
        if not np.isfinite(values).all() or not 0 < self.double_support < self.highest < self.period:
            raise RobotError(f"{self}: all must be finite, with 0 < double_support < highest < period.")
        if min(self.hip_low, self.hip_high, self.stance, self.starting, self.max_step, self.max_side_step) <= 0:
            raise RobotError(f"{self}: hip heights, stance, starting and greatest steps must be above zero.")


def default_parameters(robot: Robot) -> SplineParameters:
    """A slow and flat walk that suits a robot's legs."""
    leg, foot = leg_of(robot, "left"), robot.parameters.feet["left"]
    length = leg.thigh + leg.shank
    middle = 0.5 * (foot.front - foot.rear)
    com = robot.com_in_base(robot.parameters.stand)[0] - leg.hip_in_base[0]
    return SplineParameters(
        period=0.5,
        double_support=0.1,
        highest=0.25,
        toe_off=0.0,
        heel_strike=0.0,
        share_at_highest=0.5,
        lift=0.12 * length,
        hip_low=foot.depth + 0.92 * length,
        hip_high=foot.depth + 0.92 * length,
        hip_ahead=middle - float(com),
        stance=float(2 * abs(leg.hip_in_base[1])),
        starting=0.5,
        max_step=0.25 * length,
        max_side_step=0.12 * length,
        max_turn=0.2,
    )
