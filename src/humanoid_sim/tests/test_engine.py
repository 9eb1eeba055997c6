"""The step against independent evaluations and closed forms."""

from __future__ import annotations

import dataclasses
from typing import Any

import mujoco
import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import ellipk

from humanoid_description import load_robot
from humanoid_description.parameters import Foot
from humanoid_gait.primitives import PrimitiveParameters, forward_walk
from humanoid_sim.contact import GRAVITY, point_force
from humanoid_sim.engine import EXPLICIT, IMPLICIT, advance, advance_many
from humanoid_sim.plant import RobotPart, make_buffers, make_plant
from humanoid_sim.scene import Scene, World
from humanoid_sim.servo import LIMIT

BOX = """<robot name="box"><link name="box"><inertial><mass value="10"/>
  <inertia ixx="0.05" iyy="0.07" izz="0.09" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>"""
PENDULUM = """<mujoco><option gravity="0 0 -9.81"/><worldbody><geom name="ground" type="plane" size="1 1 1"/>
  <body pos="0 0 2"><joint axis="0 1 0"/><inertial pos="0 0 -0.4" mass="3" diaginertia="0.1 0.1 0.1"/></body>
  </worldbody></mujoco>"""


def standing(name: str, torque_share: float = np.inf) -> Scene:
    return Scene([RobotPart("r", load_robot(name), (0.0, 0.0, 0.0))], World(), torque_share)


def box(**contact: Any) -> Scene:
    """A box of 10 kg on one sole of 20 x 16 cm, 5 cm below its centre, with AR-601M's contact or another."""
    robot = load_robot("ar601m")
    parameters = dataclasses.replace(
        robot.parameters,
        joints={},
        stand={},
        feet={"left": Foot("box", 0.1, 0.1, 0.08, 0.08, 0.05)},
        contact=dataclasses.replace(robot.parameters.contact, **contact),
    )
    robot = dataclasses.replace(robot, parameters=parameters, base_urdf=BOX)
    return Scene([RobotPart("r", robot, (0.0, 0.0, 0.0))], World())


def conserved(scene: Scene) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
    """Energy (J), momentum (N s) and angular momentum about the centre of mass (N m s) of the whole scene."""
    model, data = scene.model, mujoco.MjData(scene.model)  # the scene's own holds a mass matrix with implicit terms
    data.qpos[:], data.qvel[:] = scene.data.qpos, scene.data.qvel
    mujoco.mj_forward(model, data)
    mujoco.mj_energyPos(model, data)
    mujoco.mj_energyVel(model, data)
    mujoco.mj_subtreeVel(model, data)
    return float(data.energy.sum()), model.body_subtreemass[1] * data.subtree_linvel[1], data.subtree_angmom[1].copy()


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
            np.testing.assert_allclose(b.point_force[i], f, rtol=1e-12, atol=1e-12)
    assert touching >= 3
    expected = np.zeros(model.nv)
    mujoco.mj_solveM(model, check, expected[None, :], force[None, :])
    np.testing.assert_allclose(b.qacc, expected, rtol=0, atol=1e-12 * np.abs(expected).max())


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


@pytest.mark.parametrize("weights", [EXPLICIT, IMPLICIT], ids=["explicit", "implicit"])
def test_a_limp_robot_in_flight_keeps_what_nature_keeps(weights: NDArray[np.float64]) -> None:
    """Energy, momentum but for the weight, angular momentum: the error is small and falls with the step."""
    errors = []
    for h in (1e-3, 1e-4):
        scene = standing("ar601m")
        scene.plant.servo_parameters[:, LIMIT] = 0.0  # AR-601M's servos do not rub
        random = np.random.default_rng(3)
        scene.data.qpos[2] += 5.0
        scene.data.qpos[scene.plant.joint_qpos] = scene.plant.joint_range.mean(axis=1)
        scene.data.qvel[:] = random.normal(0, 1.0, scene.model.nv)
        energy, momentum, spin = conserved(scene)
        steps = round(0.3 / h)
        none = np.zeros((steps, 12))
        advance_many(scene.plant, scene.buffers, weights, h, steps, none, none, np.zeros((0, 1)))
        assert scene.data.nefc == 0  # no joint has come to its limit
        new_energy, new_momentum, new_spin = conserved(scene)
        weight = scene.model.body_subtreemass[1] * GRAVITY
        kicks = new_momentum - momentum + np.array([0, 0, weight * 0.3])
        errors.append([abs(new_energy - energy) / energy, np.abs(kicks).max() / weight, np.abs(new_spin - spin).max()])
    coarse, fine = np.array(errors)
    assert (coarse < [1e-3, 2e-3, 0.1]).all()
    assert (fine < 0.15 * coarse).all()


def test_a_pendulum_swings_with_its_period() -> None:
    """Large amplitude: T = 4 sqrt(I/(m g l)) K(sin^2(amplitude/2))."""
    model = mujoco.MjModel.from_xml_string(PENDULUM)
    data = mujoco.MjData(model)
    plant = make_plant(model, [], things=False, torque_share=np.inf, points_per_foot=4, voltage_share=1.0)
    amplitude = data.qpos[0] = 2.0
    none, trace, h = np.zeros((6000, 0)), np.zeros((6000, 1)), 1e-3
    advance_many(plant, make_buffers(model, data, plant), IMPLICIT, h, 6000, none, none, trace)
    angle = trace[:, 0]
    before = np.flatnonzero((angle[:-1] > 0) & (angle[1:] <= 0))
    crossings = (before + angle[before] / (angle[before] - angle[before + 1])) * h
    period = 4 * np.sqrt((0.1 + 3 * 0.4**2) / (3 * GRAVITY * 0.4)) * ellipk(np.sin(amplitude / 2) ** 2)
    assert len(crossings) >= 3
    np.testing.assert_allclose(np.diff(crossings), period, rtol=1e-4)


def test_a_box_at_rest_sinks_by_its_weight_over_the_stiffness() -> None:
    scene = box()
    none = np.zeros((1000, 0))
    advance_many(scene.plant, scene.buffers, IMPLICIT, 1e-3, 1000, none, none, np.zeros((0, 1)))
    assert 0.05 - scene.data.qpos[2] == pytest.approx(10 * GRAVITY / (4 * 1e6), rel=1e-6)
    np.testing.assert_allclose(scene.buffers.point_force, [[0, 0, 10 * GRAVITY / 4]] * 4, atol=1e-4)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("weights", "h", "contact", "left"),
    [
        (IMPLICIT, 1e-3, {}, 0.5),
        (EXPLICIT, 1e-4, {}, 0.5),
        (IMPLICIT, 1e-3, {"friction": 0.3}, 0.5),
        (IMPLICIT, 1e-3, {"normal_damping": 0.0, "tangential_damping": 0.0}, 1.0),
        (IMPLICIT, 1e-3, {"law": "hunt_crossley"}, 0.5),
    ],
    ids=["S1", "S1 explicit", "slippery", "bouncing", "S2"],
)
def test_a_collision_takes_energy_and_never_gives_any(
    weights: NDArray[np.float64], h: float, contact: dict[str, Any], left: float, seed: int
) -> None:
    """A box thrown down tilted and spinning; a damper takes at least half, a spring alone need not take any."""
    scene, random = box(**contact), np.random.default_rng(seed)
    scene.data.qpos[2], scene.data.qpos[4:7] = 0.3, random.uniform(-0.2, 0.2, 3)
    scene.data.qvel[:] = random.normal(0, 1, 6) * [1, 1, 1, 3, 3, 3]
    energies = [conserved(scene)[0]]
    none = np.zeros((round(0.005 / h), 0))
    for _ in range(200):
        advance_many(scene.plant, scene.buffers, weights, h, len(none), none, none, np.zeros((0, 1)))
        energies.append(conserved(scene)[0])
    assert np.max(energies) <= energies[0] * (1 + 1e-9)
    assert energies[-1] <= left * energies[0]


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
    """Row 1 of seed 003's Table 4, first 4 s: within 2 mm of explicit steps of 2e-5 s."""
    robot = load_robot("ar601m")
    tracks = {}
    for h, weights in ((1e-3, IMPLICIT), (2e-5, EXPLICIT)):
        reference = forward_walk(robot, PrimitiveParameters(0.1, 0.1, 0.85, 0.5, 1.0), 2, h)
        scene = standing("ar601m")
        scene.place(scene.parts[0], dict(zip(robot.joint_names, reference.position[0], strict=True)))
        steps = round(4 / h)
        trace = np.zeros((steps, scene.model.nq + robot.dof))
        advance_many(scene.plant, scene.buffers, weights, h, steps, reference.position, reference.velocity, trace)
        tracks[h] = trace[round(0.01 / h) - 1 :: round(0.01 / h), :3]
    assert np.abs(tracks[1e-3] - tracks[2e-5]).max() < 2e-3


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
