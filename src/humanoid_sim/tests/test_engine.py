"""The step against independent evaluations and closed forms."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from numpy.typing import NDArray

from humanoid_description import load_robot
from humanoid_gait.primitives import PrimitiveParameters, forward_walk
from humanoid_sim.contact import GRAVITY, point_force
from humanoid_sim.engine import EXPLICIT, IMPLICIT, advance, advance_many
from humanoid_sim.plant import RobotPart
from humanoid_sim.scene import Scene, World


def standing(name: str, torque_share: float = np.inf) -> Scene:
    return Scene([RobotPart("r", load_robot(name), (0.0, 0.0, 0.0))], World(), torque_share)


@pytest.mark.parametrize("name", ["ar601m", "fibo_km", "nao"])
def test_explicit_accelerations_agree_with_mujocos_jacobians(name: str) -> None:
    """M a = -c + tau + sum J' f, with J from mj_jac and f from the law itself."""
    scene = standing(name)
    model, data, b = scene.model, scene.data, scene.buffers
    random = np.random.default_rng(1)
    data.qpos[2] -= 1e-3
    data.qvel[:] = random.normal(0, 0.05, model.nv)
    check = mujoco.MjData(model)
    check.qpos[:], check.qvel[:] = data.qpos, data.qvel
    advance(scene.plant, b, EXPLICIT, 1e-5)
    mujoco.mj_forward(model, check)
    force = -check.qfrc_bias
    force[scene.plant.joint_dof] += b.torque
    touching = 0
    for foot, body in enumerate(scene.plant.foot_body):
        for i in range(scene.plant.foot_points[foot], scene.plant.foot_points[foot + 1]):
            place = check.xpos[body] + check.xmat[body].reshape(3, 3) @ scene.plant.point_in_foot[i]
            jacobian = np.zeros((3, model.nv))
            mujoco.mj_jac(model, check, jacobian, None, place, body)
            f = np.array(point_force(scene.plant.point_parameters, i, place[2], *(jacobian @ check.qvel)))
            touching += f[2] > 0
            force += jacobian.T @ f
            np.testing.assert_allclose(b.point_force[i], f, rtol=1e-9, atol=1e-9)
    assert touching >= 3
    expected = np.zeros(model.nv)
    mujoco.mj_solveM(model, check, expected[None, :], force[None, :])
    np.testing.assert_allclose(b.qacc, expected, rtol=1e-9, atol=1e-8)


@pytest.mark.parametrize("weights", [EXPLICIT, IMPLICIT], ids=["explicit", "implicit"])
def test_in_the_air_it_falls_freely_and_keeps_its_momentum(weights: NDArray[np.float64]) -> None:
    scene = standing("fibo_km")
    scene.data.qpos[2] += 5.0
    h, steps = 1e-4, 5000
    targets = np.tile(scene.buffers.target + 0.3, (steps, 1))  # the servos work against each other all the while
    mujoco.mj_forward(scene.model, scene.data)
    start = scene.data.subtree_com[1].copy()
    advance_many(scene.plant, scene.buffers, weights, h, steps, targets, np.zeros_like(targets), np.zeros((0, 1)))
    mujoco.mj_forward(scene.model, scene.data)
    mujoco.mj_subtreeVel(scene.model, scene.data)
    drop = 0.5 * GRAVITY * h**2 * steps * (steps + 1)  # what v += g h, x += v h gives
    assert scene.data.subtree_com[1] - start == pytest.approx([0, 0, -drop], abs=2e-4)
    assert scene.data.subtree_linvel[1] == pytest.approx([0, 0, -GRAVITY * 0.5], abs=2e-3)
    assert np.abs(scene.data.subtree_angmom[1]).max() < 2e-3


@pytest.mark.parametrize("name", ["ar601m", "nao", "fibo_km"])
def test_at_rest_the_ground_carries_the_weight_and_gives_way_by_it(name: str) -> None:
    scene = standing(name)
    b, robot = scene.buffers, scene.parts[0].robot
    targets = np.tile(b.target, (4000, 1))
    advance_many(scene.plant, b, IMPLICIT, 1e-3, 4000, targets, np.zeros_like(targets), np.zeros((0, 1)))
    weight = robot.mass * GRAVITY
    assert b.point_force[:, 2].sum() == pytest.approx(weight, rel=0.02)
    heights = []
    for foot, body in enumerate(scene.plant.foot_body):
        for i in range(scene.plant.foot_points[foot], scene.plant.foot_points[foot + 1]):
            point = scene.plant.point_in_foot[i]
            heights.append(scene.data.xpos[body][2] + scene.data.xmat[body].reshape(3, 3)[2] @ point)
    sink = -np.mean(heights)
    assert sink == pytest.approx(weight / (8 * robot.parameters.contact.normal_stiffness), rel=0.05)


def test_a_millisecond_implicit_follows_the_explicit_reference() -> None:
    """Row 1 of seed 003's Table 4, first 4 s: within 5 mm of explicit steps of 1e-4 s."""
    robot = load_robot("ar601m")
    tracks = {}
    for h, weights in ((1e-3, IMPLICIT), (1e-4, EXPLICIT)):
        reference = forward_walk(robot, PrimitiveParameters(0.1, 0.1, 0.85, 0.5, 1.0), 2, h)
        scene = standing("ar601m")
        scene.place(scene.parts[0], dict(zip(robot.joint_names, reference.position[0], strict=True)))
        steps = round(4 / h)
        trace = np.zeros((steps, scene.model.nq + robot.dof))
        advance_many(scene.plant, scene.buffers, weights, h, steps, reference.position, reference.velocity, trace)
        tracks[h] = trace[round(0.01 / h) - 1 :: round(0.01 / h), :3]
    assert np.abs(tracks[1e-3] - tracks[1e-4]).max() < 5e-3


def test_joint_limits_hold() -> None:
    scene = standing("fibo_km")
    knee = scene.parts[0].robot.joint_names.index("left_knee")
    scene.data.qpos[2] += 1.0
    targets = np.tile(scene.buffers.target, (300, 1))
    targets[:, knee] = -2.0  # far beyond the limit of -5 degrees
    advance_many(scene.plant, scene.buffers, IMPLICIT, 1e-3, 300, targets, np.zeros_like(targets), np.zeros((0, 1)))
    lower = scene.plant.joint_range[knee, 0]
    assert lower - 0.05 < scene.data.qpos[scene.plant.joint_qpos[knee]] < lower + 0.02


def test_torque_limits_hold() -> None:
    scene = standing("ar601m", torque_share=1.0)
    targets = np.tile(scene.buffers.target, (500, 1)) + 0.1
    trace = np.zeros((500, scene.model.nq + 12))
    advance_many(scene.plant, scene.buffers, IMPLICIT, 1e-3, 500, targets, np.zeros_like(targets), trace)
    limits = [
        robot_joint.effort for robot_joint in scene.parts[0].robot.base_model.joints.values() if robot_joint.effort
    ]
    torques = np.abs(trace[:, scene.model.nq :])
    assert (torques <= np.array([50, 50, 50, 50, 20, 20] * 2) * (1 + 1e-9)).all()
    assert torques.max() == pytest.approx(max(limits))


def test_the_same_start_gives_the_same_run_to_the_last_bit() -> None:
    ends = []
    for _ in range(2):
        scene = standing("fibo_km")
        targets = np.tile(scene.buffers.target, (500, 1)) + 0.05 * np.sin(np.arange(500) / 50)[:, None]
        advance_many(scene.plant, scene.buffers, IMPLICIT, 1e-3, 500, targets, np.zeros_like(targets), np.zeros((0, 1)))
        ends.append((scene.data.qpos.tobytes(), scene.data.qvel.tobytes()))
    assert ends[0] == ends[1]
