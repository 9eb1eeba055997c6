"""Devices of a bus as their controller knows them: what is read of them, and what it means."""

from __future__ import annotations

import math
import struct
from abc import ABC, abstractmethod
from collections import Counter

from dynamixel_bridge.control_table import Model
from dynamixel_bridge.packet import ALERT, Block

HARD_ERRORS = ("voltage", "overheat", "overload", "encoder", "shock")
"""Errors of the servo itself, not of what it was told."""
NAN = math.nan


class Device(ABC):
    """A device of the bus as its controller knows it."""

    def __init__(self, id_: int, model: Model, block: Block) -> None:
        self.id = id_
        self.model = model
        self.block = block
        """What is read in every cycle."""
        self.fresh = False
        """Whether it answered in the last cycle."""
        self.asked = False
        """Whether it was asked in the last cycle; some are not when its time is too short."""
        self.silent_cycles = 0
        """In a row."""
        self.counts: Counter[str] = Counter()
        """Of asked, answered, missed, stale (cycles)."""
        self.errors: tuple[str, ...] = ()

    @abstractmethod
    def take(self, data: bytes) -> None:
        """Take over what was read."""

    def take_error(self, error: int) -> None:
        """Take over the error byte of an answer."""
        if self.model.protocol == 1:
            names = self.model.error_names(error) if error else ()
            self.errors = tuple(name for name in names if name in HARD_ERRORS)
        elif not error & ALERT:
            self.errors = ()
        elif not self.errors:
            self.errors = ("alert",)


class Servo(Device):
    """A servo: angle (rad from the centre of its travel), speed (rad/s), load (share of stall torque)."""

    def __init__(self, id_: int, model: Model) -> None:
        names = ("present_position", "present_speed", "present_load")
        super().__init__(id_, model, model.span(*names))
        self.position = self.speed = self.load = NAN
        self.voltage = self.temperature = NAN
        """V, degC; read one servo a cycle."""
        self.goal_row = model.rows["goal_position"]
        self.torque_on: bool | None = None
        """As last read; None if that is not known, or no longer."""
        rows = sorted((model.rows[name] for name in names), key=lambda row: row.address)
        letters = {1: "B", 2: "H", 4: "I"}
        kinds = [letters[row.size].lower() if row.sign == "signed" else letters[row.size] for row in rows]
        self._unpack = struct.Struct("<" + "".join(kinds)).unpack
        self._parts = [(model.rows[name], [row.name for row in rows].index(name)) for name in names]
        health = model.span("present_voltage", "present_temperature")
        slow = [health, model.rows["torque_enable"].block]
        self.slow_blocks = slow + ([model.rows["hardware_error"].block] if "hardware_error" in model.rows else [])
        """What is read now and then, in turn; first its health."""

    def take(self, data: bytes) -> None:
        """Take over position, speed and load."""
        raw = self._unpack(data)
        (position, at_position), (speed, at_speed), (load, at_load) = self._parts
        self.position = position.value_of(raw[at_position])
        self.speed = speed.value_of(raw[at_speed])
        self.load = load.value_of(raw[at_load])

    def take_slow(self, block: Block, data: bytes) -> None:
        """Take over one of the slow blocks."""
        rows = self.model.rows
        if block == rows["torque_enable"].block:
            self.torque_on = data[0] == 1
        elif "hardware_error" in rows and block == rows["hardware_error"].block:
            names = self.model.error_names(data[0])
            self.errors = names
        else:
            for name in ("voltage", "temperature"):
                row = rows[f"present_{name}"]
                start = row.address - block.address
                setattr(self, name, row.value(data[start : start + row.size]))


class ImuDevice(Device):
    """A sub-controller with gyroscope (rad/s) and accelerometer (m/s^2)."""

    def __init__(self, id_: int, model: Model) -> None:
        super().__init__(id_, model, model.span("gyro_x", "gyro_z", "acceleration_z", "acceleration_x"))
        self.turning = self.acceleration = (NAN, NAN, NAN)

    def take(self, data: bytes) -> None:
        """Take over what is measured."""

        def axes(name: str) -> tuple[float, float, float]:
            rows = [self.model.rows[f"{name}_{axis}"] for axis in "xyz"]
            places = [row.address - self.block.address for row in rows]
            x, y, z = (row.value(data[at : at + 2]) for row, at in zip(rows, places, strict=True))
            return x, y, z

        self.turning, self.acceleration = axes("gyro"), axes("acceleration")
