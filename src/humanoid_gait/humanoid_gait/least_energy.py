"""The motion between two postures that takes the least electrical energy of the servo model."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline
from scipy.optimize import LinearConstraint, minimize

from humanoid_description import Robot, RobotError
from humanoid_description.interpolation import reference_limits
from humanoid_gait.energy import Motion, energy, motor_torque

Array = NDArray[np.float64]
SAMPLES = 61
"""Of the motion."""
TOLERANCE = 1e-6
"""Share of a limit by which the solver may miss it."""


def least_energy(
    robot: Robot, start: Mapping[str, float], end: Mapping[str, float], duration: float, knots: int = 5
) -> Motion:
    """Motion from rest to rest between two postures (rad) that takes the least from the supply, with the base held.

    The joints that move follow cubic splines through free knots, within their ranges and the servos' limits of speed
    and acceleration; the others stay at their start.

    Args:
        robot: To move.
        start: Posture at the beginning; joints that are not named are at zero.
        end: Posture at the end, likewise.
        duration: s.
        knots: Free knots of each joint's spline.
    """
    first, last = (np.array([posture.get(name, 0.0) for name in robot.joint_names]) for posture in (start, end))
    moving = np.flatnonzero(first != last)
    if not moving.size or not 0 < duration < np.inf or knots < 1:
        raise RobotError(f"least_energy: nothing moves, or not in {duration} s. Give two postures and a time.")
    time, at = np.linspace(0, duration, SAMPLES), np.linspace(0, duration, knots + 2)
    # Angles, speeds and accelerations are linear in the knots' angles: one unit spline per knot gives the matrices.
    unit = CubicSpline(at, np.eye(knots + 2), bc_type="clamped")
    basis = [unit(time, order) for order in range(3)]

    def motion(angles: Array) -> Motion:
        table = np.vstack([first[moving], angles.reshape(knots, -1), last[moving]])
        values = [np.tile(first, (SAMPLES, 1)), np.zeros((SAMPLES, robot.dof)), np.zeros((SAMPLES, robot.dof))]
        for matrix, value in zip(basis, values, strict=True):
            value[:, moving] = matrix @ table
        return Motion(time, *values)

    def cost(angles: Array) -> float:
        trial = motion(angles)
        return energy(robot, time, motor_torque(robot, trial), trial.velocity).total

    share = at[1:-1] / duration
    guess = first[moving] + np.outer(share**2 * (3 - 2 * share), last[moving] - first[moving])
    constraints = _limits(robot, moving, basis, first[moving], last[moving])
    result = minimize(cost, guess.ravel(), method="SLSQP", constraints=constraints)
    for limit in constraints:
        reached = limit.A @ result.x
        missed = np.maximum(limit.lb - reached, reached - limit.ub)
        if (missed > TOLERANCE * (1 + np.abs(limit.ub - limit.lb))).any():
            names = ", ".join(robot.joint_names[joint] for joint in moving)
            raise RobotError(f"least_energy: {names} cannot move that far in {duration} s. Give more time.")
    return motion(result.x)


def _limits(
    robot: Robot, moving: NDArray[np.intp], basis: list[Array], first: Array, last: Array
) -> list[LinearConstraint]:
    """Ranges, speeds and accelerations of the moving joints at all samples, as limits of the free knots' angles."""
    joints, servos = list(robot.parameters.joints.values()), reference_limits(robot.parameters)
    bounds = [
        (np.array([joints[joint].lower for joint in moving]), np.array([joints[joint].upper for joint in moving])),
        (-servos.speed[moving], servos.speed[moving]),
        (-servos.acceleration[moving], servos.acceleration[moving]),
    ]
    limits = []
    for matrix, (low, high) in zip(basis, bounds, strict=True):
        ends = np.outer(matrix[:, 0], first) + np.outer(matrix[:, -1], last)
        known = np.isfinite(np.broadcast_to(high, ends.shape)).ravel()
        free = np.kron(matrix[:, 1:-1], np.eye(moving.size))[known]
        limits.append(LinearConstraint(free, (low - ends).ravel()[known], (high - ends).ravel()[known]))
    return limits
