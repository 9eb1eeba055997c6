"""Servos and inertial sensor of the virtual bus, moved by whatever body they are in."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from dynamixel_bridge.control_table import Model
from dynamixel_bridge.virtual_device import VirtualDevice

OVERLOAD_SECONDS = 1.0
"""How long a servo bears a load above OVERLOAD_SHARE before it calls it an overload."""
OVERLOAD_SHARE = 0.9
BROWN_OUT, SAG = 4.0, 0.3
"""V that are left in a brown-out, below which a servo restarts again and again; V that full load takes."""
AMBIENT, HEATING, COOLING = 25.0, 60.0, 300.0
"""degC around; degC above it that full load leads to; s with which temperature follows."""


@dataclass(frozen=True)
class Shaft:
    """State of a servo's output."""

    angle: float
    """From the centre of its travel, rad."""
    speed: float
    """rad/s."""
    load: float
    """Torque over stall torque, -1 to 1."""


@dataclass(frozen=True)
class Drive:
    """What a servo does to its joint."""

    on: bool
    goal: float
    """rad from the centre of its travel."""
    max_speed: float
    """rad/s; infinite for none."""
    torque_share: float
    """Greatest torque over stall torque."""
    rows: Mapping[str, float]
    """The gains of its law: rows of the control table by name, in SI units or counts."""


class Body(Protocol):
    """What the servos move: the simulated robot, or nothing at all."""

    def shaft(self, id_: int) -> Shaft:
        """State of the shaft of a servo."""

    def drive(self, id_: int, drive: Drive) -> None:
        """Take over what a servo does."""

    def imu(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Turning rate (rad/s) and acceleration (m/s^2) of the inertial sensor along its axes."""


class FreeBody:
    """Shafts without load that are at once where they are sent."""

    def __init__(self) -> None:
        self.angles: dict[int, float] = {}

    def shaft(self, id_: int) -> Shaft:
        """State of the shaft of a servo."""
        return Shaft(self.angles.get(id_, 0.0), 0.0, 0.0)

    def drive(self, id_: int, drive: Drive) -> None:
        """Go there."""
        if drive.on:
            self.angles[id_] = drive.goal

    def imu(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """At rest."""
        return (0.0, 0.0, 0.0), (0.0, 0.0, 9.80665)


COMPLIANCE_ROWS = ("cw_compliance_margin", "ccw_compliance_margin", "cw_compliance_slope", "ccw_compliance_slope")
GAIN_ROWS = (*COMPLIANCE_ROWS, "punch", "p_gain", "i_gain", "d_gain")
DRIVE_ROWS = {"torque_enable", "goal_position", "goal_speed", "torque_limit", "max_torque", *GAIN_ROWS}


class VirtualServo(VirtualDevice):
    """A servo: measures its shaft, drives it, grows warm, and switches off when its alarms say so."""

    def __init__(self, model: Model, id_: int, body: Body, eeprom: Mapping[str, int] | None = None) -> None:
        self._body = body
        self.id_in_body = id_
        """Which servo of the body it is, whatever id it answers to."""
        self.supply = 12.0
        """V."""
        self.temperature = AMBIENT + 10
        """degC."""
        self.stuck_at: float | None = None
        """Angle (rad) at which the encoder stands still, or None."""
        self.browned_out = False
        """Whether the supply has broken down."""
        self.silence = 0.0
        """s since it heard anything on the bus."""
        self._overloaded_for = 0.0
        super().__init__(model, id_, eeprom)
        self.boot()

    def boot(self, keep_eeprom: bool = True) -> None:
        """Start as after power-on: torque off, goal where the shaft is."""
        super().boot(keep_eeprom)
        self._overloaded_for = 0.0
        self.put("torque_limit", self.get("max_torque"))
        self.refresh()
        self.put("goal_position", self.get("present_position"))
        self._apply()

    def wrote(self, names: set[str]) -> None:
        """Move, unless an alarm has switched the servo off."""
        if self.alarms & self.get("shutdown"):
            self.put("torque_enable", 0)
        elif self.model.protocol == 1 and "goal_position" in names:
            self.put("torque_enable", 1)  # these servos switch on when they are sent somewhere
        if names & DRIVE_ROWS:
            self._apply()

    def refresh(self) -> None:
        """Measure."""
        shaft = self._body.shaft(self.id_in_body)
        self.measure("present_position", shaft.angle if self.stuck_at is None else self.stuck_at)
        self.measure("present_speed", shaft.speed if self.stuck_at is None else 0.0)
        self.measure("present_load", shaft.load)
        self.measure("present_voltage", BROWN_OUT if self.browned_out else self.supply - SAG * abs(shaft.load))
        self.measure("present_temperature", self.temperature)

    def advance(self, seconds: float) -> None:
        """Let time pass for temperature and alarms."""
        load = abs(self._body.shaft(self.id_in_body).load)
        self.temperature += (AMBIENT + HEATING * load * load - self.temperature) * seconds / COOLING
        self._overloaded_for = self._overloaded_for + seconds if load > OVERLOAD_SHARE else 0.0
        self.silence += seconds
        if self.browned_out:
            self.boot()
            return
        if "bus_watchdog" in self.model.rows and 0 < self.value("bus_watchdog") < self.silence:
            self.put("bus_watchdog", 0)
            self.put("torque_enable", 0)
            self._apply()
        alarms = {
            "overload": self._overloaded_for > OVERLOAD_SECONDS,
            "overheat": self.temperature > self.value("temperature_limit"),
            "voltage": not self.value("lowest_voltage") <= self.supply <= self.value("highest_voltage"),
        }
        latched = self.alarms if self.model.protocol == 2 else 0  # until the next start
        self.alarms = latched | sum(self.model.errors[name] for name, on in alarms.items() if on)
        if "hardware_error" in self.model.rows:
            self.put("hardware_error", self.alarms)
        if self.alarms & self.get("shutdown") and self.get("torque_enable"):
            self.put("torque_enable", 0)
            self._apply()

    def _apply(self) -> None:
        speed = self.value("goal_speed")
        gains = {name: self.value(name) for name in GAIN_ROWS if name in self.model.rows}
        share = min(self.value("torque_limit"), self.value("max_torque"))
        goal = self.value("goal_position")
        on = self.get("torque_enable") == 1
        self._body.drive(self.id_in_body, Drive(on, goal, speed if speed > 0 else math.inf, share, gains))


class VirtualImu(VirtualDevice):
    """A sub-controller that measures turning and acceleration."""

    def __init__(self, model: Model, id_: int, body: Body, eeprom: Mapping[str, int] | None = None) -> None:
        super().__init__(model, id_, eeprom)
        self._body = body
        self.supply = 12.0
        """V."""

    def refresh(self) -> None:
        """Measure."""
        turning, acceleration = self._body.imu()
        for axis, rate, pull in zip("xyz", turning, acceleration, strict=True):
            self.measure(f"gyro_{axis}", rate)
            self.measure(f"acceleration_{axis}", pull)
        self.measure("present_voltage", self.supply)
