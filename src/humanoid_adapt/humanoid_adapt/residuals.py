"""How well models predict what was measured, test by test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from humanoid_adapt.belief import Layout
from humanoid_adapt.inertial_regressor import WrenchRows
from humanoid_adapt.limbs import ramp_vector
from humanoid_adapt.tip import EARLY, Tip
from humanoid_adapt.tipping import Tipping
from humanoid_description import Inertial, Robot
from humanoid_description.inertial import GRAVITY

Array = NDArray[np.float64]


@dataclass(frozen=True)
class TestResidual:
    """How one test fits."""

    __test__ = False  # not a test of pytest's

    name: str
    tip_deg: float
    """Measured: angle of the ankles at the tip, towards the fall, degrees; 0 for a test without a fall."""
    before_deg: float
    """What the model before predicts for it less what was measured, degrees."""
    after_deg: float
    """The same for the adapted model."""
    score: float
    """Standard deviations by which it differs from what the other tests say."""


def tip_residuals(
    before: Robot, after: Mapping[str, Inertial], tips: Sequence[Tip], scores: Array
) -> tuple[TestResidual, ...]:
    """How two models predict tests: the one before, and one with other inertials."""
    tipping = Tipping(before)
    models = [_first_moments(inertials) for inertials in (before.inertials, after)]
    found = []
    for tip, score in zip(tips, scores, strict=True):
        if not tip.test.falls:
            off = [_lean_of_pressure(tipping, tip, *model) for model in models]
            found.append(TestResidual(tip.test.name, 0.0, off[0], off[1], float(score)))
            continue
        row = tipping.row(tip.test, tip.angles)
        ramp = ramp_vector(before, tip.test.support_feet, tip.test.direction)
        travel = float(row.joints @ ramp) / before.mass
        off = [
            -float(np.degrees((row.value(masses, moments) / masses.sum() + EARLY[tip.test.support]) / travel))
            for masses, moments in models
        ]
        reached = float(np.degrees(tip.angles @ ramp / (ramp @ ramp)))
        found.append(TestResidual(tip.test.name, reached, off[0], off[1], float(score)))
    return tuple(found)


def _first_moments(inertials: Mapping[str, Inertial]) -> tuple[Array, Array]:
    masses = np.array([body.mass for body in inertials.values()])
    return masses, masses[:, None] * [body.com_in_link for body in inertials.values()]


def motion_residual(before: Robot, after: Robot, layout: Layout, moved: WrenchRows) -> TestResidual:
    """How far off the pressure under a motion the centre of mass of each model is, as the angle that it seems under."""
    tilting = np.arange(len(moved.values)) % 6 // 3 == 1
    off = []
    for robot in (before, after):
        masses, moments = _first_moments(robot.inertials)
        own = np.zeros(layout.size)
        own[layout.masses], own[layout.moments] = masses, moments.ravel()
        miss = (moved.values - moved.rows @ own)[tilting].reshape(-1, 3)[:, :2]
        arm = float(np.sqrt(np.mean(np.sum(miss**2, axis=1)))) / (robot.mass * GRAVITY)
        off.append(float(np.degrees(arm / moved.height)))
    return TestResidual(moved.name, 0.0, off[0], off[1], 0.0)


def _lean_of_pressure(tipping: Tipping, tip: Tip, masses: Array, moments: Array) -> float:
    """Angle by which a model's centre of mass is off the pressure under a robot that did not fall, degrees."""
    assert tip.cop is not None
    seen = []
    for side, point in tip.cop.points.items():
        frame = tipping.frames[side]
        rotations, origins = frame.link_poses(tip.angles)
        com = (np.einsum("nij,nj->i", rotations, moments) + masses @ origins) / masses.sum()
        seen.append((com[:2] - point) / (com[2] + frame.foot.depth))
    return float(np.degrees(np.linalg.norm(np.mean(seen, axis=0))))
