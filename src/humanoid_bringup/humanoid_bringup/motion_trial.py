"""Stored motions in the simulator, with the robot's own servos, and what became of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from humanoid_description.follower import TrajectoryFollower
from humanoid_description.interpolation import reference_limits
from humanoid_gait.energy import energy
from humanoid_gait.motion_file import StoredMotion
from humanoid_sim.simulation import Simulation

PERIOD = 0.01
"""s between commands."""
SETTLING = 1.0
"""s after a motion until it is looked whether the robot stands."""
PUSH_PER_MASS, PUSH_TIME, FALL_TIME = 4.4, 0.3, 2.5
"""N/kg and s of the push that lays a robot down, and s until it lies at rest."""
LAID = {"front": 1.0, "back": -1.0}
"""On which side a robot can be laid, and which way it is pushed to that end."""


@dataclass(frozen=True)
class MotionOutcome:
    """What became of a motion."""

    fell: bool
    """Whether the robot was down at any time; one that was laid down: in the end."""
    stands: bool
    """Whether it is upright and at rest on both feet in the end."""
    seconds: float
    """Of the motion."""
    energy_j: float
    """Electrical, of all servos, until it is at rest."""


def lay_down(simulation: Simulation, namespace: str, side: str) -> None:
    """Push a robot over, onto its 'front' or 'back', and wait until it lies."""
    robot = simulation.robots[namespace]
    force = LAID[side] * PUSH_PER_MASS * robot.mass
    simulation.push(namespace, robot.base_model.root, (force, 0.0, 0.0), PUSH_TIME)
    simulation.step(round(FALL_TIME / simulation.dt))


def play(simulation: Simulation, namespace: str, motion: StoredMotion) -> MotionOutcome:
    """Let a robot do a motion from where it is."""
    robot, start = simulation.robots[namespace], simulation.time
    lay = simulation.fallen(namespace)
    posture = simulation.observe(namespace).joint_position
    follower = TrajectoryFollower(robot.joint_names, posture, motion.interpolation, reference_limits(robot.parameters))
    follower.follow(motion.trajectory, start)
    seconds = float(motion.trajectory.times[-1])
    times, torques, speeds, down = [], [], [], lay
    while simulation.time < start + seconds + SETTLING:
        seen = simulation.observe(namespace)
        times.append(simulation.time)
        torques.append(seen.joint_torque)
        speeds.append(seen.joint_velocity)
        simulation.command(namespace, *follower.target(simulation.time))
        simulation.step(round(PERIOD / simulation.dt))
        down = simulation.fallen(namespace) or (down and not lay)
    taken = energy(robot, np.array(times), np.array(torques), np.array(speeds))
    return MotionOutcome(down, stands(simulation, namespace), seconds, taken.total)


def stands(simulation: Simulation, namespace: str) -> bool:
    """Whether a robot is upright on both feet, at rest."""
    seen = simulation.observe(namespace)
    loads = [seen.foot_force[side][2] for side in ("left", "right")]
    x, y, _, _ = seen.base_orientation_xyzw
    resting = float(np.linalg.norm(seen.angular_velocity)) < 0.1
    return bool(min(loads) > 0.3 * sum(loads) and abs(x) + abs(y) < 0.05 and resting)
