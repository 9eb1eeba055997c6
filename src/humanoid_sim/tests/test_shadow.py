"""The simulation as a shadow of another engine."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from humanoid_description import RobotError, load_robot
from humanoid_description.inertial import GRAVITY
from humanoid_sim import engine, simulation
from humanoid_sim.exchange import Motion
from humanoid_sim.shadow import Shadow

FIBO = load_robot("fibo_km")


def standing(shadow: Shadow, name: str = "a") -> Motion:
    """A robot's motion as the shadow itself has it."""
    shadow.scene.refresh()  # the step does not, as what the other engine does replaces its state
    seen = shadow.observe(name)
    linear, angular = shadow.base_twist(name)
    R = shadow.scene.data.xmat[shadow.scene.parts[0].base_body].reshape(3, 3)
    quaternion = shadow.scene.data.xquat[shadow.scene.parts[0].base_body]
    plant, part = shadow.scene.plant, shadow.scene.parts[0]
    position = shadow.scene.data.qpos[plant.joint_qpos[part.joints]].copy()  # the sensors round it
    return Motion(seen.base_position, quaternion.copy(), R @ linear, R @ angular, position, seen.joint_velocity)


@pytest.fixture(scope="module")
def shared() -> Shadow:
    return Shadow({"a": FIBO})


def test_its_forces_are_those_of_the_common_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """No law of its own: the engine's step, which calls contact.py and servo.py, and nothing else."""
    assert simulation.advance is engine.advance
    steps = []
    monkeypatch.setattr(simulation, "advance", lambda *arguments: steps.append(1) or engine.advance(*arguments))
    shadow = Shadow({"a": FIBO})
    for index in range(5):
        shadow.take(index * shadow.dt, {"a": standing(shadow)})
        shadow.solve()
    assert len(steps) == 5


@given(seed=st.integers(0, 2**32 - 1))
def test_whatever_the_state_its_forces_lead_where_its_step_leads(shared: Shadow, seed: int) -> None:
    """Explicitly applied, without rotor inertia, they give the accelerations of the implicit solve."""
    random = np.random.default_rng(seed)
    shared.stand("a", (0.0, 0.0, 0.0))
    start = standing(shared)
    turn = random.normal(0.0, 0.005, 3)
    quaternion = np.array([1.0, *(turn / 2)])
    motion = Motion(
        start.base_position + np.array([0.0, 0.0, random.uniform(-2e-4, 0.0)]),
        quaternion / np.linalg.norm(quaternion),
        random.normal(0.0, 0.02, 3),
        random.normal(0.0, 0.05, 3),
        start.joint_position + random.normal(0.0, 0.005, 20),
        random.normal(0.0, 0.3, 20),
    )
    shared.push("a", "torso", random.normal(0.0, 5.0, 3).tolist(), shared.dt, random.normal(0.0, 0.5, 3).tolist())
    shared.take(0.0, {"a": motion})
    scene, part = shared.scene, shared.scene.parts[0]
    plain, data = mujoco.MjModel.__copy__(scene.model), mujoco.MjData(scene.model)
    plain.dof_armature[:] = 0.0
    data.qpos[:], data.qvel[:] = scene.data.qpos, scene.data.qvel
    mujoco.mj_forward(plain, data)
    if data.nefc:  # a joint at its limit or a hand on the ground: the other engine has its own forces for that
        return
    shared.solve()
    efforts = shared.efforts("a")
    force = np.zeros(scene.model.nv)
    force[scene.plant.joint_dof[part.joints]] = efforts.torque
    for link, wrench in efforts.wrench.items():
        body = plain.body(f"a/{link}").id
        mujoco.mj_applyFT(plain, data, wrench[:3], wrench[3:], data.xpos[body], body, force)
    mass = np.zeros((plain.nv, plain.nv))
    mujoco.mj_fullM(plain, data, mass)
    acceleration = np.linalg.solve(mass, force - data.qfrc_bias)
    error = np.abs(acceleration - scene.buffers.qacc).max() / np.abs(scene.buffers.qacc).max()
    # A solve that looks for where friction and servos reach their limits may be cut off before it is exact.
    x, y, normal = scene.buffers.point_force.T
    sliding = np.hypot(x, y) >= 0.999 * FIBO.parameters.contact.friction * normal
    limit = np.array([FIBO.parameters.servos[joint.servo].stall_torque for joint in FIBO.parameters.joints.values()])
    limited = (sliding & (normal > 0)).any() or (np.abs(scene.buffers.torque) >= 0.9 * limit).any()
    assert limited or error < 1e-9


def test_it_feels_what_the_other_engine_did_not_what_it_foresaw() -> None:
    shadow = Shadow({"a": FIBO})
    shadow.take(0.0, {"a": standing(shadow)})
    shadow.solve()
    falling = standing(shadow)._replace(linear_velocity=np.array([0.0, 0.0, -GRAVITY * shadow.dt]))
    shadow.take(shadow.dt, {"a": falling})
    seen = shadow.observe("a")
    assert shadow.time == pytest.approx(shadow.dt)
    assert np.linalg.norm(seen.linear_acceleration) < 0.2 * GRAVITY  # nearly weightless


def test_pushes_reach_the_other_engine() -> None:
    shadow = Shadow({"a": FIBO})
    shadow.take(0.0, {"a": standing(shadow)})
    shadow.push("a", "left_foot", (1.0, 2.0, 3.0), shadow.dt, (0.1, 0.2, 0.3))
    shadow.solve()
    pushed = shadow.efforts("a").wrench
    shadow.stand("a", (0.0, 0.0, 0.0))
    shadow.take(0.0, {"a": standing(shadow)})
    shadow.solve()
    alone = shadow.efforts("a").wrench
    assert set(pushed) == set(alone) == {"left_foot", "right_foot"}
    # The contact gives way to the push within the step, but not by much in the air before the feet have sunk in.
    assert (pushed["left_foot"] - alone["left_foot"])[:3] == pytest.approx([1.0, 2.0, 3.0], abs=1e-6)


def test_it_notices_a_force_that_it_does_not_know() -> None:
    """Something draws the whole robot with 2 N to the left while it falls from high up."""
    shadow = Shadow({"a": FIBO})
    shadow.take(0.0, {"a": standing(shadow)._replace(base_position=np.array([0.0, 0.0, 100.0]))})
    for index in range(1, 3001):
        shadow.solve()
        foreseen = standing(shadow)
        drawn = foreseen.linear_velocity + np.array([0.0, 2.0 / FIBO.mass * shadow.dt, 0.0])
        shadow.take(index * shadow.dt, {"a": foreseen._replace(linear_velocity=drawn)})
        if index == 20:
            assert shadow.disagreement("a") is None
    force, _ = shadow.unexplained("a")
    assert force == pytest.approx(2.0 * (1 - np.exp(-3.0)), rel=1e-3)
    assert "Something touches it" in (shadow.disagreement("a") or "")


def test_adapted_inertials_ask_for_a_new_model_where_the_robot_is() -> None:
    shadow = Shadow({"a": FIBO})
    moved = standing(shadow)._replace(base_position=np.array([0.3, 0.2, 0.3]))
    shadow.take(0.0, {"a": moved})
    heavier = FIBO.with_payloads(["torso:0.5:0,0,0.1"])
    shadow.adapt("a", heavier)
    assert shadow.robots["a"] is heavier
    assert shadow.replacements["a"] == pytest.approx((0.3, 0.2, 0.0))
    with pytest.raises(RobotError, match="another robot"):
        shadow.adapt("a", load_robot("nao"))


def test_a_reset_asks_for_new_models_at_their_start_and_time_goes_on() -> None:
    shadow = Shadow({"a": FIBO})
    shadow.set_home("a", (1.0, 2.0, 0.5))
    shadow.take(3.0, {"a": standing(shadow)})
    shadow.reset()
    assert shadow.time == pytest.approx(3.0)
    assert shadow.replacements == {"a": (1.0, 2.0, 0.5)}
    assert shadow.present_start("a") == pytest.approx((1.0, 2.0, 0.5))


def test_a_state_that_is_not_finite_is_refused() -> None:
    shadow = Shadow({"a": FIBO})
    broken = standing(shadow)._replace(linear_velocity=np.array([np.nan, 0.0, 0.0]))
    with pytest.raises(RobotError, match="robot 'a': its state in Gazebo is not finite"):
        shadow.take(0.0, {"a": broken})


def test_a_robot_that_is_held_in_a_plane_is_refused() -> None:
    with pytest.raises(RobotError, match="held in a plane"):
        Shadow({"a": load_robot("ar601m_planar")})
