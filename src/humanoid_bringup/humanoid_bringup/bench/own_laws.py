"""Our contact and servo laws for an engine that takes forces: the very functions with which our own engine steps."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from humanoid_bringup.bench.task import servos
from humanoid_description import Robot
from humanoid_sim.compiling import compiled
from humanoid_sim.contact import contact_vector, foot_wrench
from humanoid_sim.servo import STATE_SIZE, servo_torque, servo_vector

Array = NDArray[np.float64]


class OwnLaws:
    """The laws of one robot, with the state of its servos, which have no torque limit."""

    def __init__(self, robot: Robot, joint_names: Sequence[str], posture: Array, dt: float) -> None:
        """Take the laws of a robot.

        Args:
            robot: To simulate.
            joint_names: Its joints in the order in which the engine has them.
            posture: At the start, rad.
            dt: Time step, s.
        """
        parameters = robot.parameters
        vectors = [servo_vector(servo, torque_share=math.inf) for servo in servos(robot, joint_names)]
        self._servos = np.array(vectors)
        self._state = np.zeros((robot.dof, STATE_SIZE))
        self._dt = dt
        self._feet = [np.array(foot.corners_in_foot) for foot in parameters.feet.values()]
        points = len(self._feet[0])
        self._contact = np.tile(contact_vector(parameters.contact, robot.mass, points), (points, 1))
        self.torque(posture, np.zeros(robot.dof), posture, np.zeros(robot.dof))
        self.wrench(0, np.eye(3), np.ones(3), np.zeros(3), np.zeros(3))  # both are loaded now, before any clock runs
        self._state[:] = 0.0
        self._state[:, 0] = posture

    def torque(self, angle: Array, speed: Array, target: Array, target_speed: Array) -> Array:
        """Torque of the servos, N m, from angles in rad and speeds in rad/s."""
        return servo_torques(self._servos, self._state, angle, speed, target, target_speed, self._dt)

    def wrench(self, foot: int, R_world_foot: Array, foot_in_world: Array, linear: Array, angular: Array) -> Array:
        """Force (N) and torque (N m) of the ground on a foot, about its origin, along its own axes.

        Args:
            foot: Which one, in the order of robot.yaml.
            R_world_foot: Its attitude.
            foot_in_world: Its origin, m.
            linear: Velocity of its origin, m/s, along its own axes.
            angular: Its angular velocity, rad/s, along its own axes.
        """
        return wrench_in_foot(self._contact, self._feet[foot], R_world_foot, foot_in_world, linear, angular)


@compiled
def servo_torques(
    parameters: Array, state: Array, angle: Array, speed: Array, target: Array, target_speed: Array, dt: float
) -> Array:
    """Torque of all servos, N m."""
    torque = np.empty(angle.size)
    for j in range(angle.size):
        torque[j] = servo_torque(parameters, state, j, angle[j], speed[j], target[j], target_speed[j], dt)[0]
    return torque


@compiled
def wrench_in_foot(
    parameters: Array,
    points_in_foot: Array,
    R_world_foot: Array,
    foot_in_world: Array,
    linear: Array,
    angular: Array,
) -> Array:
    """foot_wrench, with twist and wrench along the foot's axes, in which engines have them."""
    twist, wrench_in_foot = np.zeros((2, 3)), np.zeros(6)
    for i in range(3):
        for j in range(3):
            twist[0, i] += R_world_foot[i, j] * linear[j]
            twist[1, i] += R_world_foot[i, j] * angular[j]
    wrench = foot_wrench(parameters, points_in_foot, R_world_foot, foot_in_world, twist[0], twist[1])
    for i in range(3):
        for j in range(3):
            wrench_in_foot[i] += R_world_foot[j, i] * wrench[j]
            wrench_in_foot[3 + i] += R_world_foot[j, i] * wrench[3 + j]
    return wrench_in_foot
