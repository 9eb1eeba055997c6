"""Stored motions on the simulated FIBO-KM with its own servos."""

from __future__ import annotations

import numpy as np
import pytest

from humanoid_description import load_robot
from humanoid_description.follower import TrajectoryFollower
from humanoid_description.interpolation import reference_limits
from humanoid_gait.motion_file import StoredMotion, load_motion
from humanoid_sim.scene import World
from humanoid_sim.simulation import Noise, Simulation

ROBOT = load_robot("fibo_km")
NAME = ROBOT.name


def play(simulation: Simulation, motion: StoredMotion, settling: float = 1.0) -> bool:
    """Play a motion at 100 commands a second; returns whether the robot was down at any time."""
    posture = simulation.observe(NAME).joint_position
    follower = TrajectoryFollower(ROBOT.joint_names, posture, motion.interpolation, reference_limits(ROBOT.parameters))
    start = simulation.time
    follower.follow(motion.trajectory, start)
    fell = False
    while simulation.time < start + motion.trajectory.times[-1] + settling:
        simulation.command(NAME, *follower.target(simulation.time))
        simulation.step(10)
        fell = fell or simulation.fallen(NAME)
    return fell


def stands(simulation: Simulation) -> bool:
    """Upright on both feet, at rest."""
    seen = simulation.observe(NAME)
    loads = [seen.foot_force[side][2] for side in ("left", "right")]
    turning = float(np.linalg.norm(seen.angular_velocity))
    x, y, _, _ = seen.base_orientation_xyzw
    return min(loads) > 0.3 * sum(loads) and seen.base_position[2] > 0.27 and abs(x) + abs(y) < 0.05 and turning < 0.1


@pytest.mark.parametrize("name", ["bow", "wave", "squat"])
def test_it_does_not_fall_over(name: str) -> None:
    simulation = Simulation(ROBOT)
    assert not play(simulation, load_motion(ROBOT, name))
    assert stands(simulation)


def test_the_kick_moves_the_ball() -> None:
    simulation = Simulation(ROBOT, World(ball=True), starts={NAME: (-0.14, 0.0475, 0.0)})
    assert not play(simulation, load_motion(ROBOT, "kick"))
    assert stands(simulation)
    ball = simulation.scene.data.xpos[simulation.scene.model.body("ball").id]
    assert ball[0] > 1.0


@pytest.mark.parametrize(("motion", "force"), [("stand_up_from_front", 15.0), ("stand_up_from_back", -15.0)])
@pytest.mark.parametrize("seconds", [0.2, 0.3])
def test_it_stands_up_after_a_fall(motion: str, force: float, seconds: float) -> None:
    simulation = Simulation(ROBOT, noise=Noise(gyro=0.01, accelerometer=0.1))
    simulation.push(NAME, "torso", (force, 0.0, 0.0), seconds)
    simulation.step(2500)
    assert simulation.fallen(NAME)
    play(simulation, load_motion(ROBOT, motion))
    assert stands(simulation)
