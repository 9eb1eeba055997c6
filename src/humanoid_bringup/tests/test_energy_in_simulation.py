"""What a motion's electrical energy is when simulated servos make it."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from humanoid_description import load_robot
from humanoid_description.command import Trajectory
from humanoid_description.follower import TrajectoryFollower
from humanoid_description.interpolation import reference_limits
from humanoid_gait.energy import Motion, energy
from humanoid_gait.least_energy import least_energy
from humanoid_sim.servo import STICTION_SPEED
from humanoid_sim.simulation import Simulation

ROBOT = load_robot("fibo_km")
GOAL, DURATION, SETTLING = {"left_shoulder_pitch": -1.5}, 2.0, 0.3
JOINT = ROBOT.joint_names.index("left_shoulder_pitch")


def follower(interpolation: str, motion: Motion | None = None) -> TrajectoryFollower:
    """To the goal directly, or along a planned motion."""
    end = np.array([[GOAL.get(name, 0.0) for name in ROBOT.joint_names]])
    times, positions, velocities = np.array([DURATION]), end, np.zeros_like(end)
    if motion is not None:
        times, positions, velocities = motion.time[1:], motion.position[1:], motion.velocity[1:]
    limits = reference_limits(ROBOT.parameters)
    made = TrajectoryFollower(ROBOT.joint_names, np.zeros(ROBOT.dof), interpolation, limits)
    made.follow(Trajectory(ROBOT.joint_names, times, positions, velocities, False), 0.0)
    return made


def measured(following: TrajectoryFollower, steps_per_command: int) -> float:
    """J that the shoulder's simulated motor takes."""
    simulation = Simulation(ROBOT)
    torque: list[NDArray[np.float64]] = []
    speed: list[NDArray[np.float64]] = []
    friction = ROBOT.parameters.servos["rx28"].coulomb_friction
    for step in range(round((DURATION + SETTLING) / simulation.dt)):
        if step % steps_per_command == 0:
            simulation.command(ROBOT.name, *following.target(simulation.time))
        simulation.step()
        seen = simulation.observe(ROBOT.name)
        speed.append(seen.joint_velocity)
        # The motor's torque is the joint's and its friction.
        torque.append(seen.joint_torque + friction * np.clip(seen.joint_velocity / STICTION_SPEED, -1, 1))
    time = simulation.dt * np.arange(len(torque))
    return float(energy(ROBOT, time, np.array(torque), np.array(speed)).electrical[JOINT])


@pytest.fixture(scope="module")
def planned() -> Motion:
    return least_energy(ROBOT, {}, GOAL, DURATION)


def test_both_laws_save_against_linear_interpolation_when_references_are_fine(planned: Motion) -> None:
    linear = measured(follower("linear"), 1)
    assert measured(follower("two_interval"), 1) < 0.99 * linear
    assert measured(follower("cubic", planned), 1) < 0.85 * linear
