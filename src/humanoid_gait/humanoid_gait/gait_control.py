"""When a robot may walk: from switched off to standing ready, walking on command, and still when something is wrong."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from humanoid_description import Robot, RobotError
from humanoid_description.follower import TrajectoryFollower
from humanoid_description.inertial import GRAVITY
from humanoid_description.interpolation import reference_limits
from humanoid_gait.gait_parameters import GaitParameters
from humanoid_gait.motion_file import load_motion, motion_names
from humanoid_gait.walker import CONTROL_PERIOD, Command, Sensed, Walker

Array = NDArray[np.float64]
OFF, GETTING_UP, RISING, READY, FALLEN = "off", "getting up", "rising", "ready", "fallen"
RISE_SPEED = 0.5
"""rad/s with which the joints go to the stance, on average."""
SHORTEST_RISE = 0.1
"""s, also when the robot is in its stance already."""
COMMAND_TIMEOUT = 0.5
"""s after which a velocity that is not repeated no longer holds."""
LONGEST_SILENCE = 0.2
"""s without joint states after which the robot is taken to be gone; likewise a single servo, or the IMU."""
UPRIGHT = 0.8
"""Share of gravity along the torso that a robot must feel to rise from where it is."""
LYING = 0.7
"""Share of gravity across the torso that a robot feels when it lies on its front or back."""
SETTLING = 0.5
"""s after getting up until the robot is asked whether it stands."""


class GaitControl:
    """Turns what a robot feels into commands; nothing is commanded before it is switched on."""

    def __init__(self, robot: Robot, gait: GaitParameters | None = None, period: float = CONTROL_PERIOD) -> None:
        """For a robot whose joint states come with this period (s)."""
        self._robot, self._gait, self._period = robot, gait, period
        self.walker = Walker(robot, gait, period=period)
        self.state = OFF
        self.reason = "switched off"
        # Walker has seen to it that the IMU does not move against the torso.
        self._R_base_imu = robot.poses({})[robot.parameters.imu.link][:3, :3]
        self._asked = False
        self._now = -math.inf
        self._told_at = -math.inf
        self._origin = self._stance = np.zeros(robot.dof)
        self._rise_began = self._rise_time = self._up_at = 0.0
        self._follower = TrajectoryFollower(robot.joint_names, self._origin)

    def switch(self, on: bool) -> str:
        """Let the robot stand ready to walk, or stop on both feet and be switched off; returns what will happen."""
        self._asked = on
        if not on:
            self.walker.walk((0.0, 0.0, 0.0))
            return "stops on both feet, then holds" if self.state == READY else "is off"
        return (
            "gets up, rises to its stance, then waits for velocities"
            if self.state in (OFF, FALLEN)
            else "is on already"
        )

    def command(self, velocity: Sequence[float], now: float) -> None:
        """Take a velocity (m/s, m/s, rad/s), given at a time (s); RobotError if it is none."""
        self.walker.walk(velocity)
        self._told_at = now

    def adapt(self, robot: Robot) -> None:
        """Plan from another model of the robot."""
        self.walker.adapt(robot)
        self._robot = robot

    def update(self, now: float, sensed: Sensed) -> Command | None:
        """What to command at a time (s) when this is felt; None for nothing."""
        silent, self._now = now - self._now, now
        if self.state in (GETTING_UP, RISING, READY) and not 0.0 <= silent < LONGEST_SILENCE:
            self._switch_off(OFF, f"joint states were silent for {silent:.2f} s, or time went back")
        if self.state in (OFF, FALLEN):
            if self._asked:
                self._begin(sensed)
            return None
        if self.state == GETTING_UP:
            return self._getting_up(now, sensed)
        if self.state == RISING:
            return self._rising(now)
        return self._walk(now, max(1, round(silent / self._period)), sensed)

    def halt(self, reason: str) -> None:
        """Command nothing more, whatever was asked for: the robot cannot be felt, or was stopped by somebody else."""
        self._switch_off(FALLEN if self.state == FALLEN else OFF, reason)

    def _pull_in_base(self, sensed: Sensed) -> Array:
        """Acceleration that is felt, in the torso's axes, over that of gravity."""
        return np.asarray(self._R_base_imu @ sensed.linear_acceleration / GRAVITY)

    def _switch_off(self, state: str, reason: str) -> None:
        self.state, self.reason, self._asked = state, reason, False

    def _begin(self, sensed: Sensed) -> None:
        """Rise, or get up first if the robot knows how to from where it lies."""
        forward, _, upward = self._pull_in_base(sensed)
        if upward >= UPRIGHT:
            self._rise(sensed)
            return
        name = "stand_up_from_back" if forward > LYING else "stand_up_from_front" if forward < -LYING else ""
        if name not in motion_names(self._robot):
            self._switch_off(self.state, "not upright: set the robot on its feet")
            return
        motion = load_motion(self._robot, name)
        limits = reference_limits(self._robot.parameters)
        self._follower = TrajectoryFollower(
            self._robot.joint_names, sensed.joint_position, motion.interpolation, limits
        )
        self._follower.follow(motion.trajectory, self._now)
        self._up_at = self._now + float(motion.trajectory.times[-1]) + SETTLING
        self.state, self.reason = GETTING_UP, motion.summary

    def _getting_up(self, now: float, sensed: Sensed) -> Command | None:
        if now < self._up_at:
            return Command(*self._follower.target(now))
        if self._pull_in_base(sensed)[2] < UPRIGHT:
            self._switch_off(FALLEN, "could not get up: set the robot on its feet")
            return None
        self._rise(sensed)
        return self._rising(now)

    def _rise(self, sensed: Sensed) -> None:
        self.walker = Walker(self._robot, self._gait, period=self._period)
        self._origin, self._stance = sensed.joint_position, self.walker.tick().position
        way = float(np.abs(self._stance - self._origin).max())
        self._rise_began, self._rise_time = self._now, max(SHORTEST_RISE, way / RISE_SPEED)
        self.state, self.reason = RISING, "rises to its stance"

    def _rising(self, now: float) -> Command:
        share = min(1.0, (now - self._rise_began) / self._rise_time)
        if share >= 1.0:
            self.state, self.reason = READY, "ready"
        smooth = share**3 * (10 - 15 * share + 6 * share**2)
        return Command(self._origin + smooth * (self._stance - self._origin), np.zeros_like(self._stance))

    def _walk(self, now: float, ticks: int, sensed: Sensed) -> Command | None:
        if now - self._told_at > COMMAND_TIMEOUT:
            self.walker.walk((0.0, 0.0, 0.0))
        if not self._asked and self.walker.standing:
            self._switch_off(OFF, "switched off")
            return None
        for _ in range(ticks):
            command = self.walker.tick(sensed)
        if self.walker.fallen:
            self._switch_off(FALLEN, "fallen: switch walking on to get up")
        else:
            self.reason = "stands" if self.walker.standing else "walks"
        return command


def checked_velocity(linear: Sequence[float], angular: Sequence[float]) -> tuple[float, float, float]:
    """Velocity on the ground of a twist (m/s, rad/s), or RobotError."""
    values = (*linear, *angular)
    if not np.isfinite(values).all():
        raise RobotError(f"cmd_vel: holds {values}. All must be finite numbers.")
    return linear[0], linear[1], angular[2]
