"""MuJoCo with its own contact."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from humanoid_bringup.bench.mujoco_native import model_of, simulate
from humanoid_bringup.bench.task import start_height
from humanoid_description import load_robot
from humanoid_gait.primitives import JointReference, PrimitiveParameters, forward_walk


@pytest.mark.parametrize("name", ["ar601m", "fibo_km"])
def test_a_robot_that_shall_stand_does(name: str) -> None:
    robot = load_robot(name)
    posture = np.array([robot.parameters.stand.get(joint, 0.0) for joint in robot.joint_names])
    position = np.tile(posture, (1000, 1))
    outcome = simulate(robot, JointReference(1e-3, position, np.zeros_like(position), reachable=True))
    assert not outcome.fell
    assert outcome.steps == 1000
    np.testing.assert_allclose(outcome.base_in_world, [0, 0, start_height(robot, posture)], atol=0.01)


def test_it_is_the_same_robot() -> None:
    robot = load_robot("fibo_km")
    model = model_of(robot, 1e-3)
    assert mujoco.mj_getTotalmass(model) == pytest.approx(robot.mass)
    assert model.nu == 2 * robot.dof
    knee = model.joint("left_knee")
    assert knee.armature == pytest.approx(0.005)
    np.testing.assert_allclose(model.jnt_actfrcrange[knee.id], [-6.23, 6.23])


def test_its_servos_pull_as_the_law_says() -> None:
    robot = load_robot("ar601m")
    model = model_of(robot, 1e-3)
    data = mujoco.MjData(model)
    random = np.random.default_rng(0)
    angle, speed, target, target_speed = 0.1 * random.normal(size=(4, robot.dof))
    for index, name in enumerate(robot.joint_names):
        data.joint(name).qpos, data.joint(name).qvel = angle[index], speed[index]
    data.ctrl[:] = [*target, *target_speed]
    mujoco.mj_forward(model, data)
    torque = [float(data.joint(name).qfrc_actuator[0]) for name in robot.joint_names]
    np.testing.assert_allclose(torque, 5000 * (target - angle) + 100 * (target_speed - speed), rtol=1e-9)


def test_stretches_join_without_a_seam() -> None:
    """The rollout is called for a tenth of a second at a time; plain steps give the same."""
    robot = load_robot("ar601m")
    reference = forward_walk(robot, PrimitiveParameters(0.1, 0.1, 0.85, 0.5, 0.0), 1, 1e-3)
    model = model_of(robot, 1e-3)
    data = mujoco.MjData(model)
    data.qpos[2] = start_height(robot, reference.position[0])
    for name, angle in zip(robot.joint_names, reference.position[0], strict=True):
        data.joint(name).qpos = angle
    for target, speed in zip(reference.position, reference.velocity, strict=True):
        data.ctrl[:] = [*target, *speed]
        mujoco.mj_step(model, data)
    np.testing.assert_allclose(simulate(robot, reference).base_in_world, data.body("torso").xpos, atol=1e-9)
