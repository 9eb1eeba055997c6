"""A careful try of one joint: a small motion to both sides, and how well the servo followed."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from dynamixel_bridge.bus import Bus
from dynamixel_bridge.device import Servo
from dynamixel_bridge.links import Links
from humanoid_description.errors import RobotError
from humanoid_description.parameters import Joint

PERIOD = 0.02
"""s between goals."""
WIDEST, LONGEST = math.radians(60.0), 60.0
"""rad to each side, and s, of the greatest swing."""
MAX_SPEED = 0.5
"""rad/s: a hand in the way has time to leave."""
TRIES = 50
"""How often the servo is asked at first whether it is well, and told in the end to switch off."""
PATIENCE = 0.02
"""s beyond the line's own time until it counts as silent: nothing else waits."""


@dataclass(frozen=True)
class Swing:
    """What a joint shall do; RobotError if that is not safe."""

    amplitude: float
    """rad to each side, less where a limit of the joint is nearer."""
    seconds: float
    """Of one swing to both sides."""

    def __post_init__(self) -> None:
        """Refuse what is too wide, too long or too fast."""
        if not 0 < self.amplitude <= WIDEST:
            raise RobotError(f"bridge test: --degrees must be above 0 and at most {math.degrees(WIDEST):.0f}.")
        if not 0 < self.seconds <= LONGEST:
            raise RobotError(f"bridge test: --seconds must be above 0 and at most {LONGEST:.0f}.")
        if math.tau * self.amplitude / self.seconds > MAX_SPEED:
            slowest = math.tau * self.amplitude / MAX_SPEED
            raise RobotError(
                f"bridge test: {math.degrees(self.amplitude):g} degrees in {self.seconds:g} s is faster than "
                f"{MAX_SPEED} rad/s. Give --seconds {math.ceil(10 * slowest) / 10} or more."
            )


@dataclass(frozen=True)
class JointTest:
    """How a joint did."""

    moved: float
    """Range that was measured, rad."""
    asked: float
    """Range that was asked for, rad."""
    largest_error: float
    """Between goal and measured angle, rad."""
    greatest_load: float
    """Share of stall torque."""
    temperature: float
    """degC."""
    missed: int
    """Answers that did not come."""

    @property
    def good(self) -> bool:
        """Whether it followed."""
        return self.moved > 0.5 * self.asked


def try_joint(
    links: Links,
    port: str,
    baud: int,
    servo: Servo,
    joint: Joint,
    swing: Swing,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> JointTest:
    """Swing a joint about where it is, inside its limits, with only its own torque on, and off again in the end.

    Args:
        links: That carry its bus.
        port: Name of the bus.
        baud: bit/s.
        servo: That moves the joint.
        joint: With its limits.
        swing: What it shall do.
        clock: s.
        sleep: Waits for a time, s.
    """
    bus = Bus([servo], baud, clock=clock, patience=PATIENCE)

    def cycle(goals: dict[int, float]) -> None:
        absent = links.exchange({port: bus.cycle(goals)})
        if absent:
            raise RobotError(f"port {port}: {absent[port]}")

    tries = 0
    while tries < TRIES and not (servo.fresh and servo.torque_on is not None and math.isfinite(servo.temperature)):
        tries += 1
        cycle({})
    if not servo.fresh:
        raise RobotError(f"servo {servo.id}: does not answer. Check its cable, power and id.")
    if servo.errors:
        raise RobotError(f"servo {servo.id}: reports {', '.join(servo.errors)}. Remove the cause and restart it.")
    start = servo.position
    angle = joint.sign * (start - joint.zero)
    room = min(angle - joint.lower, joint.upper - angle)
    if room <= 0:
        raise RobotError(
            f"servo {servo.id}: stands at {math.degrees(angle):.1f} degrees, outside its limits. Move it back."
        )
    amplitude = min(swing.amplitude, room)
    low = high = start
    error = load = 0.0
    try:
        cycle({servo.id: start})
        bus.write("torque_enable", {servo.id: 1.0})
        begun = clock()
        while (elapsed := clock() - begun) < swing.seconds:
            goal = start + amplitude * math.sin(math.tau * elapsed / swing.seconds)
            cycle({servo.id: goal})
            if servo.fresh:
                low, high = min(low, servo.position), max(high, servo.position)
                error, load = max(error, abs(goal - servo.position)), max(load, abs(servo.load))
            sleep(max(0.0, PERIOD - (clock() - begun - elapsed)))
    finally:
        servo.torque_on = None
        tries = 0
        while servo.torque_on is not False and tries < TRIES:
            tries += 1
            links.shout({port: bus.relax_now()})
            links.exchange({port: bus.cycle({})})
            sleep(PERIOD)
        if servo.torque_on is not False:
            raise RobotError(f"servo {servo.id}: is not known to be off. Switch the robot's power off.")
    return JointTest(high - low, 2 * amplitude, error, load, servo.temperature, servo.counts["missed"])
