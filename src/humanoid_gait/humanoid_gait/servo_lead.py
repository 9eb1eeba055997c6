"""Commands that make up for what servos lack: a position servo yields to its load and lags behind a moving target."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from humanoid_description import Robot

Array = NDArray[np.float64]


class ServoLead:
    """Stiffness and lag of a robot's servos, in the order of Robot.joint_names."""

    def __init__(self, robot: Robot) -> None:
        servos = [robot.parameters.servos[joint.servo] for joint in robot.parameters.joints.values()]
        stiffness, damping = [], []
        for servo in servos:
            if servo.law == "pd":
                stiffness.append(servo.stiffness)
                damping.append(0.0)  # its damper works against the commanded speed, not against standstill
            else:
                slope = (1 - servo.punch) / servo.compliance_slope if servo.law == "dynamixel_rx" else servo.gain_p
                stiffness.append(slope * servo.stall_torque)
                damping.append(servo.stall_torque * (1 / servo.no_load_speed + servo.gain_d))
        self.stiffness = np.array(stiffness)
        """N m/rad."""
        self.lag = np.array(damping) / self.stiffness
        """By which the joint follows a steadily moving target, s."""

    def command(self, position: Array, velocity: Array, torque: Array, sag: float, lead: float) -> Array:
        """Angles (rad) to command so that the joints are at angles (rad), moving (rad/s), under torques (N m).

        Args:
            position: Wanted.
            velocity: Wanted.
            torque: That the joints must give there.
            sag: Share of the yielding to make up for.
            lead: Share of the lag to make up for.
        """
        return np.asarray(position + sag * torque / self.stiffness + lead * self.lag * velocity)
