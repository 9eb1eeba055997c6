"""A robot that walks: commanded velocity and sensors in, joint commands out."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from humanoid_description import Robot, RobotError
from humanoid_description.attitude import Attitude
from humanoid_description.inertial import GRAVITY
from humanoid_gait.balance import Balance
from humanoid_gait.dcm import natural_frequency
from humanoid_gait.flat_landing import FlatLanding
from humanoid_gait.gait_parameters import GaitParameters, load_gait
from humanoid_gait.habit import Habit
from humanoid_gait.leg_ik import SPATIAL, leg_of
from humanoid_gait.leg_placer import SETTLE, LegPlacer, Placed
from humanoid_gait.pattern import SIDES, STANDING, WALKING, Planned, WalkPattern
from humanoid_gait.servo_lead import ServoLead

Array = NDArray[np.float64]
CONTROL_PERIOD = 0.01
"""s between commands, if not told otherwise."""
ATTITUDE = (2.0, (0.7 * GRAVITY, 1.3 * GRAVITY))
"""Settling time (s) and believed accelerations (m/s^2) of the attitude: every step shakes the accelerometer."""
FALLING = math.radians(50)
"""Tilt of the torso beyond which a robot is not to be saved."""
CROUCH = 0.6
"""Height of the hips to which a falling robot draws in its legs, over that of its gait: it then hits the ground with
less speed (FIBO-KM: 5-15 %)."""
STEERED_SHARE = 0.3
"""Share of the way from the zero moment point to the sole's nearest edge that is used to steer the DCM."""
HEADING_GAIN = 1.0
"""1/s by which a robot that feels its turning about the vertical comes back to its heading."""
SLIPPING = 3.0
"""Turn that such a robot may plan, over the greatest that it may be told: feet slip, NAO's by more than half."""
UNSAFE_STEPS = 4
"""Steps in a row that were displaced far after which a robot stops: one push takes fewer to overcome."""
CALM_STEPS = 8
"""Steps in place after a robot was pushed out of its stand; time, in steps, after which one that stopped walks on."""
ADAPTING = 3.0
"""By how many e-foldings the posture of the old model is forgotten within a step."""
UNUSUAL_TURNING = 0.5
"""rad/s by which the torso's turning must differ from the usual to be a disturbance."""
HIP_ROLL, HIP_PITCH, ANKLE_PITCH, ANKLE_ROLL = 1, 2, 4, 5  # places in a leg's joints


@dataclass(frozen=True)
class Sensed:
    """What a robot feels."""

    joint_position: Array
    """rad, in the order of Robot.joint_names."""
    angular_velocity: Array
    """Of the torso in the axes of the IMU's link, rad/s."""
    linear_acceleration: Array
    """Of the torso in the axes of the IMU's link, with the pull of gravity in it, m/s^2."""


@dataclass(frozen=True)
class Command:
    """What the servos are told, in the order of Robot.joint_names."""

    position: Array
    """rad."""
    velocity: Array
    """rad/s."""


class Walker:
    """Walks a robot from its model alone; a stance is where it begins and ends."""

    def __init__(
        self,
        robot: Robot,
        gait: GaitParameters | None = None,
        *,
        period: float = CONTROL_PERIOD,
        balance: bool = True,
    ) -> None:
        """Stand, ready to walk.

        Args:
            robot: As it is believed to be.
            gait: How to walk; the robot's own if not given.
            period: Between ticks, s.
            balance: Whether to use what is sensed.
        """
        self.gait = gait or load_gait(robot)
        if not 0 < period <= self.gait.step_time / 8:
            raise RobotError(f"walker: a tick every {period} s. A step of {self.gait.step_time} s needs 8 or more.")
        self._legs = {side: leg_of(robot, side) for side in SIDES}
        if len(self._legs["left"].joint_names) != SPATIAL:
            raise RobotError(f"{robot.name}: its legs have fewer than six joints. To walk with balance needs all six.")
        self.period = period
        self.fallen = False
        self.wanted = np.zeros(3)
        """Commanded velocity: forward, sideways (m/s), turn (rad/s)."""
        self._use_sensors = balance
        self._believe(robot)
        self._pattern = WalkPattern(self.gait, self._omega, self._steering_room())
        self._lead = ServoLead(robot)
        self._usual_turning = Habit(self.gait.step_time, period, np.array([-1.0, 1.0]), UNUSUAL_TURNING)
        self._attitude = Attitude(*ATTITUDE, up=np.array([0.0, 0.0, 1.0]))
        self._landing = FlatLanding(self._placer.R_level_torso)
        self._R_base_imu = _imu_in_base(robot)
        self._feels_yaw = "z" in robot.parameters.imu.gyro_axes
        self._heading_error = 0.0
        self._calm = math.inf  # s since it was pushed out of its stand or walking was unsafe
        self._unsafe_steps = 0
        joints = robot.parameters.joints.values()
        self._lower, self._upper = (
            np.array([joint.lower for joint in joints]),
            np.array([joint.upper for joint in joints]),
        )
        self.planned: Planned = self._pattern.tick(period)
        self._from_before = np.zeros(robot.dof)
        for _ in range(SETTLE):
            self.placed: Placed = self._place()
        self._feet_ahead = -float(self.placed.base[0])
        if not self.placed.reachable:
            raise RobotError(
                f"{robot.name}/gait.yaml: hip_height {self.gait.hip_height:g} m is beyond the legs' reach. Lower it."
            )

    def _believe(self, robot: Robot) -> None:
        self.robot = robot
        self._placer = LegPlacer(robot, self.gait.hip_height, self.gait.torso_pitch)
        self._omega = natural_frequency(self._placer.com_height(self.gait.stance))
        self._balance = Balance(robot, self.gait, self._omega, self.period)

    def adapt(self, robot: Robot) -> None:
        """Plan from another model of the same robot from now on; the joints come over to it within a step."""
        if robot.joint_names != self.robot.joint_names:
            raise RobotError(f"adapt: {robot.name} is another robot than {self.robot.name}. Nothing was changed.")
        before = self.placed.position + self._from_before
        self._believe(robot)
        self._pattern.omega = self._omega
        for _ in range(SETTLE):
            self.placed = self._place()
        self._from_before = before - self.placed.position

    def _steering_room(self) -> Array:
        foot, gait = self.robot.parameters.feet["left"], self.gait
        forward = min(foot.front - gait.zmp_forward, foot.rear + gait.zmp_forward)
        sideways = min(foot.left + gait.zmp_inward, foot.right - gait.zmp_inward)
        return STEERED_SHARE * np.maximum(0.0, [forward, sideways])

    def _place(self, R_plan_tilted: Mapping[str, Array] | None = None, zmp_shift: Array | None = None) -> Placed:
        zmp_in_foot = np.array([self.gait.zmp_forward, -self.gait.zmp_inward])
        return self._placer.place(self.planned, zmp_in_foot, R_plan_tilted, zmp_shift)

    def walk(self, velocity: Sequence[float]) -> None:
        """Command a velocity: forward, to the left (m/s) and turning left (rad/s).

        What is beyond the gait's limits is slowed down; moving several ways at once leaves less for each.
        """
        values = np.asarray(velocity, dtype=float)
        if values.shape != (3,) or not np.isfinite(values).all():
            raise RobotError(f"walk: the velocity is {velocity}. Give three finite numbers.")
        limits = np.array([self.gait.max_forward, self.gait.max_sideways, self.gait.max_turn])
        share = np.divide(values, limits, out=np.zeros(3), where=limits > 0)
        share = np.clip(share, -1.0, 1.0)
        self.wanted = limits * share / max(1.0, float(np.linalg.norm(share)))

    @property
    def standing(self) -> bool:
        """Whether the robot stands on both feet."""
        return self.planned.phase == STANDING

    def tick(self, sensed: Sensed | None = None) -> Command:
        """Go on by one period; without sensors nothing is corrected. A robot that falls crouches and stays so."""
        displaced = np.zeros(2)
        feedback = sensed if self._use_sensors and not self.fallen else None
        if feedback is not None:
            turning = self._R_base_imu @ feedback.angular_velocity
            acceleration = self._R_base_imu @ feedback.linear_acceleration
            up_in_base = self._attitude.update(turning, acceleration, self.period)
            if up_in_base[2] < math.cos(FALLING):
                self.fallen = True
                self._crouched = self._crouch()
                return Command(self._crouched, np.zeros_like(self._crouched))
            self._balance.measure(feedback.joint_position, self._attitude.R_level_sensor, acceleration, self.planned)
            displaced = self._catch()
            self._hold_heading(turning[2])
        if self.fallen:
            return Command(self._crouched, np.zeros_like(self._crouched))
        self._calm += self.period
        calm = self._calm >= CALM_STEPS * self.gait.step_time
        self._pattern.restless = self._pattern.restless and not calm
        forward, sideways, turn = self.wanted if calm else np.zeros(3)
        steepest = SLIPPING * self.gait.max_turn
        turn = np.clip(turn + HEADING_GAIN * self._heading_error, -steepest, steepest)
        # Told is the base's velocity; the pattern moves the middle between the feet, which is ahead of the base.
        planned = self.gait.stride * np.array([forward, sideways + turn * self._feet_ahead])
        self._pattern.wanted = np.array([*planned, turn])
        before = self.placed.position
        support = self.planned.support
        self.planned = self._pattern.tick(self.period, displaced)
        if self.planned.support != support:
            self._unsafe_steps = self._unsafe_steps + 1 if self._balance.unsafe else 0
        tilted = shift = None
        if feedback is not None:
            R_level_base, catching = self._attitude.R_level_sensor, self._pattern.restless
            tilted = self._landing.update(self.planned, R_level_base, self.period, catching)
            shift = self._balance.zmp_shift(self.planned)
        self.placed = self._place(tilted, shift)
        velocity = (self.placed.position - before) / self.period
        self._from_before = self._from_before * math.exp(-ADAPTING * self.period / self.gait.step_time)
        wanted = self.placed.position + self._from_before
        position = self._lead.command(wanted, velocity, self.placed.torque, self.gait.sag, self.gait.lead)
        if feedback is not None:
            self._resist_turning(position, turning)
        return Command(np.clip(position, self._lower, self._upper), velocity)

    def _crouch(self) -> Array:
        """Joint angles (rad) of the protective posture."""
        low = LegPlacer(self.robot, CROUCH * self.gait.hip_height, self.gait.torso_pitch)
        return np.clip(low.standing(self.gait.stance), self._lower, self._upper)

    def _catch(self) -> Array:
        """Displace the next landing; from standing, begin to step if that is what it takes."""
        if not self.standing:
            self._balance.forget_stand()
        elif self.gait.placement and (step := self._balance.step_to_catch(self.planned)):
            self._pattern.restless, self._calm = True, 0.0
            self._pattern.catch(*step)
        displaced = self._balance.landing_displacement(self.planned, self._pattern.restless)
        if self._unsafe_steps >= UNSAFE_STEPS and not self.standing:
            self._calm = 0.0
        return displaced

    def _hold_heading(self, turning: float) -> None:
        """Sum up what the robot turned more than it was told, and forget it while it stands."""
        if not self._feels_yaw or self.standing or not self.wanted.any():
            self._heading_error = 0.0
        else:
            error = self._heading_error + (self.wanted[2] - turning) * self.period
            # No more than it can turn back in the time of the gain: a robot that is held does not spin when let go.
            most = SLIPPING * self.gait.max_turn / HEADING_GAIN
            self._heading_error = min(max(error, -most), most)

    def _resist_turning(self, position: Array, angular_velocity: Array) -> None:
        """Let ankles and hips of the standing leg work against the torso's turning, as far as it is not usual."""
        turning = angular_velocity[:2]
        if self.planned.phase == WALKING:
            turning = self._usual_turning.unexpected(self.planned.remaining, self.planned.support, turning)
        roll, pitch = turning
        for side, columns in self._placer.columns.items():
            signs, load = self._legs[side].signs, self.planned.load[side]
            for place, rate, gain in (
                (ANKLE_PITCH, pitch, self.gait.ankle_rate),
                (ANKLE_ROLL, roll, self.gait.ankle_rate),
                (HIP_PITCH, pitch, self.gait.hip_rate),
                (HIP_ROLL, roll, self.gait.hip_rate),
            ):
                position[columns[place]] += load * gain * signs[place] * rate


def _imu_in_base(robot: Robot) -> Array:
    """R_base_imu."""
    imu = robot.parameters.imu
    bent = {name: 0.5 * (joint.lower + joint.upper) + 0.1 for name, joint in robot.parameters.joints.items()}
    straight, moved = (robot.poses(posture)[imu.link] for posture in ({}, bent))
    if not np.allclose(straight, moved):
        raise RobotError(
            f"{robot.name}/robot.yaml: imu.link {imu.link} moves against the torso. Give a link that is fixed to it."
        )
    return straight[:3, :3]
