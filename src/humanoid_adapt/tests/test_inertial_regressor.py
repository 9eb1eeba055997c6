"""The wrench of the ground as a linear function of masses and first moments."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from humanoid_adapt.belief import Uncertainty, prior
from humanoid_adapt.estimator import estimate, refuse_if_worse
from humanoid_adapt.inertial_regressor import wrench_rows
from humanoid_adapt.limbs import as_array, leg_joint, limb_joint, sign
from humanoid_adapt.motion import Motion
from humanoid_adapt.simulated_body import PERIOD, SimulatedBody
from humanoid_description import Robot, RobotError

SECONDS = 16.0


def moving(robot: Robot, time: float) -> np.ndarray:
    """A posture of a dance on both feet: arms swing, hips shift sideways, knees bend and the torso bows."""
    angles = as_array(robot, robot.parameters.stand).copy()

    def turn(joint: str, axis: str, degrees: float) -> None:
        angles[robot.joint_names.index(joint)] += sign(robot, joint, axis) * math.radians(degrees)

    ease = min(1.0, time / 2.0)
    for number, side in enumerate(("left", "right")):
        arm = limb_joint(robot, f"{side}_arm", "pitch")
        assert arm is not None
        turn(arm, "pitch", -ease * 50 * (1 - math.cos(1.1 * time + number)))
        bend, bow, sway = 10 * (1 - math.cos(0.9 * time)), 6 * math.sin(0.7 * time), 4 * math.sin(0.5 * time)
        turn(leg_joint(robot, side, "hip_pitch"), "pitch", ease * (-bend - bow))
        turn(leg_joint(robot, side, "knee"), "pitch", ease * 2 * bend)
        turn(leg_joint(robot, side, "ankle_pitch"), "pitch", -ease * bend)
        turn(leg_joint(robot, side, "ankle_roll"), "roll", ease * sway)
        turn(leg_joint(robot, side, "hip_roll"), "roll", -ease * sway)
    return angles


def dance(robot: Robot, seed: int) -> Motion:
    """What a simulated robot measures of it, with noise, counts and sensors that are off their place."""
    body = SimulatedBody(robot, seed, cop_offsets={"left": np.array([3e-4, -2e-4]), "right": np.array([-3e-4, 4e-4])})
    samples = []
    for index in range(round(SECONDS / PERIOD)):
        samples.append(body.sample())
        body.command(moving(robot, index * PERIOD), True)
    assert samples[-1].linear_acceleration[2] > 9.0, "it fell"
    return Motion(
        "dance",
        np.array([sample.time for sample in samples]),
        np.array([sample.position for sample in samples]),
        {side: np.array([sample.foot_force[side] for sample in samples]) for side in ("left", "right")},
    )


@pytest.fixture(scope="module")
def danced(loaded: Robot) -> Motion:
    """The dance of a robot with a hidden load."""
    return dance(loaded, seed=5)


def test_the_true_robot_explains_the_wrenches_and_another_does_not(danced: Motion, fibo: Robot, loaded: Robot) -> None:
    off = []
    for robot in (loaded, fibo):
        belief = prior(robot, Uncertainty())
        found = wrench_rows(robot, danced, belief, Uncertainty())
        miss = (found.values - found.rows @ belief.mean).reshape(-1, 6)
        off.append(np.sqrt(np.mean(miss**2, axis=0)))
    true, drawn = off
    assert (true[:3] < 0.5).all()  # N, of 35
    assert (true[3:] < 0.08).all()  # N m: the pressure to 2 mm
    assert drawn[2] > 4 * true[2]  # the weight
    assert drawn[3] > 2 * true[3]  # the load is on the left


def test_dynamics_matter(danced: Motion, loaded: Robot) -> None:
    """The same postures as if they were at rest explain the forces less well."""
    belief = prior(loaded, Uncertainty())
    slow = dataclasses.replace(danced, time=danced.time * 4.0)
    miss = []
    for motion in (danced, slow):
        found = wrench_rows(loaded, motion, belief, Uncertainty())
        miss.append(np.sqrt(np.mean((found.values - found.rows @ belief.mean).reshape(-1, 6)[:, :2] ** 2)))
    assert miss[0] < 0.8 * miss[1]


def test_a_motion_alone_gives_the_centre_of_mass(danced: Motion, fibo: Robot, loaded: Robot) -> None:
    found = estimate(fibo, [], motions=[danced])
    error = found.com_in_base - loaded.com_in_base(fibo.parameters.stand)
    before = fibo.com_in_base(fibo.parameters.stand) - loaded.com_in_base(fibo.parameters.stand)
    assert (np.abs(error) < 3.5 * found.com_sd).all()
    assert np.linalg.norm(error) < 0.5 * np.linalg.norm(before)
    assert found.mass == pytest.approx(loaded.mass, abs=3.5 * found.mass_sd)
    assert found.place == "left_arm"
    refuse_if_worse(found)
    assert [residual.name for residual in found.residuals] == ["dance"]


def test_a_motion_without_a_foot_at_rest_is_refused(danced: Motion, fibo: Robot) -> None:
    belief = prior(fibo, Uncertainty())
    flying = dataclasses.replace(danced, foot_force={side: 0.0 * force for side, force in danced.foot_force.items()})
    with pytest.raises(RobotError, match="no foot stood still"):
        wrench_rows(fibo, flying, belief, Uncertainty())
    few = {side: force[:50] for side, force in danced.foot_force.items()}
    short = Motion("short", danced.time[:50], danced.position[:50], few)
    with pytest.raises(RobotError, match="is shorter than 1 s"):
        wrench_rows(fibo, short, belief, Uncertainty())
