"""Feet that land flat and at their height although the torso tilts.

Legs are placed for a torso that leans as planned. A robot that was pushed tilts about its supporting foot: its swinging
foot would come down too early and on its toe or side. So it is turned about the supporting foot against the tilt. Once
it carries, that is let go of gradually, which brings the torso upright again. A robot that tilts backward comes down on
its heel, which brakes it better than a flat foot does: there nothing is turned, unless it must step backward out of its
stand, where a dragging heel would hold the foot back.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import mujoco
import numpy as np
from numpy.typing import NDArray

from humanoid_gait.leg_placer import UPRIGHT
from humanoid_gait.pattern import SIDES, WALKING, Planned
from humanoid_gait.planar_pose import turned

Array = NDArray[np.float64]
USUAL = math.radians(5)
"""Tilt that a walk has anyway; only what is beyond counts."""
LETTING_GO = 0.15
"""s in which a foot that carries goes back to its planned attitude."""


class FlatLanding:
    """Remembers for each foot against which tilt it is turned."""

    def __init__(self, R_level_planned: Array) -> None:
        """For a torso that shall have this attitude, apart from its heading."""
        self._R_planned_level = R_level_planned.T
        self._tilts = {side: np.zeros(3) for side in SIDES}

    def update(self, planned: Planned, R_level_base: Array, dt: float, catching: bool) -> Mapping[str, Array]:
        """R_plan_tilted of each foot.

        Args:
            planned: The plan of this instant.
            R_level_base: The torso's measured attitude.
            dt: Since the last, s.
            catching: The robot was pushed out of its stand.
        """
        kept = math.exp(-dt / LETTING_GO)
        for side in SIDES:
            swings = planned.phase == WALKING and planned.load[side] == 0.0
            self._tilts[side] = self._tilt(R_level_base, catching) if swings else kept * self._tilts[side]
        if not any(tilt.any() for tilt in self._tilts.values()):
            return UPRIGHT
        return {side: _turn(tilt, planned.heading) for side, tilt in self._tilts.items()}

    def _tilt(self, R_level_base: Array, catching: bool) -> Array:
        R_planned_base = R_level_base @ self._R_planned_level
        if np.trace(R_planned_base) >= 1.0 + 2.0 * math.cos(USUAL):
            return np.zeros(3)  # as nearly always
        quaternion, tilt = np.zeros(4), np.zeros(3)
        mujoco.mju_mat2Quat(quaternion, R_planned_base.ravel())
        mujoco.mju_quat2Vel(tilt, quaternion, 1.0)
        if not catching:
            tilt[1] = max(0.0, tilt[1])  # forward
        angle = float(np.linalg.norm(tilt))
        return tilt * max(0.0, 1.0 - USUAL / angle) if angle > 0.0 else tilt


def _turn(tilt: Array, heading: float) -> Array:
    """Rotation by a vector of angles (rad) whose axes have this heading (rad)."""
    angle = float(np.linalg.norm(tilt))
    if angle == 0.0:
        return np.eye(3)
    quaternion, R = np.zeros(4), np.zeros(9)
    mujoco.mju_axisAngle2Quat(quaternion, np.array([*turned(tilt[:2], heading), tilt[2]]) / angle, angle)
    mujoco.mju_quat2Mat(R, quaternion)
    return R.reshape(3, 3)
