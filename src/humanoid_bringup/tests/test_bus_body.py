"""The simulated robot behind its virtual servos, driven by the bridge on simulated time."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dynamixel_bridge.bridge import Bridge
from dynamixel_bridge.links import SimulatedLinks
from dynamixel_bridge.virtual_line import VirtualLine
from dynamixel_bridge.virtual_robot import virtual_devices
from dynamixel_bridge.virtual_servo import Drive
from humanoid_bringup.bus_body import BusBody
from humanoid_description import Robot, load_robot
from humanoid_description.command import Trajectory
from humanoid_description.follower import TrajectoryFollower
from humanoid_gait.gait_control import GaitControl
from humanoid_gait.walker import Sensed
from humanoid_sim import servo as law
from humanoid_sim.simulation import Simulation

PERIOD = 0.01
ON = Drive(True, 0.0, math.inf, 1.0, {})


class Rig:
    """A simulated robot on a virtual bus with its bridge."""

    def __init__(self, robot: Robot) -> None:
        self.simulation = Simulation(robot)
        self.body = BusBody(self.simulation, robot.name)
        devices = virtual_devices(robot, self.body)
        self.links = SimulatedLinks({port: VirtualLine(found) for port, found in devices.items()}, 1_000_000)
        self.bridge = Bridge(robot, self.links, clock=self.links.clock, period=PERIOD)
        self._cycles = 0

    def run(self, seconds: float) -> None:
        for _ in range(round(seconds / PERIOD)):
            self._cycles += 1
            self.links.wait_until(self._cycles * PERIOD)
            self.body.advance(self.links.now)
            self.bridge.cycle()


def crouch_and_stand_up(robot: Robot) -> Trajectory:
    names = tuple(f"{side}_{joint}" for side in ("left", "right") for joint in ("hip_pitch", "knee", "ankle_pitch"))
    positions = np.array([[-0.5, 1.0, -0.5] * 2, [0.0] * 6])
    assert set(names) <= set(robot.joint_names)
    return Trajectory(names, np.array([1.5, 3.0]), positions, None, False)


def test_it_stands_crouches_and_stands_up_through_the_bus_as_without_it() -> None:
    robot = load_robot("fibo_km")
    rig = Rig(robot)
    rig.run(0.2)
    assert rig.body.held
    assert rig.body.imu()[1][2] == pytest.approx(9.81, abs=0.3)  # a hand carries it: it does not fall freely
    rig.bridge.enable()
    rig.run(0.3)
    assert not rig.body.held
    rig.bridge.follow(crouch_and_stand_up(robot))
    direct = Simulation(robot)
    follower = TrajectoryFollower(robot.joint_names, np.zeros(robot.dof))
    follower.follow(crouch_and_stand_up(robot), 0.0)
    knee = robot.joint_names.index("left_knee")
    through, without = [], []
    for number in range(400):
        direct.command(robot.name, follower.target(number * PERIOD)[0].tolist())
        direct.step(10)
        rig.run(PERIOD)
        through.append(rig.bridge.position[knee])
        without.append(direct.observe(robot.name).joint_position[knee])
    assert not rig.simulation.fallen(robot.name)
    assert rig.bridge.safety.mode == "following"
    assert max(through) > 0.95
    # The bus adds a cycle between command and reading, in which the knee turns 0.7 rad/s, and a count.
    assert np.abs(np.array(through) - without).max() < 0.03
    assert rig.body.late == 0.0


@pytest.fixture
def fallen() -> Rig:
    """A robot that was relaxed, and fell."""
    robot = load_robot("fibo_km")
    rig = Rig(robot)
    rig.run(0.3)
    rig.bridge.enable()
    rig.run(0.2)
    rig.bridge.relax()
    rig.simulation.push(robot.name, "torso", (5.0, 0.0, 0.0), 0.2)
    rig.run(2.0)
    assert rig.simulation.fallen(robot.name)
    return rig


def test_it_falls_when_it_is_relaxed_and_the_bridge_sees_it(fallen: Rig) -> None:
    upright = fallen.bridge.seen().upright
    assert upright is not None
    assert upright < 0.6


def test_a_hand_puts_a_fallen_robot_on_its_feet_and_holds_it_until_its_servos_do(fallen: Rig) -> None:
    rig = fallen
    rig.body.put_on_its_feet()
    limits = rig.simulation.scene.plant.servo_parameters[:, law.LIMIT]
    assert not limits.any()  # servos that were off are still off
    rig.run(0.3)
    assert rig.body.held
    assert not rig.simulation.fallen("fibo_km")
    rig.bridge.enable()
    rig.run(1.0)
    assert not rig.body.held
    assert limits.all()
    assert not rig.simulation.fallen("fibo_km")


def test_drives_become_parameters_of_the_servo_laws() -> None:
    robot = load_robot("fibo_km")
    simulation = Simulation(robot)
    body = BusBody(simulation, robot.name)
    row = simulation.scene.plant.servo_parameters[robot.joint_names.index("left_knee")]
    assert row[law.LIMIT] == 0.0
    compliance = {"cw_compliance_margin": 0.01, "ccw_compliance_margin": 0.01, "punch": 0.05}
    compliance |= {"cw_compliance_slope": 0.2, "ccw_compliance_slope": 0.2}
    body.drive(14, Drive(True, 0.1, 2.0, 0.5, compliance))
    assert row[law.LIMIT] == pytest.approx(0.5 * 6.23)
    assert (row[law.MAX_SPEED], row[law.MARGIN], row[law.SLOPE], row[law.PUNCH]) == (2.0, 0.01, 0.2, 0.05)
    for id_ in range(1, 20):
        body.drive(id_, ON)
    assert body.held
    body.drive(20, ON)
    assert not body.held
    body.advance(0.0)
    body.advance(1.0)
    assert body.late == pytest.approx(0.95)


def test_it_walks_through_the_bus_as_far_as_without_it() -> None:
    robot = load_robot("fibo_km")
    rig = Rig(robot)
    rig.run(0.2)
    rig.bridge.enable()
    rig.run(0.3)
    direct = Simulation(robot)
    direct.step(500)
    imu = rig.bridge.imu
    assert imu is not None
    walks = {rig.simulation: GaitControl(robot), direct: GaitControl(robot)}
    for gait in walks.values():
        gait.switch(True)
    start = {simulation: simulation.observe(robot.name).base_position[0] for simulation in walks}
    for number in range(600):
        rig.run(PERIOD)
        direct.step(10)
        seen = direct.observe(robot.name)
        sensed = {
            rig.simulation: Sensed(rig.bridge.position, np.array(imu.turning), np.array(imu.acceleration)),
            direct: Sensed(seen.joint_position, seen.angular_velocity, seen.linear_acceleration),
        }
        commands = {}
        for simulation, gait in walks.items():
            gait.command((0.2, 0.0, 0.0), number * PERIOD)
            commands[simulation] = gait.update(number * PERIOD, sensed[simulation])
        if (through := commands[rig.simulation]) is not None:
            points = np.array([through.position])
            rig.bridge.follow(Trajectory(robot.joint_names, np.array([0.0]), points, None, False))
        if (told := commands[direct]) is not None:
            direct.command(robot.name, told.position.tolist())
    assert not rig.simulation.fallen(robot.name)
    assert rig.bridge.safety.mode == "following"
    far = {simulation: simulation.observe(robot.name).base_position[0] - start[simulation] for simulation in walks}
    assert far[direct] > 0.4
    # The steps are the same but for noise and counts; a bus that holds legs back would cost a tenth.
    assert far[rig.simulation] == pytest.approx(far[direct], rel=0.05)
