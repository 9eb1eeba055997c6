"""The bridge between a robot's joints and its servos: one cycle after the other, without ROS."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

import numpy as np

from dynamixel_bridge.bus import PATIENCE, Bus
from dynamixel_bridge.control_table import model
from dynamixel_bridge.device import Device, ImuDevice, Servo
from dynamixel_bridge.links import Links
from dynamixel_bridge.safety import Array, Limits, Safety, Seen
from humanoid_description import Robot, RobotError
from humanoid_description.command import Trajectory
from humanoid_description.follower import TrajectoryFollower

TILT_SECONDS = 0.2
"""Time over which acceleration is averaged to tell which way is down, s."""
SHARE_OF_PERIOD = 0.9
"""Of a period that a cycle may take; the rest is for whoever publishes what was read."""
WATCHDOG_SECONDS = 0.5
"""Silence after which servos that have a bus watchdog switch off by themselves, if they are told to, s."""
GOAL_LEAD = 2.0
"""How fast goals may move, in no-load speeds: a shaft cannot follow beyond one, but a goal held to it pulls the less,
so that a leg that swings fast would come late."""
COMPLIANCE = {
    "cw_compliance_margin": "compliance_margin",
    "ccw_compliance_margin": "compliance_margin",
    "cw_compliance_slope": "compliance_slope",
    "ccw_compliance_slope": "compliance_slope",
    "punch": "punch",
}
"""Rows of AX and RX servos, and the parameter of the law 'dynamixel_rx' that each holds. What the counts of PID gains
mean in SI units the maker does not tell, so they stay as they are."""


def default_limits(robot: Robot) -> Limits:
    """Limits that a robot's description gives."""
    parameters = robot.parameters
    joints = parameters.joints.values()
    bus = parameters.servo_bus
    return Limits(
        lower=np.array([joint.lower for joint in joints]),
        upper=np.array([joint.upper for joint in joints]),
        max_speed=GOAL_LEAD * np.array([parameters.servos[joint.servo].no_load_speed for joint in joints]),
        lowest_voltage=bus.voltage[0],
        highest_voltage=bus.voltage[1],
        max_temperature=bus.max_temperature,
    )


def make_buses(robot: Robot, clock: Callable[[], float] = time.monotonic, patience: float = PATIENCE) -> dict[str, Bus]:
    """Buses of a robot by port, as its robot.yaml describes them; clock and patience (s) as in Bus."""
    bus = robot.parameters.servo_bus
    devices: dict[str, list[Device]] = {port: [] for port in bus.ports}
    for name, joint in robot.parameters.joints.items():
        if joint.bus_id is None:
            raise RobotError(f"{robot.name}: joint {name} has no servo id. Add 'id' to it in robot.yaml.")
        devices[joint.port or bus.ports[0]].append(
            Servo(joint.bus_id, model(robot.parameters.servos[joint.servo].model))
        )
    if bus.imu_id is not None and bus.imu_model is not None:
        devices[bus.ports[0]].append(ImuDevice(bus.imu_id, model(bus.imu_model)))
    return {port: Bus(found, bus.baud, clock=clock, patience=patience) for port, found in devices.items() if found}


class Bridge:
    """A robot on its servo buses."""

    def __init__(
        self,
        robot: Robot,
        links: Links,
        limits: Limits | None = None,
        clock: Callable[[], float] = time.monotonic,
        period: float = 0.01,
        patience: float = PATIENCE,
        relax_on_loss: bool = False,
    ) -> None:
        """Make a bridge, which only reads until it is enabled.

        Args:
            robot: With servo ids, signs and zeros.
            links: That carry its buses, named as its ports.
            limits: Of safe work; the robot's own if not given.
            clock: s.
            period: Of a cycle, s.
            patience: With a silent servo, s beyond the line's own time.
            relax_on_loss: Whether servos shall switch off when the bridge dies, rather than hold. Those without a bus
                watchdog (AX, RX, MX 1.0) hold all the same.
        """
        self.robot = robot
        self.buses = make_buses(robot, clock, patience)
        self.safety = Safety(robot.joint_names, limits or default_limits(robot))
        self.absent: dict[str, str] = {}
        """Ports that are gone, each with the reason."""
        self.largest_first_step = 0.0
        """Greatest distance of a goal from where its joint was found when torque came on, rad."""
        self._links = links
        self._clock = clock
        self._period = period
        self._watchdog = WATCHDOG_SECONDS if relax_on_loss else 0.0
        joints = robot.parameters.joints
        self._place = {
            name: next((port, joint.bus_id) for port, bus in self.buses.items() if joint.bus_id in bus.servos)
            for name, joint in joints.items()
            if joint.bus_id is not None
        }
        self.servos = [self.buses[port].servos[id_] for port, id_ in self._place.values()]
        """In the order of Robot.joint_names."""
        self.imu = next(
            (device for bus in self.buses.values() for device in bus.devices.values() if isinstance(device, ImuDevice)),
            None,
        )
        self._sign = np.array([joint.sign for joint in joints.values()], dtype=float)
        self._zero = np.array([joint.zero for joint in joints.values()])
        self._stall = np.array([robot.parameters.servos[joint.servo].stall_torque for joint in joints.values()])
        self._compliance: dict[str, dict[str, dict[int, float]]] = {name: {} for name in self.buses}
        """Values (SI units) by bus, row and id."""
        for name, (port, id_) in self._place.items():
            kind = robot.parameters.servos[joints[name].servo]
            for row, parameter in COMPLIANCE.items() if kind.law == "dynamixel_rx" else ():
                self._compliance[port].setdefault(row, {})[id_] = getattr(kind, parameter)
        self._follower = TrajectoryFollower(robot.joint_names, np.zeros(robot.dof))
        self._answered = np.full(robot.dof, -np.inf)
        self._down = np.zeros(3)
        self._down_seen = -np.inf
        self._last = clock()

    @property
    def position(self) -> Array:
        """Joint angles, rad; NaN before the first answer."""
        return np.asarray(self._sign * (np.array([servo.position for servo in self.servos]) - self._zero))

    @property
    def velocity(self) -> Array:
        """Joint speeds, rad/s."""
        return np.asarray(self._sign * np.array([servo.speed for servo in self.servos]))

    @property
    def effort(self) -> Array:
        """Joint torques, N m, as far as the servos know them."""
        return np.asarray(self._sign * self._stall * np.array([servo.load for servo in self.servos]))

    @property
    def fresh(self) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Which joints answered in the last cycle."""
        return np.array([servo.fresh for servo in self.servos])

    @property
    def maybe_on(self) -> list[str]:
        """Joints that shall be relaxed but whose servo has not yet told that its torque is off."""
        if self.safety.mode != "relaxed":
            return []
        return [name for name, servo in zip(self._place, self.servos, strict=True) if servo.torque_on is not False]

    def seen(self) -> Seen:
        """What is known of the joints now."""
        norm = float(np.linalg.norm(self._down))
        return Seen(
            position=self.position,
            age=np.where(self.fresh, 0.0, self._clock() - self._answered),
            temperature=np.array([servo.temperature for servo in self.servos]),
            voltage=np.array([servo.voltage for servo in self.servos]),
            errors=[servo.errors for servo in self.servos],
            upright=float(self._down[2]) / norm if norm > 0 else None,
            upright_age=0.0 if self.imu is None or self.imu.fresh else self._clock() - self._down_seen,
        )

    def enable(self) -> None:
        """Switch the servos on where they are, or CommandRefused."""
        self.safety.enable(self.seen(), self._clock())
        self._doubt_torque()
        self._follower.hold(self.position)
        for bus in self.buses.values():
            for id_ in bus.servos:
                bus.forget_written(id_)

    def relax(self, reason: str = "switched off") -> None:
        """Switch all servos off now. Needs no answer, and is repeated until every servo has told that it is off."""
        self.safety.relax(reason)
        self._doubt_torque()
        self._shout_relax()

    def stop(self) -> str:
        """Hold the present posture, forgetting all commands; relax if the joints cannot be seen. Returns which."""
        if not self.safety.powered:
            return f"not moving: {self.safety.reason}"
        if (self.seen().age > self.safety.limits.lost_after).any():
            self.relax("stopped while a servo is silent")
            return "switched off, as a servo is silent"
        self._follower.hold(self.position)
        return "holding the present posture"

    def follow(self, trajectory: Trajectory) -> None:
        """Take a command, or CommandRefused."""
        now = self._clock()
        self.safety.commanded(now)
        self._follower.follow(trajectory, now)

    def cycle(self) -> Mapping[str, float]:
        """Command and read everything once; returns the goals that were sent, rad by joint."""
        now = self._clock()
        dt, self._last = min(now - self._last, 3 * self._period), now
        mode = self.safety.mode
        goals = self.safety.step(self._follower.target(now)[0], self.seen(), now, dt)
        if mode != "relaxed" and self.safety.mode == "relaxed":
            self._doubt_torque()
        if self.maybe_on:
            self._shout_relax()
        per_bus: dict[str, dict[int, float]] = {name: {} for name in self.buses}
        if goals is not None:
            if mode == "starting":
                self.largest_first_step = max(self.largest_first_step, float(np.abs(goals - self.position).max()))
            angles = self._sign * goals + self._zero
            for (port, id_), angle in zip(self._place.values(), angles, strict=True):
                per_bus[port][id_] = float(angle)
            self._write_changes(per_bus)
        end = now + SHARE_OF_PERIOD * self._period
        self.absent = self._links.exchange({name: bus.cycle(per_bus[name], end) for name, bus in self.buses.items()})
        for name in self.absent:
            self.buses[name].absent()
        self._answered[self.fresh] = now
        if self.imu is not None and self.imu.fresh:
            self._down += (np.array(self.imu.acceleration) - self._down) * min(1.0, self._period / TILT_SECONDS)
            self._down_seen = now
        return {} if goals is None else dict(zip(self._place, map(float, goals), strict=True))

    def _write_changes(self, per_bus: Mapping[str, Mapping[int, float]]) -> None:
        for servo, (port, id_) in zip(self.servos, self._place.values(), strict=True):
            if servo.silent_cycles or servo.torque_on is False:  # it may have restarted
                self.buses[port].forget_written(id_)
        for name, bus in self.buses.items():
            for row, values in self._compliance[name].items():
                bus.write(row, values)
            bus.write("torque_limit", dict.fromkeys(per_bus[name], self.safety.torque_share))
            bus.write("goal_speed", dict.fromkeys(per_bus[name], 0.0))
            bus.write("bus_watchdog", dict.fromkeys(per_bus[name], self._watchdog))
            if self.safety.mode != "starting":
                bus.write("torque_enable", dict.fromkeys(per_bus[name], 1.0))

    def _doubt_torque(self) -> None:
        """Believe no servo to be on or off until it has told so from now on."""
        for servo in self.servos:
            servo.torque_on = None

    def _shout_relax(self) -> None:
        self._links.shout({name: bus.relax_now() for name, bus in self.buses.items()})
