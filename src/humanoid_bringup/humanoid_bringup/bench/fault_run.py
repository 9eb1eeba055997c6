"""A long run of the bridge on a bad line, on simulated time: what was published, what was sent, what was counted."""

from __future__ import annotations

import contextlib
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dynamixel_bridge.bridge import Bridge
from dynamixel_bridge.links import SimulatedLinks
from dynamixel_bridge.virtual_faults import Event, Faults
from dynamixel_bridge.virtual_line import VirtualLine
from dynamixel_bridge.virtual_robot import virtual_devices
from dynamixel_bridge.virtual_servo import FreeBody, VirtualServo
from humanoid_description import Robot
from humanoid_description.command import CommandRefused, Trajectory

PERIOD = 0.01
"""s."""
COMMAND_EVERY = 50
"""cycles."""
BAD_LINE = Faults(lost=0.01, corrupted=0.01, late=0.005, late_by=0.02)
MEMORY = 4
"""Cycles for which a position that a servo had is not a wrong one: a late answer, asked for again, is that old."""


@dataclass(frozen=True)
class FaultRun:
    """What became of a run."""

    cycles: int
    injected: dict[str, int]
    """Faults by kind."""
    counted: dict[str, int]
    """What the bridge's diagnostics say."""
    published: int
    """Positions."""
    wrong_positions: int
    """Published, but not where the servo was then."""
    goals: int
    """That arrived at servos."""
    goals_outside: int
    """Of them, outside the joint's limits."""
    longest_cycle: float
    """s."""
    late_cycles: int
    """That took longer than the period."""
    uncounted: int
    """Faults of answers that no counter of the bridge noticed."""

    @property
    def good(self) -> bool:
        """Whether all is as it must be."""
        return not (self.wrong_positions or self.goals_outside or self.late_cycles or self.uncounted > 0)


def fault_run(robot: Robot, cycles: int, seed: int, progress: Callable[[int], None] = lambda done: None) -> FaultRun:
    """Drive a robot with wild commands for a number of cycles while packets vanish, change and come late.

    One servo dies at 30 % of the time and returns at 32 %; the adapter is unplugged from 60 % to 60.5 %.
    """
    seconds = cycles * PERIOD
    victim = next(joint.bus_id for joint in robot.parameters.joints.values())
    events = (Event("dead", 0.3 * seconds, 0.02 * seconds, victim), Event("unplug", 0.6 * seconds, 0.005 * seconds))
    faults = Faults(BAD_LINE.lost, BAD_LINE.corrupted, BAD_LINE.late, 0.0, BAD_LINE.late_by, events)
    body = FreeBody()
    devices = virtual_devices(robot, body)
    links = SimulatedLinks(
        {port: VirtualLine(found, faults, seed + number) for number, (port, found) in enumerate(devices.items())},
        robot.parameters.servo_bus.baud,
    )
    lines = list(links.lines.values())
    bridge = Bridge(robot, links, clock=links.clock, period=PERIOD)
    virtual = {d.id_in_body: d for found in devices.values() for d in found if isinstance(d, VirtualServo)}
    watch = _Watch(robot, bridge, virtual)
    random = np.random.default_rng(seed)
    longest, late = 0.0, 0
    for cycle in range(cycles):
        links.wait_until(cycle * PERIOD)
        if not bridge.safety.powered:
            with contextlib.suppress(CommandRefused):  # until all is known of the servos
                bridge.enable()
        elif cycle % COMMAND_EVERY == 0 and bridge.safety.powered:
            bridge.follow(_wild(robot, random))
        began = links.now
        watch.remember()
        bridge.cycle()
        watch.look()
        longest = max(longest, links.now - began)
        late += links.now - began > PERIOD
        if cycle % 1000 == 0:
            progress(cycle)
    injected = sum((line.mishaps.counts for line in lines), Counter())
    counted = sum((bus.counts for bus in bridge.buses.values()), Counter())
    for bus in bridge.buses.values():
        for device in bus.devices.values():
            counted += device.counts
    noticed = counted["missed"] + counted["stray answers"]
    faulty = sum(injected[f"answers {what}"] for what in ("lost", "corrupted", "late"))
    return FaultRun(
        cycles=cycles,
        injected=dict(injected),
        counted=dict(counted),
        published=watch.published,
        wrong_positions=watch.wrong,
        goals=watch.goals,
        goals_outside=watch.outside,
        longest_cycle=longest,
        late_cycles=late,
        uncounted=max(0, faulty - noticed),
    )


class _Watch:
    """Compares what the bridge says with what the servos did."""

    def __init__(self, robot: Robot, bridge: Bridge, virtual: dict[int, VirtualServo]) -> None:
        self.published = self.wrong = self.goals = self.outside = 0
        self._bridge = bridge
        self._pairs = []
        for joint, servo in zip(robot.parameters.joints.values(), bridge.servos, strict=True):
            row = servo.model.rows["goal_position"]
            ends = sorted(row.nearest(joint.sign * angle + joint.zero) for angle in (joint.lower, joint.upper))
            self._pairs.append((servo, virtual[servo.id], ends, deque[float](maxlen=2 * MEMORY)))

    def remember(self) -> None:
        """Note where the servos are before a cycle."""
        for _, device, _, memory in self._pairs:
            device.refresh()
            memory.append(device.value("present_position"))

    def look(self) -> None:
        """Compare after a cycle."""
        powered = self._bridge.safety.powered
        for servo, device, (low, high), memory in self._pairs:
            device.refresh()
            memory.append(device.value("present_position"))
            if servo.fresh:
                self.published += 1
                self.wrong += min(abs(servo.position - true) for true in memory) > 1e-9
            if powered:
                self.goals += 1
                self.outside += not low <= device.get("goal_position") <= high


def _wild(robot: Robot, random: np.random.Generator) -> Trajectory:
    """A trajectory that nobody has checked, far beyond the limits of the joints."""
    positions = random.uniform(-4.0, 4.0, (2, robot.dof))
    return Trajectory(robot.joint_names, np.array([0.2, 0.5]), positions, None, False)
