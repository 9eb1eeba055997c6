"""From a plan of feet and centre of mass to joint angles and the torques that hold them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from humanoid_description import Robot
from humanoid_description.inertial import GRAVITY
from humanoid_gait.ankle_strategy import pressed
from humanoid_gait.leg_ik import leg_of, solve
from humanoid_gait.pattern import SIDES, SIGN, Planned
from humanoid_gait.whole_body import WholeBody

Array = NDArray[np.float64]
UPRIGHT = dict.fromkeys(SIDES, np.eye(3))
SETTLE = 20
"""Times to place the legs until the centre of mass, which depends on them, is where it shall be."""


@dataclass(frozen=True)
class Placed:
    """Joints for one instant of a plan, in the order of Robot.joint_names."""

    position: Array
    """rad."""
    torque: Array
    """That holds the posture against gravity, N m."""
    reachable: bool
    """Whether both feet were within the legs' reach."""
    base: Array
    """Place of the base in the plan's frame, m."""
    R_plan_base: Array


class LegPlacer:
    """Places the legs of a robot whose torso keeps its height and lean; arms and head stay as they stand."""

    def __init__(self, robot: Robot, hip_height: float, torso_pitch: float) -> None:
        """For a robot with its hips at a height (m) above the ankles and its torso leaning forward (rad)."""
        self._body = WholeBody(robot)
        self._legs = {side: leg_of(robot, side) for side in SIDES}
        self.columns = {
            side: [robot.joint_names.index(name) for name in leg.joint_names] for side, leg in self._legs.items()
        }
        """Where each leg's joints are, from the hip down."""
        self._soles = robot.parameters.feet
        self._depth = {side: self._soles[side].depth for side in SIDES}
        self._stand = np.array([robot.parameters.stand.get(name, 0.0) for name in robot.joint_names])
        self.R_level_torso = np.array(
            [
                [math.cos(torso_pitch), 0.0, math.sin(torso_pitch)],
                [0.0, 1.0, 0.0],
                [-math.sin(torso_pitch), 0.0, math.cos(torso_pitch)],
            ]
        )
        self._base_height = (
            hip_height + self._depth["left"] - float((self.R_level_torso @ self._legs["left"].hip_in_base)[2])
        )
        self._weight = robot.mass * GRAVITY
        self._com_in_base = np.zeros(3)

    def standing(self, stance: float) -> Array:
        """Joint angles (rad) of a robot that stands with its feet that far apart (m)."""
        feet = {side: np.array([0.0, 0.5 * SIGN[side] * stance, 0.0]) for side in SIDES}
        for _ in range(SETTLE):
            joints, *_ = self._solve(feet, dict.fromkeys(SIDES, 0.0), 0.0, np.zeros(2), "left", UPRIGHT)
        return joints

    def com_height(self, stance: float) -> float:
        """Of the centre of mass above ground (m) when the robot stands with its feet that far apart (m)."""
        self.standing(stance)
        return float((self.R_level_torso @ self._com_in_base)[2] + self._base_height)

    def _solve(
        self,
        feet: Mapping[str, Array],
        heights: Mapping[str, float],
        heading: float,
        com: Array,
        support: str,
        R_plan_tilted: Mapping[str, Array],
    ) -> tuple[Array, Array, Array, bool]:
        R_plan_base = _about_z(heading) @ self.R_level_torso
        # The posture of the tick before tells where the centre of mass is in it; it hardly moves within a tick.
        base = np.array([*com, 0.0]) - R_plan_base @ self._com_in_base
        base[2] = self._base_height
        joints, reachable = self._stand.copy(), True
        pivot = np.array([*feet[support][:2], 0.0])
        for side, leg in self._legs.items():
            ankle = np.array([feet[side][0], feet[side][1], self._depth[side] + heights[side]])
            R_tilted_plan = R_plan_tilted[side].T
            ankle = pivot + R_tilted_plan @ (ankle - pivot)
            R_plan_foot = R_tilted_plan @ _about_z(feet[side][2])
            angles, within = solve(leg, R_plan_base.T @ (ankle - base), R_plan_base.T @ R_plan_foot)
            joints[self.columns[side]] = angles
            reachable = reachable and bool(within)
        self._body.move(joints)
        self._com_in_base = self._body.com
        return joints, base, R_plan_base, reachable

    def place(
        self,
        planned: Planned,
        zmp_in_foot: Array,
        R_plan_tilted: Mapping[str, Array] | None = None,
        zmp_shift: Array | None = None,
    ) -> Placed:
        """Joints for an instant of a plan.

        Args:
            planned: Feet, load and centre of mass.
            zmp_in_foot: Where the left foot is pressed, forward and left of its ankle, m; the right one's is mirrored.
            R_plan_tilted: Tilt of the robot about its supporting foot that each foot shall make up for.
            zmp_shift: By how much the ground shall be pressed elsewhere, forward and left, m.
        """
        joints, base, R_plan_base, reachable = self._solve(
            planned.feet, planned.heights, planned.heading, planned.com, planned.support, R_plan_tilted or UPRIGHT
        )
        shift = np.zeros(2) if zmp_shift is None else zmp_shift
        forces = {
            side: (share * self._weight, R_plan_base.T @ (np.array([*point, 0.0]) - base))
            for side, (share, point) in pressed(planned, zmp_in_foot, shift, self._soles).items()
        }
        torque = self._body.holding_torque(forces, R_plan_base[2])
        return Placed(joints, torque, reachable, base, R_plan_base)


def _about_z(angle: float) -> Array:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
