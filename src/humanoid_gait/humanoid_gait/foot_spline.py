"""Way of a foot during its step: seed 002, constraints 1-6, for any place, heading, height and slope of the ground."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import BSpline

from humanoid_description.parameters import Foot
from humanoid_gait.smooth_spline import smooth_spline

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Footprint:
    """A sole flat on the ground."""

    x: float
    """Of the sole's point below the ankle, m."""
    y: float
    """Likewise, m."""
    yaw: float
    """Heading, rad."""
    height: float = 0.0
    """h: of the ground there, m."""
    slope: float = 0.0
    """q: pitch of the ground along the heading, rad; positive downhill."""

    @property
    def forward(self) -> Array:
        """Unit vector of the heading."""
        return np.array([np.cos(self.yaw), np.sin(self.yaw)])


@dataclass(frozen=True)
class SwingShape:
    """How a foot swings: the parameters of constraints 1-3, times from the start of the step."""

    double_support: float
    """T_d: the foot only rolls over its toe until then, s."""
    highest: float
    """T_m: the foot is at its highest, s."""
    landing: float
    """T_c: the heel touches the ground, s; the sole T_d later."""
    toe_off: float
    """q_b: pitch over the ground's at T_d, rad."""
    heel_strike: float
    """q_f: backward pitch against the ground's at T_c, rad."""
    share_at_highest: float
    """L_ao over the way of the foot."""
    lift: float
    """Of the ankle at T_m above where it stands on the higher ground, m."""


@dataclass(frozen=True)
class Swing:
    """A foot's way over time (s, of the walk)."""

    ankle: BSpline
    """x, y, z of the ankle, m."""
    pitch: BSpline
    """rad."""
    yaw: BSpline
    """rad."""


def swing(foot: Foot, shape: SwingShape, start: Footprint, end: Footprint, begins: float) -> Swing:
    """Way of a foot from one print to another in a step that begins at a time (s).

    Position and attitude have continuous acceleration and are at rest at both ends.
    """
    leaves, top, lands = begins + shape.double_support, begins + shape.highest, begins + shape.landing
    stands = lands + shape.double_support
    up_pitch, down_pitch = start.slope + shape.toe_off, end.slope - shape.heel_strike
    ankles = [
        standing_ankle(foot, start),
        _rolled_ankle(foot, start, foot.front, up_pitch),
        _top(foot, shape, start, end),
        _rolled_ankle(foot, end, -foot.rear, down_pitch),
        standing_ankle(foot, end),
    ]
    return Swing(
        ankle=smooth_spline([begins, leaves, top, lands, stands], ankles),
        pitch=smooth_spline([begins, leaves, lands, stands], [start.slope, up_pitch, down_pitch, end.slope]),
        yaw=smooth_spline([leaves, lands], [start.yaw, end.yaw]),
    )


def standing_ankle(foot: Foot, print_: Footprint) -> Array:
    """Place of the ankle (m) above a sole that is flat on the ground (eqs 2 and 3, first and last line)."""
    return _rolled_ankle(foot, print_, 0.0, print_.slope)


def _rolled_ankle(foot: Foot, print_: Footprint, edge: float, pitch: float) -> Array:
    """Place of the ankle (m) when the foot has rolled to a pitch (rad) about an edge this far (m) in front of it.

    On level ground eqs 2 and 3, second line for the toe and fourth for the heel.
    """
    along = edge * np.cos(print_.slope) - edge * np.cos(pitch) + foot.depth * np.sin(pitch)
    z = print_.height - edge * np.sin(print_.slope) + edge * np.sin(pitch) + foot.depth * np.cos(pitch)
    x, y = np.array([print_.x, print_.y]) + along * print_.forward
    return np.array([x, y, z])


def _top(foot: Foot, shape: SwingShape, start: Footprint, end: Footprint) -> Array:
    share = shape.share_at_highest
    x, y = start.x + share * (end.x - start.x), start.y + share * (end.y - start.y)
    return np.array([x, y, max(start.height, end.height) + foot.depth + shape.lift])
