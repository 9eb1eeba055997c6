"""What keeps a robot and its neighbours whole: when it may move, how fast, and when it goes limp. Pure.

Modes: 'passive' (from the start: only reads, nothing is sent), 'starting' (torque comes on where the joints are),
'ramping' (slowly from there to where it is commanded), 'following', 'soft' (holds with little torque: it has fallen,
a fall would not be seen, or a servo complains) and 'relaxed' (torque off). Only an explicit enable leads out of
passive, soft and relaxed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from humanoid_description.command import CommandRefused

Array = NDArray[np.float64]
ARRIVED = 0.03
"""rad from where it is commanded at which a joint need not be slow any longer."""
POWERED = ("starting", "ramping", "following", "soft")


@dataclass(frozen=True)
class Limits:
    """Bounds of safe work."""

    lower: Array
    """Least angle per joint, rad."""
    upper: Array
    """Greatest angle per joint, rad."""
    max_speed: Array
    """Greatest speed of a goal per joint, rad/s."""
    ramp_speed: float = 0.5
    """Speed with which goals leave the pose that was found, rad/s."""
    reach: float = float(np.radians(1.0))
    """How far beyond its limits a joint may be found, rad."""
    max_temperature: float = 70.0
    """degC."""
    lowest_voltage: float = 0.0
    """V."""
    highest_voltage: float = 100.0
    """V."""
    voltage_seconds: float = 1.0
    """How long the voltage may be outside, s: a step takes it down for a moment."""
    relax_after: float = 60.0
    """s without commands after which the servos are switched off."""
    known_for: float = 0.05
    """Age up to which a position is good enough to switch on by, s."""
    lost_after: float = 0.2
    """s of silence after which a joint counts as lost, and is taken up anew from where it is found."""
    blind_after: float = 0.5
    """s of silence of the inertial sensor, while joints answer, after which it goes soft: a fall would not be seen."""
    fallen_tilt: float = float(np.radians(50.0))
    """rad from upright."""
    soft_share: float = 0.2
    """Torque limit over the servos' own when soft."""


@dataclass(frozen=True)
class Seen:
    """What is known of the joints now, in the order of Limits; what is not known is NaN."""

    position: Array
    """rad."""
    age: Array
    """s since the joint answered; 0 if it did in this cycle, infinite if it never did."""
    temperature: Array
    """degC."""
    voltage: Array
    """V."""
    errors: Sequence[tuple[str, ...]]
    """Of the servos."""
    upright: float | None = None
    """Cosine of the tilt; None if it was never measured."""
    upright_age: float = 0.0
    """s since it was measured; 0 if there is no inertial sensor, infinite if it never answered."""


class Safety:
    """Decides in every cycle what may be sent."""

    def __init__(self, joint_names: Sequence[str], limits: Limits) -> None:
        self.limits = limits
        self.mode = "passive"
        self.reason = "nothing moves before it is enabled"
        self._names = tuple(joint_names)
        self._goal = np.full(len(joint_names), np.nan)
        self._lost = np.zeros(len(joint_names), dtype=bool)
        self._slow = np.zeros(len(joint_names), dtype=bool)
        self._commanded = self._enabled = self._voltage_good = self._sighted = -np.inf
        self._fell = False
        self._cycles_on = 0

    @property
    def powered(self) -> bool:
        """Whether the servos shall have torque."""
        return self.mode in POWERED

    @property
    def torque_share(self) -> float:
        """Torque limit over the servos' own."""
        return self.limits.soft_share if self.mode == "soft" else 1.0

    @property
    def lost(self) -> NDArray[np.bool_]:
        """Joints that have been silent for long."""
        return self._lost

    def enable(self, seen: Seen, now: float) -> None:
        """Start from the pose that is seen, or CommandRefused."""
        if self.mode in ("starting", "ramping", "following"):
            return
        if seen.upright_age > self.limits.known_for:
            raise CommandRefused(
                "torque: the inertial sensor does not answer, so a fall would not be seen. Check its cable, power and "
                "id; if the robot has none, take imu_model and imu_id out of robot.yaml."
            )
        for joint, name in enumerate(self._names):
            if seen.age[joint] > self.limits.known_for:
                raise CommandRefused(f"torque: {name} does not answer. Check its cable, power and id.")
            if seen.errors[joint]:
                flags = ", ".join(seen.errors[joint])
                raise CommandRefused(f"torque: {name} reports {flags}. Remove the cause and restart the servo.")
            beyond = max(
                self.limits.lower[joint] - seen.position[joint], seen.position[joint] - self.limits.upper[joint]
            )
            if beyond > self.limits.reach:
                raise CommandRefused(
                    f"torque: {name} is {np.degrees(beyond):.1f} degrees beyond its limits. Move it back by hand; "
                    "if it is within them, its zero or sign in robot.yaml is wrong."
                )
            temperature, voltage = seen.temperature[joint], seen.voltage[joint]
            if np.isnan(temperature) or np.isnan(voltage):
                raise CommandRefused(f"torque: {name} has not told its temperature and voltage yet. Try again.")
            if temperature > self.limits.max_temperature:
                raise CommandRefused(f"torque: {name} has {temperature:.0f} degC. Let it cool down.")
            low, high = self.limits.lowest_voltage, self.limits.highest_voltage
            if not low <= voltage <= high:
                raise CommandRefused(
                    f"torque: {name} has {voltage:.1f} V, not {low:g} to {high:g}. Charge or change the battery."
                )
        self._goal = np.clip(seen.position, self.limits.lower, self.limits.upper)
        self._commanded = self._enabled = self._voltage_good = self._sighted = now
        self._lost[:] = False
        self._slow[:] = True
        self._fell = seen.upright is not None and seen.upright < np.cos(self.limits.fallen_tilt)
        self._cycles_on = 0
        self._change("starting", "enabled")

    def relax(self, reason: str) -> None:
        """Switch off."""
        self._change("relaxed", reason)

    def commanded(self, now: float) -> None:
        """Note that a command came; CommandRefused if nothing can be moved."""
        if self.mode not in ("starting", "ramping", "following"):
            raise CommandRefused(f"joint_trajectory: the robot is {self.mode}: {self.reason}. Call torque with true.")
        self._commanded = max(now, np.nextafter(self._enabled, np.inf))

    def step(self, wanted: Array, seen: Seen, now: float, dt: float) -> Array | None:
        """Goals to send, rad, none of them outside the limits; None if nothing shall be sent.

        Args:
            wanted: Where the commands want the joints, rad.
            seen: What is known of the joints.
            now: Time, s.
            dt: Since the last step, s.
        """
        if not self.powered:
            return None
        self._watch(seen, now)
        if not self.powered:
            return None
        self._cycles_on += 1
        if self.mode == "starting":
            if self._cycles_on > 2:  # goals first, then torque
                self._change("ramping", "slow until where it is first commanded is reached")
            return self._goal.copy()
        found_again = self._lost & (seen.age == 0.0)
        self._lost = seen.age > self.limits.lost_after
        within = np.clip(wanted, self.limits.lower, self.limits.upper)
        # A joint that was lost may have been moved meanwhile: it too starts from where it is found.
        here = np.clip(seen.position, self.limits.lower, self.limits.upper)
        self._goal = np.where(found_again, here, self._goal)
        self._slow |= found_again
        if self.mode == "soft":
            return self._goal.copy()
        speed = np.where(self._slow, self.limits.ramp_speed, self.limits.max_speed)
        change = np.clip(within - self._goal, -speed * dt, speed * dt)
        self._goal = np.where(self._lost, self._goal, self._goal + change)
        if self._commanded > self._enabled:  # until the first command comes nothing is known to be reached
            self._slow &= np.abs(self._goal - within) > ARRIVED
        if self.mode == "ramping" and not self._lost.all() and not self._slow[~self._lost].any():
            self._change("following", "following commands")
        return self._goal.copy()

    def _watch(self, seen: Seen, now: float) -> None:
        limits = self.limits
        if now - self._commanded > limits.relax_after:
            self.relax(f"no command for {limits.relax_after:g} s")
            return
        if seen.upright is not None:
            fallen = seen.upright < np.cos(limits.fallen_tilt)
            if fallen and not self._fell:
                self._change("soft", "the robot has fallen")
            self._fell = fallen
        if seen.upright_age == 0.0 or (seen.age > limits.lost_after).all():  # without its port nothing moves anyway
            self._sighted = now
        elif now - self._sighted > limits.blind_after and self.mode != "soft":
            self._change("soft", "the inertial sensor is silent, so a fall would not be seen")
        for name, errors in zip(self._names, seen.errors, strict=True):
            others = [error for error in errors if error != "voltage"]  # which may come and go, see below
            if others and self.mode != "soft":
                self._change("soft", f"{name} reports {', '.join(others)}")
        hot = seen.temperature > limits.max_temperature
        if hot.any() and self.mode != "soft":
            self._change("soft", f"{self._name(hot)} is hotter than {limits.max_temperature:g} degC")
        bad = (seen.voltage < limits.lowest_voltage) | (seen.voltage > limits.highest_voltage)
        bad |= np.array(["voltage" in errors for errors in seen.errors])
        if not bad.any():
            self._voltage_good = now
        elif now - self._voltage_good > limits.voltage_seconds and self.mode != "soft":
            self._change("soft", f"{seen.voltage[bad][0]:.1f} V at {self._name(bad)}. Charge or change the battery")

    def _name(self, which: NDArray[np.bool_]) -> str:
        return self._names[int(np.flatnonzero(which)[0])]

    def _change(self, mode: str, reason: str) -> None:
        self.mode, self.reason = mode, reason
