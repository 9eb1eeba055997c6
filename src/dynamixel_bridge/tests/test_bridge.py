"""The bridge of a whole robot, on virtual servos and simulated time."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from dynamixel_bridge.bridge import Bridge, default_limits
from dynamixel_bridge.links import SimulatedLinks
from dynamixel_bridge.virtual_faults import Faults
from dynamixel_bridge.virtual_line import VirtualLine
from dynamixel_bridge.virtual_robot import virtual_devices
from dynamixel_bridge.virtual_servo import Drive, FreeBody, VirtualImu, VirtualServo
from humanoid_description import Robot, RobotError, load_robot
from humanoid_description.command import CommandRefused, Trajectory
from humanoid_description.parameters import RobotParameters

PERIOD = 0.01
KNOWN = 0.2  # s in which the health of 20 servos has been read once


class Rig:
    """A robot, its virtual servos, and the bridge to them."""

    def __init__(self, robot: Robot | None = None, faults: Faults | None = None, **options: object) -> None:
        self.robot = robot or load_robot("fibo_km")
        self.body = FreeBody()
        self.devices = virtual_devices(self.robot, self.body)
        lines = {port: VirtualLine(found, faults) for port, found in self.devices.items()}
        self.links = SimulatedLinks(lines, 1_000_000)
        self.bridge = Bridge(self.robot, self.links, clock=self.links.clock, period=PERIOD, **options)
        self._cycles = 0

    @property
    def servos(self) -> list[VirtualServo]:
        return [d for found in self.devices.values() for d in found if isinstance(d, VirtualServo)]

    def run(self, seconds: float) -> list[dict[str, float]]:
        sent = []
        for _ in range(round(seconds / PERIOD)):
            self._cycles += 1
            self.links.wait_until(self._cycles * PERIOD)
            sent.append(dict(self.bridge.cycle()))
        return sent

    def torque(self) -> set[int]:
        return {servo.get("torque_enable") for servo in self.servos}


def trajectory(joint: str, angle: float, seconds: float) -> Trajectory:
    return Trajectory((joint,), np.array([seconds]), np.array([[angle]]), None, False)


@pytest.fixture(scope="module")
def fibo() -> Robot:
    """FIBO-KM."""
    return load_robot("fibo_km")


def changed(robot: Robot, **joints: dict[str, object]) -> Robot:
    """A robot with other mountings of its servos."""
    old = robot.parameters
    new = {name: dataclasses.replace(joint, **joints.get(name, {})) for name, joint in old.joints.items()}
    parameters: RobotParameters = dataclasses.replace(old, joints=new)
    return dataclasses.replace(robot, parameters=parameters)


def test_nothing_is_sent_and_nothing_moves_before_it_is_enabled(fibo: Robot) -> None:
    rig = Rig(fibo)
    rig.body.angles.update({servo.id: 0.1 for servo in rig.servos})
    assert not any(rig.run(0.5))
    assert rig.torque() == {0}
    assert rig.bridge.fresh.all()
    assert rig.bridge.position == pytest.approx(np.full(20, 0.1), abs=0.003)
    with pytest.raises(CommandRefused, match="Call torque with true"):
        rig.bridge.follow(trajectory("head_yaw", 0.2, 1.0))


def test_it_starts_from_the_pose_it_finds_without_a_jerk(fibo: Robot) -> None:
    rig = Rig(fibo)
    rig.body.angles.update({servo.id: 0.05 + 0.001 * servo.id for servo in rig.servos})
    rig.run(KNOWN)
    before = dict(rig.body.angles)
    rig.bridge.enable()
    sent = rig.run(0.2)
    assert rig.torque() == {1}
    assert np.degrees(rig.bridge.largest_first_step) < 0.3
    after = np.array([rig.body.angles[id_] - angle for id_, angle in before.items()])
    assert np.degrees(np.abs(after).max()) < 0.3  # half a count
    assert sent[-1]["head_yaw"] == pytest.approx(0.05 + 0.019, abs=0.003)


def test_trajectories_are_followed_between_their_points(fibo: Robot) -> None:
    rig = Rig(fibo)
    rig.run(KNOWN)
    rig.bridge.enable()
    rig.run(0.1)
    rig.bridge.follow(trajectory("left_knee", 1.0, 1.0))
    sent = [goals["left_knee"] for goals in rig.run(1.2)]
    assert sent[49] == pytest.approx(0.5, abs=0.02)
    assert sent[-1] == pytest.approx(1.0)
    assert np.diff(sent).max() < 0.012
    column = fibo.joint_names.index("left_knee")
    assert rig.bridge.position[column] == pytest.approx(1.0, abs=0.003)
    assert rig.bridge.stop() == "holding the present posture"


def test_signs_and_zeros_of_the_mounting(fibo: Robot) -> None:
    rig = Rig(changed(fibo, left_knee={"sign": -1, "zero": 0.3}))
    id_ = fibo.parameters.joints["left_knee"].bus_id
    assert id_ is not None
    rig.body.angles[id_] = 0.3 - 0.2
    rig.run(KNOWN)
    column = fibo.joint_names.index("left_knee")
    assert rig.bridge.position[column] == pytest.approx(0.2, abs=0.003)
    rig.bridge.enable()
    rig.bridge.follow(trajectory("left_knee", 0.7, 0.5))
    rig.run(1.0)
    assert rig.body.angles[id_] == pytest.approx(0.3 - 0.7, abs=0.003)


def test_several_ports_run_side_by_side(fibo: Robot) -> None:
    legs = {name: {"port": "legs"} for name in fibo.joint_names if "hip" in name or "knee" in name or "ankle" in name}
    robot = changed(fibo, **legs)
    bus = dataclasses.replace(fibo.parameters.bus, ports=("body", "legs"))
    robot = dataclasses.replace(robot, parameters=dataclasses.replace(robot.parameters, bus=bus))
    rig = Rig(robot)
    rig.run(KNOWN)
    assert rig.bridge.fresh.all()
    assert {name: len(bus.servos) for name, bus in rig.bridge.buses.items()} == {"body": 8, "legs": 12}
    before = rig.links.now
    rig.links.exchange({name: bus.cycle({}) for name, bus in rig.bridge.buses.items()})
    assert rig.links.now - before < 0.003  # one bus takes 4.6 ms
    rig.bridge.enable()
    rig.run(0.1)
    rig.links.lines["legs"].plugged = False
    rig.run(0.1)
    assert list(rig.bridge.absent) == ["legs"]
    assert rig.bridge.fresh.sum() == 8


def test_a_bad_bus_cannot_keep_it_from_relaxing(fibo: Robot) -> None:
    rig = Rig(fibo, Faults(lost=0.5, corrupted=0.3))
    for servo in rig.servos:
        servo.put("torque_enable", 1)
    rig.bridge.relax()
    rig.run(1.0)
    assert rig.torque() == {0}


def running(robot: Robot, **options: object) -> Rig:
    """A bridge whose servos are on."""
    rig = Rig(robot, **options)
    rig.run(KNOWN)
    rig.bridge.enable()
    rig.run(KNOWN)
    assert rig.torque() == {1}
    return rig


def test_relaxing_waits_for_a_port_that_is_away(fibo: Robot) -> None:
    rig = running(fibo)
    (line,) = rig.links.lines.values()
    line.plugged = False
    rig.bridge.relax()
    rig.run(2.0)
    assert len(rig.bridge.maybe_on) == 20
    line.plugged = True
    rig.run(0.1)
    assert rig.torque() == {0}
    rig.run(0.5)
    assert rig.bridge.maybe_on == []


def test_relaxing_waits_for_a_servo_that_is_deaf(fibo: Robot) -> None:
    rig = running(fibo)
    rig.servos[3].dead = True
    rig.bridge.relax()
    rig.run(2.0)
    assert rig.bridge.maybe_on == [fibo.joint_names[3]]
    rig.servos[3].dead = False
    rig.run(1.0)
    assert rig.torque() == {0}
    assert rig.bridge.maybe_on == []
    rig.servos[3].put("torque_enable", 1)  # by another program
    rig.run(0.5)
    assert rig.torque() == {0}


def test_it_relaxes_without_commands_though_the_port_is_away(fibo: Robot) -> None:
    rig = running(fibo, limits=dataclasses.replace(default_limits(fibo), relax_after=0.5))
    (line,) = rig.links.lines.values()
    line.plugged = False
    rig.run(2.0)
    line.plugged = True
    rig.run(0.1)
    assert rig.bridge.safety.mode == "relaxed"
    assert rig.torque() == {0}


def test_nobody_is_told_again_once_all_are_off(fibo: Robot) -> None:
    rig = running(fibo)
    rig.bridge.relax()
    rig.run(1.0)
    shouted: list[object] = []
    rig.links.shout = shouted.append  # type: ignore[method-assign,assignment]
    rig.run(1.0)
    assert not shouted


def imu_of(rig: Rig) -> VirtualImu:
    (imu,) = (device for found in rig.devices.values() for device in found if isinstance(device, VirtualImu))
    return imu


def test_a_silent_inertial_sensor_makes_it_soft_and_keeps_it_from_being_enabled(fibo: Robot) -> None:
    rig = running(fibo)
    imu_of(rig).dead = True
    rig.run(0.4)
    assert rig.bridge.safety.mode == "ramping"
    rig.run(0.3)
    assert rig.bridge.safety.mode == "soft"
    assert "inertial sensor is silent" in rig.bridge.safety.reason
    with pytest.raises(CommandRefused, match="inertial sensor does not answer"):
        rig.bridge.enable()
    imu_of(rig).dead = False
    rig.run(0.1)
    rig.bridge.enable()
    rig = Rig(fibo)
    imu_of(rig).dead = True
    rig.run(KNOWN)
    with pytest.raises(CommandRefused, match="inertial sensor does not answer"):
        rig.bridge.enable()


def test_a_port_that_was_away_for_long_does_not_make_it_soft(fibo: Robot) -> None:
    rig = running(fibo)
    (line,) = rig.links.lines.values()
    line.plugged = False
    rig.run(3.0)
    line.plugged = True
    rig.run(1.0)
    assert rig.bridge.safety.mode == "ramping"
    assert rig.torque() == {1}


def test_it_is_not_enabled_at_a_bad_voltage_or_before_health_is_known(fibo: Robot) -> None:
    rig = Rig(fibo)
    rig.run(0.1)
    with pytest.raises(CommandRefused, match="has not told its temperature and voltage yet"):
        rig.bridge.enable()
    for servo in rig.servos:
        servo.supply = 8.0
    rig.run(0.5)
    with pytest.raises(CommandRefused, match=r"head_yaw has 8\.0 V, not 12 to 18\.5"):
        rig.bridge.enable()
    assert rig.torque() == {0}


def test_stop_relaxes_when_a_servo_cannot_be_seen(fibo: Robot) -> None:
    rig = Rig(fibo)
    rig.run(KNOWN)
    assert "not moving" in rig.bridge.stop()
    rig.bridge.enable()
    rig.run(0.1)
    rig.servos[0].dead = True
    rig.run(0.4)
    assert "switched off" in rig.bridge.stop()
    rig.run(0.1)
    assert {servo.get("torque_enable") for servo in rig.servos[1:]} == {0}


def test_a_servo_that_restarted_is_switched_on_again(fibo: Robot) -> None:
    rig = Rig(fibo)
    rig.run(KNOWN)
    rig.bridge.enable()
    rig.run(0.2)
    rig.servos[3].boot()
    rig.run(0.1)
    assert rig.torque() == {1}


def test_a_fall_makes_it_soft(fibo: Robot) -> None:
    rig = Rig(fibo)
    rig.run(0.5)
    rig.bridge.enable()
    rig.run(0.2)
    rig.body.imu = lambda: ((0.0, 0.0, 0.0), (9.81, 0.0, 0.0))  # type: ignore[method-assign]
    rig.run(1.0)
    assert (rig.bridge.safety.mode, rig.bridge.safety.reason) == ("soft", "the robot has fallen")
    assert {round(servo.value("torque_limit"), 2) for servo in rig.servos} == {0.2}


def test_without_commands_it_holds_and_then_relaxes(fibo: Robot) -> None:
    rig = Rig(fibo, limits=dataclasses.replace(default_limits(fibo), relax_after=0.5))
    rig.run(KNOWN)
    rig.bridge.enable()
    rig.run(0.4)
    assert rig.torque() == {1}
    rig.run(0.3)
    assert rig.torque() == {0}
    assert rig.bridge.safety.mode == "relaxed"


def test_a_robot_without_a_bus_is_refused() -> None:
    with pytest.raises(RobotError, match="no section 'bus'"):
        default_limits(load_robot("nao"))
    with pytest.raises(RobotError, match="no section 'bus'"):
        virtual_devices(load_robot("nao"), FreeBody())


def test_servos_are_as_stiff_as_robot_yaml_says_before_they_have_torque(fibo: Robot) -> None:
    kinds = {
        key: dataclasses.replace(kind, compliance_slope=2 * kind.compliance_slope, punch=0.1)
        for key, kind in fibo.parameters.servos.items()
    }
    robot = dataclasses.replace(fibo, parameters=dataclasses.replace(fibo.parameters, servos=kinds))
    rig = Rig(robot)
    for servo in rig.servos:
        servo.put("ccw_compliance_margin", 9)
    driven: list[Drive] = []
    rig.body.drive = lambda id_, drive: driven.append(drive)  # type: ignore[method-assign]
    rig.run(KNOWN)
    assert not driven
    rig.bridge.enable()
    rig.run(KNOWN)
    names = ("cw_compliance_margin", "ccw_compliance_margin", "cw_compliance_slope", "ccw_compliance_slope", "punch")
    wanted = (1, 1, 64, 64, 102)
    assert {tuple(servo.get(name) for name in names) for servo in rig.servos} == {wanted}
    first = next(drive for drive in driven if drive.on)
    rows = rig.servos[0].model.rows
    assert [rows[name].nearest(first.rows[name]) for name in names] == list(wanted)
    rig.servos[3].dead = True
    rig.run(0.05)
    rig.servos[3].boot()
    rig.servos[3].dead = False
    rig.run(0.5)
    assert tuple(rig.servos[3].get(name) for name in names) == wanted
