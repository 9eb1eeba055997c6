"""How far a servo gives way under load: the law of robot.yaml turned round, and its stiffness from measurements."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from humanoid_adapt.fall_test import FallTest
from humanoid_adapt.foot_frame import FootFrame
from humanoid_adapt.limbs import chain, joints_about
from humanoid_adapt.tip import Tip
from humanoid_description import Robot
from humanoid_description.inertial import GRAVITY
from humanoid_description.parameters import Servo

Array = NDArray[np.float64]
LEAST_LOAD = 0.05
"""Share of the stall torque below which friction hides what a servo gives way."""
LEAST_LOADED = 4
"""Loaded joints, of all tests, from which a stiffness is told."""


def droop(servo: Servo, torque: float) -> float:
    """Commanded minus actual angle, rad, at which a servo holds a torque (N m) at rest."""
    load = abs(torque)
    if servo.law == "pd":
        error = load / servo.stiffness if servo.stiffness else 0.0
    elif servo.law == "dynamixel_rx":
        share = load / servo.stall_torque
        beyond = servo.compliance_slope * max(0.0, share - servo.punch) / (1.0 - servo.punch)
        error = servo.compliance_margin * min(1.0, share / servo.punch if servo.punch else 1.0) + beyond
    else:
        holds_exactly = servo.gain_i > 0.0 or servo.gain_p == 0.0
        error = 0.0 if holds_exactly else load / (servo.stall_torque * servo.gain_p)
    return math.copysign(error, torque)


def stiffness(servo: Servo) -> float:
    """Of a loaded servo, N m/rad; infinite if it holds exactly."""
    loads = (0.4 * servo.stall_torque, 0.6 * servo.stall_torque)
    rise = droop(servo, loads[1]) - droop(servo, loads[0])
    return (loads[1] - loads[0]) / rise if rise > 0.0 else math.inf


class Statics:
    """Torques with which a robot holds a posture on level feet."""

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self._frames = {side: FootFrame(robot, side) for side in robot.parameters.feet}
        joints = robot.parameters.joints.values()
        self._servos = [robot.parameters.servos[joint.servo] for joint in joints]

    def torques(self, left_share: float, angles: Array) -> Array:
        """Servo torques, N m: gravity's work per joint angle, with a share of the weight on the left foot."""
        shares = {"left": left_share, "right": 1.0 - left_share}
        lift = [share * self._frames[side].com(angles)[1][2] for side, share in shares.items() if share > 0.0]
        return np.asarray(self.robot.mass * GRAVITY * np.sum(lift, axis=0))

    def droops(self, left_share: float, angles: Array) -> Array:
        """What to command beyond the joint angles (rad) so that the servos hold them."""
        torques = self.torques(left_share, angles)
        return np.array([droop(servo, torque) for servo, torque in zip(self._servos, torques, strict=True)])


@dataclass(frozen=True)
class ServoFit:
    """Compliance of a servo as measured."""

    stiffness: float
    """N m/rad."""
    stiffness_sd: float
    offset: float
    """Error without load (margin, friction), rad."""
    samples: int


def fit_stiffness(torques: Array, errors: Array, error_sd: float) -> ServoFit | None:
    """Straight line through holding torques (N m) and commanded minus measured angles (rad); None if nothing bends.

    The error without load has the sign of the torque: it is what margin and friction leave open.
    """
    design = np.stack([torques, np.sign(torques)], axis=-1)
    if torques.size < LEAST_LOADED or np.ptp(torques) < 1e-3 or np.linalg.matrix_rank(design) < 2:
        return None
    solution, *_ = np.linalg.lstsq(design, errors, rcond=None)
    spread = max(error_sd, float(np.std(errors - design @ solution)))
    covariance = spread**2 * np.linalg.inv(design.T @ design)
    compliance = float(solution[0])
    if compliance <= 2 * math.sqrt(covariance[0, 0]):
        return None
    sd = math.sqrt(covariance[0, 0]) / compliance**2
    return ServoFit(1.0 / compliance, sd, float(solution[1]), len(torques))


def _torque_is_known(robot: Robot, test: FallTest) -> NDArray[np.bool_]:
    """Joints whose torque the weight alone decides: legs that both stand can press against each other sideways."""
    if len(test.support_feet) == 1:
        return np.ones(robot.dof, dtype=bool)
    legs = {name for foot in robot.parameters.feet.values() for name in chain(robot, foot.link)}
    pitch = set(joints_about(robot, list(legs), "pitch"))
    return np.array([name not in legs or name in pitch for name in robot.joint_names])


def identify(robot: Robot, tips: Sequence[Tip]) -> dict[str, ServoFit]:
    """Stiffness of each kind of servo that tells: what its joints were commanded against what they did in tests."""
    if not tips:
        return {}
    statics, parameters = Statics(robot), robot.parameters
    kinds = [joint.servo for joint in parameters.joints.values()]
    torques = np.array([statics.torques(tip.test.left_share, tip.angles) for tip in tips])
    errors = np.array([tip.command - tip.angles for tip in tips])
    known = np.array([_torque_is_known(robot, tip.test) for tip in tips])
    found = {}
    for kind in dict.fromkeys(kinds):
        own = known & np.array([name == kind for name in kinds])
        loaded = own & (np.abs(torques) > LEAST_LOAD * parameters.servos[kind].stall_torque)
        count = parameters.servos[kind].resolution or 1e-4
        fit = fit_stiffness(torques[loaded], errors[loaded], count / math.sqrt(12.0))
        if fit is not None:
            found[kind] = fit
    return found
