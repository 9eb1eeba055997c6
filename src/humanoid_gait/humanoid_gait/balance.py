"""Feedback that keeps a walk upright: the error of the DCM displaces the next step.

Only what is not usual does (see habit.py). Displacements that go the same way step after step would let it drift:
their mean is taken out as well.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from humanoid_description import Robot
from humanoid_gait.gait_parameters import GaitParameters
from humanoid_gait.habit import LEARNING, Habit
from humanoid_gait.leg_ik import leg_of
from humanoid_gait.pattern import SIDES, SIGN, WALKING, Planned
from humanoid_gait.planar_pose import turned
from humanoid_gait.whole_body import WholeBody

Array = NDArray[np.float64]
VELOCITY_BLEND = 0.3
"""Share of the newest difference quotient in the measured velocity; the rest is what it was."""
UNUSUAL = 0.015
"""m: an error that differs more from the expected one is a disturbance, and nothing is learned from it."""
IGNORED = 0.004
"""m of unexpected error that is left to the servos."""
ACTING = (0.15, 0.7)
"""Shares of a step's time, before its end, between which the landing is displaced: before, the landing of the other
foot shakes the measurement, after, the foot could not follow."""
FARTHEST = 0.5
"""Displacement of a landing over the leg's length, at most, forwards, backwards and outwards."""
STAND_LEARNING = 0.02
"""Share of a tick's error that a standing robot takes for its usual one."""
CATCH_SHARE = 0.6
"""Share of the way to the sole's end at which a standing robot steps."""
CALM_STEPS = 8
"""Steps in place after a robot was pushed out of its stand."""


class Balance:
    """Compares the robot with its plan; vectors of two are forward and sideways, seen from the supporting foot, m."""

    def __init__(self, robot: Robot, gait: GaitParameters, omega: float, dt: float) -> None:
        self._body = WholeBody(robot)
        self._gait, self._omega, self._dt = gait, omega, dt
        self._foot = robot.parameters.feet["left"]
        leg = leg_of(robot, "left")
        self._farthest = FARTHEST * (leg.thigh + leg.shank)
        # How far a foot may come towards the other one: until they nearly meet.
        self._inward = max(0.0, 0.5 * (gait.stance - 2 * self._foot.right))
        self._com_in_foot: dict[str, Array] = {}
        self._velocity, self._side = np.zeros(2), ""
        self._usual_error = Habit(gait.step_time, dt, np.array([1.0, -1.0]), UNUSUAL)
        self._stands, self._stood = False, np.zeros(2)
        self._displaced = self._acting = self._bias = np.zeros(2)
        self.error = np.zeros(2)
        """By how much the robot's DCM is beside the planned one."""

    def measure(self, joints: Array, R_level_base: Array, planned: Planned) -> None:
        """Compare joint angles (rad) and attitude with the plan of the same instant."""
        self._body.move(joints)
        com = R_level_base @ self._body.com
        seen = {}
        for side in SIDES:
            place, R_base_foot = self._body.foot(side)
            toe = R_level_base @ R_base_foot[:, 0]
            seen[side] = turned(com[:2] - (R_level_base @ place)[:2], -math.atan2(toe[1], toe[0]))
        side = planned.support
        if self._com_in_foot:
            velocity = (seen[side] - self._com_in_foot[side]) / self._dt
            blend = VELOCITY_BLEND if side == self._side else 1.0
            self._velocity = self._velocity + blend * (velocity - self._velocity)
            x, y, yaw = planned.feet[side]
            wanted = turned(planned.dcm - np.array([x, y]), -yaw)
            self.error = seen[side] + self._velocity / self._omega - wanted
        self._com_in_foot, self._side = seen, side

    def landing_displacement(self, planned: Planned, catching: bool) -> Array:
        """By how much the swinging foot shall land beside its planned place.

        Args:
            planned: The plan of this instant.
            catching: The robot was pushed out of its stand: what is usual is how it stood.

        Returns:
            x and y in the plan's frame, m.
        """
        if planned.phase != WALKING or not self._gait.placement:
            return np.zeros(2)
        share = planned.remaining / self._gait.step_time
        if share > ACTING[1] and self._displaced.any():
            if not catching:
                self._bias = self._bias + LEARNING * (np.clip(self._acting, -UNUSUAL, UNUSUAL) - self._bias)
            self._displaced = np.zeros(2)
        if catching:
            unexpected, bias = self.error - self._stood, np.zeros(2)
        else:
            unexpected = self._usual_error.unexpected(planned.remaining, planned.support, self.error)
            bias = self._bias
        if ACTING[0] <= share <= ACTING[1]:
            self._acting = unexpected
            surprise = unexpected - bias
            surprise = np.sign(surprise) * np.maximum(0.0, np.abs(surprise) - IGNORED)
            # Until the landing the error grows as the DCM does.
            landing = self._gait.placement * math.exp(self._omega * planned.remaining) * surprise
            # Seen from the left foot, and mirrored from the right, the other foot is at negative y.
            mirror = np.array([1.0, SIGN[planned.support]])
            landing = mirror * np.clip(mirror * landing, -self._farthest, [self._farthest, self._inward])
            self._displaced = turned(landing, planned.feet[planned.support][2])
        return self._displaced

    def step_to_catch(self, planned: Planned) -> tuple[Array, str] | None:
        """For a robot that stands: error of the DCM (m, in the plan's frame) and the foot to step with, if it must."""
        if not self._stands:
            self._stands, self._stood = True, self.error
        unexpected = self.error - self._stood
        self._stood = self._stood + STAND_LEARNING * np.clip(unexpected, -IGNORED, IGNORED)
        # To the side the feet are far enough apart to hold without a step; there one would come too late.
        to_front = self._foot.front - self._gait.zmp_forward
        to_rear = self._foot.rear + self._gait.zmp_forward
        if -CATCH_SHARE * to_rear < unexpected[0] < CATCH_SHARE * to_front:
            return None
        swing = "left" if unexpected[1] > 0 else "right"
        return turned(unexpected, planned.feet[planned.support][2]), swing

    def forget_stand(self) -> None:
        """The robot has stepped: it will stand differently."""
        self._stands = False
