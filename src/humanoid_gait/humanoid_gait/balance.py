"""Feedback that keeps a walk upright: the error of the DCM shifts the zero moment point and displaces the next step.

Only what is not usual does (see habit.py). Displacements that go the same way step after step would let it drift:
their mean is taken out as well.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from humanoid_description import Robot
from humanoid_gait.com_velocity import ComVelocity
from humanoid_gait.gait_parameters import GaitParameters
from humanoid_gait.habit import LEARNING, Habit
from humanoid_gait.leg_ik import leg_of
from humanoid_gait.pattern import SIDES, SIGN, WALKING, Planned
from humanoid_gait.planar_pose import turned
from humanoid_gait.whole_body import WholeBody

Array = NDArray[np.float64]
UNUSUAL = 0.015
"""m: an error that differs more from the expected one is a disturbance, and nothing is learned from it."""
IGNORED = 0.004
"""m of unexpected error that is left to the servos."""
ACTING = (0.15, 0.7)
"""Shares of a step's time, before its end, between which the landing is displaced: before, the landing of the other
foot shakes the measurement, after, the foot could not follow."""
FARTHEST = 0.4
"""Displacement of a landing over the leg's length, at most, forwards, backwards and outwards."""
STAND_LEARNING = 0.02
"""Share of a tick's error that a standing robot takes for its usual one."""
CATCH_SHARE = (0.6, 0.9)
"""Shares of the way to the sole's front and rear end at which a standing robot steps: backward, where its heels hold it
long and a foot that swings drags its own, only when nothing else is left."""
ANKLES = 1.0
"""Shift of the zero moment point over the DCM's unexpected error: the least that keeps it from growing."""
UNSAFE = 0.5
"""Displacement of a landing, over the farthest, that a walk has only after a hard push."""


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
        self._velocity, self._side = ComVelocity(), ""
        self._usual_error = Habit(gait.step_time, dt, np.array([1.0, -1.0]), UNUSUAL)
        self._stands, self._stood = False, np.zeros(2)
        self._displaced = self._acting = self._bias = self._surprise = np.zeros(2)
        self.unsafe = False
        """Whether the last landing was displaced far."""
        self.error = np.zeros(2)
        """By how much the robot's DCM is beside the planned one."""

    def measure(self, joints: Array, R_level_base: Array, acceleration_in_base: Array, planned: Planned) -> None:
        """Compare joint angles (rad), attitude and acceleration (m/s^2) with the plan of the same instant."""
        self._body.move(joints)
        com = R_level_base @ self._body.com
        acceleration = R_level_base @ acceleration_in_base
        seen, yaws = {}, {}
        for side in SIDES:
            place, R_base_foot = self._body.foot(side)
            toe = R_level_base @ R_base_foot[:, 0]
            yaws[side] = math.atan2(toe[1], toe[0])
            seen[side] = turned(com[:2] - (R_level_base @ place)[:2], -yaws[side])
        side = planned.support
        if self._com_in_foot:
            legs = (seen[side] - self._com_in_foot[side]) / self._dt
            felt = turned(acceleration[:2], -yaws[side])
            velocity = self._velocity.update(legs, felt, self._dt, side != self._side)
            x, y, yaw = planned.feet[side]
            wanted = turned(planned.dcm - np.array([x, y]), -yaw)
            self.error = seen[side] + velocity / self._omega - wanted
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
        self._surprise = _beyond_ignored(unexpected - bias)
        if ACTING[0] <= share <= ACTING[1]:
            self._acting = unexpected
            # Until the landing the error grows as the DCM does.
            landing = self._gait.placement * math.exp(self._omega * planned.remaining) * self._surprise
            # Seen from the left foot, and mirrored from the right, the other foot is at negative y.
            mirror = np.array([1.0, SIGN[planned.support]])
            landing = mirror * np.clip(mirror * landing, -self._farthest, [self._farthest, self._inward])
            self._displaced = turned(landing, planned.feet[planned.support][2])
            self.unsafe = bool(np.abs(landing).max() > UNSAFE * self._farthest)
        return self._displaced

    def zmp_shift(self, planned: Planned) -> Array:
        """By how much the ground shall be pressed elsewhere than usual."""
        if not self._gait.placement:
            return np.zeros(2)
        if planned.phase == WALKING:
            return ANKLES * self._surprise + turned(planned.zmp_shift, -planned.feet[planned.support][2])
        return ANKLES * _beyond_ignored(self.error - self._stood) if self._stands else np.zeros(2)

    def step_to_catch(self, planned: Planned) -> tuple[Array, str, Array] | None:
        """For a robot that stands: what WalkPattern.catch needs, if it must step."""
        if not self._stands:
            self._stands, self._stood = True, self.error
        unexpected = self.error - self._stood
        self._stood = self._stood + STAND_LEARNING * np.clip(unexpected, -IGNORED, IGNORED)
        # To the side the feet are far enough apart to hold without a step; there one would come too late.
        to_front = self._foot.front - self._gait.zmp_forward
        to_rear = self._foot.rear + self._gait.zmp_forward
        front, rear = CATCH_SHARE
        if -rear * to_rear < unexpected[0] < front * to_front:
            return None
        swing = "left" if unexpected[1] > 0 else "right"
        room = np.array([to_front if unexpected[0] > 0 else to_rear, self._foot.left + self._gait.zmp_inward])
        return turned(unexpected, planned.feet[planned.support][2]), swing, room

    def forget_stand(self) -> None:
        """The robot has stepped: it will stand differently."""
        self._stands = False


def _beyond_ignored(error: Array) -> Array:
    return np.asarray(np.sign(error) * np.maximum(0.0, np.abs(error) - IGNORED))
