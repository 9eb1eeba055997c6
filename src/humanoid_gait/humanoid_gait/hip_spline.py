"""Way of the hips over the feet: seed 002, constraints 7 and 8, in the plane.

In a step the foot A swings, S carries, and B is where A lands. Eq 8 says where the hips are on the way: a distance x_ed
in front of A when the step begins, x_sd behind S when A leaves the ground, x_ed in front of S when it lands. Here that
is a share of the way from foot to foot, one forward and one sideways, so that it also holds for side-steps and turns.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import BSpline

from humanoid_description.inertial import GRAVITY
from humanoid_gait.foot_spline import Footprint
from humanoid_gait.smooth_spline import smooth_spline

Array = NDArray[np.float64]


@dataclass(frozen=True)
class HipShape:
    """How the hips move."""

    forward_share: float
    """x_ed and x_sd over the length of a step."""
    side_share: float
    """The same sideways."""
    lowest: float
    """H_hmin: in the middle of double support, above the ground, m."""
    highest: float
    """H_hmax: in the middle of single support, above the ground, m."""


def pendulum_shares(com_height: float, double_support: float, single_support: float) -> tuple[float, float]:
    """Forward and sideways shares of eq 8, which the paper leaves open, of a linear inverted pendulum.

    Over the carrying foot the pendulum of height z passes with the speed w d / tanh(w T/2) at the distance d forward,
    and swings back at the distance d sideways with w d tanh(w T/2), where w^2 = g/z; with that speed it crosses the
    rest of the step in double support.
    """
    w = math.sqrt(GRAVITY / com_height)
    bend = math.tanh(w * single_support / 2)
    return 1 / (2 + w * double_support / bend), 1 / (2 + w * double_support * bend)


@dataclass(frozen=True)
class StepTimes:
    """When a step begins (s) and how long its two phases last (s)."""

    begins: float
    double_support: float
    single_support: float

    @property
    def ends(self) -> float:
        """When the foot lands, s."""
        return self.begins + self.double_support + self.single_support


@dataclass(frozen=True)
class PlannedStep:
    """The feet of one step."""

    swinging: Footprint
    """A: where the foot comes from that swings."""
    carrying: Footprint
    """S."""
    landing: Footprint
    """B."""
    times: StepTimes


@dataclass(frozen=True)
class HipState:
    """Place of the hips with its derivatives: rows m, m/s, m/s^2."""

    xy: Array
    z: Array


@dataclass(frozen=True)
class HipWay:
    """Way of the middle between the hips over time (s, of the walk)."""

    xy: BSpline
    z: BSpline

    def state(self, time: float) -> HipState:
        """Place with its derivatives at a time (s)."""
        return HipState(*(np.array([way(time, order) for order in range(3)]) for way in (self.xy, self.z)))


def resting(shape: HipShape, left: Footprint, right: Footprint) -> HipState:
    """The hips at rest in the middle between two feet."""
    x, y, height = 0.5 * (left.x + right.x), 0.5 * (left.y + right.y), 0.5 * (left.height + right.height)
    return HipState(np.array([[x, y], [0, 0], [0, 0]]), np.array([height + shape.lowest, 0, 0]))


def hip_way(shape: HipShape, state: HipState, steps: Sequence[PlannedStep], settling: float) -> HipWay:
    """Way from a state through the steps to rest between the last feet, which takes a further time (s)."""
    first, last = steps[0], steps[-1]
    rest, end = resting(shape, last.carrying, last.landing), last.times.ends + settling
    xy: list[tuple[float, Array]] = [(first.times.begins, state.xy[0])]
    z: list[tuple[float, float]] = [(first.times.begins, float(state.z[0]))]
    for step in steps:
        begins, leaves, ends = step.times.begins, step.times.begins + step.times.double_support, step.times.ends
        xy.append((leaves, _beside(shape, step.carrying, step.swinging)))
        xy.append((ends, _beside(shape, step.carrying, step.landing)))
        low = 0.5 * (step.swinging.height + step.carrying.height) + shape.lowest
        z.append((0.5 * (begins + leaves), low))
        z.append((0.5 * (leaves + ends), step.carrying.height + shape.highest))
    xy.append((end, rest.xy[0]))
    z.append((end, float(rest.z[0])))
    return HipWay(
        xy=smooth_spline([time for time, _ in xy], [place for _, place in xy], (state.xy[1], state.xy[2])),
        z=smooth_spline([time for time, _ in z], [height for _, height in z], (state.z[1], state.z[2])),
    )


def _beside(shape: HipShape, foot: Footprint, other: Footprint) -> Array:
    """Place (m) of the hips near a foot, on the way to or from the other (eq 8)."""
    yaw = 0.5 * (foot.yaw + other.yaw)
    forward, left = np.array([math.cos(yaw), math.sin(yaw)]), np.array([-math.sin(yaw), math.cos(yaw)])
    place = np.array([foot.x, foot.y])
    way = np.array([other.x, other.y]) - place
    place += shape.forward_share * (way @ forward) * forward + shape.side_share * (way @ left) * left
    return place
