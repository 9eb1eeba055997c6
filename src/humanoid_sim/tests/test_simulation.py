"""The Python face of the simulator."""

from __future__ import annotations

import dataclasses
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import mujoco
import numpy as np
import pytest

from humanoid_description import RobotError, inertial, load_robot
from humanoid_sim.scene import World
from humanoid_sim.simulation import Noise, Simulation


def fibo(**options: Any) -> Simulation:
    return Simulation(load_robot("fibo_km"), **options)


def test_a_standing_robot_stands_and_its_sensors_say_so() -> None:
    simulation = fibo()
    simulation.step(2000)
    seen = simulation.observe("fibo_km")
    assert seen.time == pytest.approx(2.0)
    assert not seen.fallen
    assert np.linalg.norm(seen.linear_acceleration) == pytest.approx(9.81, abs=0.2)
    assert seen.linear_acceleration[2] > 9.5
    assert np.abs(seen.angular_velocity).max() < 0.1
    assert sum(wrench[2] for wrench in seen.foot_force.values()) == pytest.approx(3.436 * 9.81, rel=0.1)
    counts = seen.joint_position / np.radians(300 / 1024)
    np.testing.assert_allclose(counts, np.round(counts), atol=1e-9)
    assert seen.base_position[2] == pytest.approx(0.28, abs=0.01)
    assert np.linalg.norm(seen.base_orientation_xyzw) == pytest.approx(1)


def test_a_free_falling_imu_feels_nothing() -> None:
    simulation = fibo()
    simulation.scene.data.qpos[2] += 1.0
    simulation.step(50)
    assert np.abs(simulation.observe("fibo_km").linear_acceleration).max() < 0.05


def test_a_payload_hung_on_while_it_stands_is_felt_at_the_next_step() -> None:
    loaded = load_robot("fibo_km", ["left_forearm:0.2:0,0,-0.03"])
    simulation = fibo()
    simulation.step(300)
    posture = simulation.scene.data.qpos.copy()
    before = simulation.com("fibo_km")
    simulation.set_inertials("fibo_km", {"left_forearm": loaded.inertials["left_forearm"]})
    np.testing.assert_array_equal(simulation.scene.data.qpos, posture)
    simulation.step()
    moved = simulation.com("fibo_km") - before
    assert moved[1] == pytest.approx(0.2 / 3.636 * 0.1, rel=0.01)
    assert simulation.robots["fibo_km"].mass == pytest.approx(3.636)
    simulation.step(500)
    assert not simulation.fallen("fibo_km")
    np.testing.assert_allclose(simulation.scene.data.qpos[7:], posture[7:], rtol=0, atol=0.05)


def test_a_robot_given_a_payload_while_it_stands_equals_one_started_with_it() -> None:
    """From the same state on; the other has been made with the payload, and never without."""
    loaded = load_robot("fibo_km", ["left_forearm:0.2:0,0,-0.03"])
    one, other = fibo(), Simulation(loaded)
    one.step(300)
    state = one.save()
    one.set_inertials("fibo_km", {"left_forearm": loaded.inertials["left_forearm"]})
    other.restore({**state, "robots": other.robots})
    for _ in range(5):
        for simulation in (one, other):
            simulation.step(100)
        for name in ("qpos", "qvel"):
            ours, theirs = (getattr(simulation.scene.data, name) for simulation in (one, other))
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-9)
        np.testing.assert_allclose(one.com("fibo_km"), other.com("fibo_km"), rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    "bad",
    [
        {"torso": inertial(-1, [0, 0, 0], [1, 1, 1])},
        {"torso": inertial(np.nan, [0, 0, 0], [1, 1, 1])},
        {"torso": inertial(1, [0, 0, 0], [1, 1, 3])},
        {"tail": inertial(1, [0, 0, 0], [1, 1, 1])},
        {"head": inertial(1, [0, 0, 0], [1, 1, 1]), "hip2": inertial(1, [0, 0, 0], [1, 1, 1])},
    ],
)
def test_bad_inertials_leave_it_untouched(bad: dict[str, Any]) -> None:
    simulation = fibo()
    masses = simulation.scene.model.body_mass.copy()
    with pytest.raises(RobotError, match="Nothing was changed"):
        simulation.set_inertials("fibo_km", bad)
    np.testing.assert_array_equal(simulation.scene.model.body_mass, masses)


def everything_seen(simulation: Simulation) -> list[bytes]:
    """State and observations of all robots, to the last bit."""
    seen = [simulation.observe(name) for name in simulation.robots]
    values = [value for one in seen for value in dataclasses.asdict(one).values()]
    state = [simulation.scene.data.qpos, simulation.scene.data.qvel]
    return [pickle.dumps(np.asarray(value).tolist()) for value in [*state, *values]]


def test_a_restored_run_goes_on_bit_for_bit() -> None:
    simulation = fibo(noise=Noise(0.1, 0.1, 0.1), command_delay=0.02)
    simulation.step(100)
    simulation.push("fibo_km", "torso", (2, 1, 0), 0.1)
    simulation.command("fibo_km", simulation.observe("fibo_km").joint_position + 0.02)
    saved = simulation.save()
    runs = []
    for _ in range(3):
        at_once = everything_seen(simulation)
        simulation.step(300)
        runs.append((at_once, everything_seen(simulation)))
        simulation.restore(saved)
    assert runs[0] == runs[1] == runs[2]


def test_a_restored_fall_among_others_goes_on_bit_for_bit() -> None:
    """With contacts of the body, a ball, and another robot, through MuJoCo's constraints."""
    robots = {"a": load_robot("fibo_km"), "b": load_robot("nao")}
    simulation = Simulation(robots, World(ball=True), starts={"a": (-0.3, 0, 0), "b": (0.3, 0.3, 1)})
    simulation.push("a", "torso", (30, 0, 0), 0.2)
    simulation.step(600)
    saved = simulation.save()
    simulation.step(300)
    assert simulation.fallen("a")
    end = everything_seen(simulation)
    simulation.restore(saved)
    simulation.step(300)
    assert everything_seen(simulation) == end


def test_threads_do_not_disturb_each_other() -> None:
    def run(seed: int) -> list[list[bytes]]:
        simulation = fibo(seed=seed, noise=Noise(0.1, 0.1, 0.1))
        simulation.push("fibo_km", "torso", (seed, 2, 0), 0.1)
        seen = []
        for _ in range(20):
            for _ in range(15):
                simulation.step()
            seen.append(everything_seen(simulation))
        return seen

    seeds = [1, 2, 3, 1]
    alone = [run(seed) for seed in seeds[:3]]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(len(seeds)) as pool:
            together = list(pool.map(run, seeds))
    finally:
        sys.setswitchinterval(interval)
    assert together == [*alone, alone[0]]


def test_a_reset_run_repeats_itself() -> None:
    simulation = fibo(noise=Noise(0.1, 0.1, 0.1))
    runs = []
    for _ in range(2):
        at_once = everything_seen(simulation)
        simulation.push("fibo_km", "torso", (2, 1, 0), 0.1)
        simulation.step(200)
        runs.append((at_once, everything_seen(simulation)))
        simulation.reset()
    assert runs[0] == runs[1]


def test_before_the_first_step_it_stands_at_its_start() -> None:
    simulation = fibo(starts={"fibo_km": (1.0, 2.0, 0.0)})
    assert not simulation.fallen("fibo_km")
    assert simulation.observe("fibo_km").base_position == pytest.approx([1, 2, 0.28], abs=0.01)


def test_seeds_make_the_noise() -> None:
    readings = []
    for seed in (1, 1, 2):
        simulation = fibo(seed=seed, noise=Noise(gyro=0.1))
        simulation.step(10)
        readings.append(simulation.observe("fibo_km").angular_velocity.tobytes())
    assert readings[0] == readings[1] != readings[2]
    gyro = np.frombuffer(readings[0])
    assert gyro[2] == 0.0  # FIBO-KM's gyroscope has two axes
    assert gyro[0] != 0.0


def test_a_hard_push_throws_it_and_it_comes_to_rest_on_the_ground() -> None:
    simulation = fibo()
    simulation.step(100)
    simulation.push("fibo_km", "torso", (25, 0, 0), 0.2)
    simulation.step(3000)
    assert simulation.fallen("fibo_km")
    data = simulation.scene.data
    assert np.abs(data.qvel).max() < 1.0
    assert 0.0 < data.xpos[1][2] < 0.15
    assert data.geom_xpos[1:, 2].min() > -0.01


def test_a_push_acts_at_the_links_own_centre_of_mass() -> None:
    """Also on a head that is fixed to the torso: what it adds of momentum in flight."""
    simulation = Simulation(load_robot("ar601m"))
    model, data = simulation.scene.model, simulation.scene.data
    robot, force = simulation.robots["ar601m"], np.array([30.0, 20.0, 0.0])
    data.qpos[2] += 1.0
    start = mujoco.MjData(model)
    start.qpos[:] = data.qpos
    simulation.push("ar601m", "head", force, 0.1)
    simulation.step()
    start.qvel[:] = data.qvel
    mujoco.mj_forward(model, start)
    mujoco.mj_subtreeVel(model, start)
    head = start.xpos[1] + (robot.poses(robot.parameters.stand)["head"] @ [*robot.inertials["head"].com_in_link, 1])[:3]
    np.testing.assert_allclose(robot.mass * start.subtree_linvel[1] / 1e-3, force - [0, 0, robot.mass * 9.81])
    expected = np.cross(head - start.subtree_com[1], force)
    np.testing.assert_allclose(start.subtree_angmom[1] / 1e-3, expected, atol=1e-9)


def test_servos_that_are_off_let_it_fall_and_restoring_brings_that_back() -> None:
    simulation = fibo()
    simulation.set_torque("fibo_km", False)
    saved = simulation.save()
    simulation.step(1500)
    assert simulation.fallen("fibo_km")
    end = simulation.scene.data.qpos.tobytes()
    simulation.reset()
    simulation.step(500)
    assert not simulation.fallen("fibo_km")
    simulation.restore(saved)
    simulation.step(1500)
    assert simulation.scene.data.qpos.tobytes() == end


def test_a_servo_that_is_off_still_rubs() -> None:
    simulation = fibo()
    simulation.set_torque("fibo_km", False)
    data, plant = simulation.scene.data, simulation.scene.plant
    head = plant.joint_dof[simulation.robots["fibo_km"].joint_names.index("head_yaw")]
    data.qvel[head] = 1.0
    simulation.step(50)
    # 0.05 N m of Coulomb friction on an armature of 0.003 kg m^2 takes 0.8 rad/s away in 50 ms.
    assert 0.0 <= data.qvel[head] < 0.5


def test_with_less_voltage_the_servos_are_slower() -> None:
    robot = load_robot("fibo_km")
    head = robot.joint_names.index("head_yaw")
    for share in (1.0, 0.4):
        simulation = Simulation(robot, voltage_share=share)
        simulation.command("fibo_km", [0.8 if column == head else 0.0 for column in range(robot.dof)])
        fastest = 0.0
        for _ in range(200):
            simulation.step()
            fastest = max(fastest, simulation.observe("fibo_km").joint_velocity[head])
        no_load = robot.parameters.servos[robot.parameters.joints["head_yaw"].servo].no_load_speed
        assert fastest == pytest.approx(share * no_load, rel=0.1)


def test_a_robot_whose_legs_give_way_has_fallen_though_upright() -> None:
    simulation = Simulation(load_robot("fibo_km", ["torso:1000:0,0,0"]))
    simulation.step(1000)
    seen = simulation.observe("fibo_km")
    assert np.abs(seen.base_orientation_xyzw[:2]).max() < 0.1
    assert seen.fallen


def test_planar_robots_stand_beside_each_other() -> None:
    robot = load_robot("ar601m_planar")
    simulation = Simulation({"a": robot, "b": robot})
    simulation.step(200)
    assert simulation.observe("b").base_position == pytest.approx([0, 1, 0.938], abs=0.01)


def test_a_delayed_command_acts_late() -> None:
    simulation = fibo(command_delay=0.05)
    wanted = np.full(20, 0.1)
    simulation.command("fibo_km", wanted)
    simulation.step(50)
    assert simulation.scene.buffers.target[0] == 0.0
    simulation.step(1)
    np.testing.assert_array_equal(simulation.scene.buffers.target, wanted)


def test_a_controller_is_called_once_a_period() -> None:
    times: list[float] = []
    fibo().run(lambda simulation: times.append(simulation.time), seconds=0.1, control_period=0.02)
    assert times == pytest.approx([0.0, 0.02, 0.04, 0.06, 0.08])


def test_robots_and_ball_share_a_world() -> None:
    robots = {"a": load_robot("fibo_km"), "b": load_robot("nao")}
    simulation = Simulation(robots, World(field=True, ball=True), starts={"a": (-0.5, 0, 0), "b": (-0.5, 1, 0)})
    simulation.step(500)
    assert not simulation.fallen("a")
    assert not simulation.fallen("b")
    ball = simulation.scene.data.body("ball").xpos
    assert ball == pytest.approx([0, 0, 0.07], abs=2e-3)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda s: s.command("fibo_km", [0.0]), "give 20 angles"),
        (lambda s: s.command("fibo_km", [np.nan] * 20), "not finite"),
        (lambda s: s.command("fibo_km", "stand"), "'stand' is not a row of numbers"),
        (lambda s: s.command("fibo_km", ["0.1"] * 20), "is not a row of numbers"),
        (lambda s: s.command("fibo_km", [[0.0], [0.0, 1.0]]), "is not a row of numbers"),
        (lambda s: s.command("fibo_km", [0.0] * 20, "fast"), "is not a row of numbers"),
        (lambda s: s.command("nobody", [0.0] * 20), "is not in this world"),
        (lambda s: s.push("fibo_km", "tail", (1, 0, 0), 1), "does not exist"),
        (lambda s: s.push("fibo_km", "torso", (1, 0, 0), 0), "above zero"),
        (lambda s: s.push("fibo_km", "torso", (1, 0, 0), np.inf), "above zero"),
        (lambda s: s.push("fibo_km", "torso", (1, 0), 1), "three finite numbers"),
        (lambda s: s.adapt("fibo_km", load_robot("nao")), "another robot"),
        (lambda s: s.step(-1), "forward only"),
        (lambda s: Simulation({}), "one to 28"),
        (
            lambda s: Simulation(s.robots, starts={}) and Simulation(s.robots, starts={"x": (0, 0, 0)}),
            "Give one for each",
        ),
        (lambda s: Simulation(s.robots, starts={"fibo_km": (0, 0)}), "x and y in m"),
        (lambda s: Simulation(s.robots, World(obstacles=(((0, 0, 0), (1, 1, -1)),))), "sizes above zero"),
        (lambda s: Simulation(s.robots, torque_share=np.nan), "above zero"),
        (lambda s: Simulation(s.robots, voltage_share=0), "voltage_share: is 0. Give a number above zero"),
        (lambda s: Simulation(s.robots, explicit=True), "explicit step is good"),
        (lambda s: Simulation(s.robots, dt=np.inf), "implicit step is good"),
        (lambda s: Simulation(s.robots, points_per_foot=5), "4, 8, 12"),
        (lambda s: Simulation(load_robot("ar601m_planar"), starts={"ar601m_planar": (0, 0, 1)}), "cannot be turned"),
        (lambda s: Noise(gyro=-1), "not below zero"),
    ],
)
def test_bad_calls_are_refused(call: Any, message: str) -> None:
    with pytest.raises(RobotError, match=message):
        call(fibo())


def test_a_robot_can_begin_in_any_posture() -> None:
    robot = load_robot("fibo_km")
    simulation = Simulation(robot)
    crouch = np.zeros(robot.dof)
    for name, angle in (("hip_pitch", -0.4), ("knee", 0.8), ("ankle_pitch", -0.4)):
        for side in ("left", "right"):
            crouch[robot.joint_names.index(f"{side}_{name}")] = angle
    simulation.place("fibo_km", crouch)
    simulation.step()
    seen = simulation.observe("fibo_km")
    assert np.abs(seen.joint_position - crouch).max() < np.radians(0.3)
    assert 0.2 < seen.base_position[2] < 0.28
    with pytest.raises(RobotError, match="20 finite angles"):
        simulation.place("fibo_km", crouch[:-1])


def test_before_the_first_step_a_robot_is_seen_standing() -> None:
    simulation = Simulation(load_robot("fibo_km"))
    seen = simulation.observe("fibo_km")
    assert not seen.fallen
    assert seen.base_position[2] == pytest.approx(0.28, abs=0.01)
    simulation.push("fibo_km", "torso", (50, 0, 0), 0.2)
    simulation.step(3000)
    assert simulation.fallen("fibo_km")
    simulation.reset()
    assert not simulation.fallen("fibo_km")


def test_a_falling_robot_that_is_put_somewhere_is_at_rest_and_its_neighbour_goes_on() -> None:
    robot = load_robot("fibo_km")
    simulation = Simulation({"a": robot, "b": robot})
    for name in ("a", "b"):
        simulation.push(name, "torso", (50, 0, 0), 0.2)
    simulation.step(250)  # thrown, and not yet on the ground
    first, second = (slice(part.base_dof, part.base_dof + 6) for part in simulation.scene.parts)
    speed = simulation.scene.data.qvel
    assert np.abs(speed[first]).max() > 0.5
    going = speed[second].copy()
    simulation.place("a", np.zeros(robot.dof))
    assert not speed[first].any()
    np.testing.assert_array_equal(speed[second], going)
    simulation.step(1000)
    assert not simulation.fallen("a")
    assert simulation.fallen("b")
