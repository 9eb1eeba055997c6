"""A careful try of one joint, on simulated time."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable

import pytest

from dynamixel_bridge.control_table import model
from dynamixel_bridge.device import Servo
from dynamixel_bridge.joint_test import JointTest, Swing, try_joint
from dynamixel_bridge.links import SimulatedLinks
from dynamixel_bridge.virtual_line import VirtualLine
from dynamixel_bridge.virtual_servo import FreeBody
from humanoid_description import RobotError, load_robot

from .conftest import BAUD, servos

JOINT = load_robot("fibo_km").parameters.joints["left_knee"]


class Rig:
    """One joint."""

    def __init__(self, angle: float = 0.5) -> None:
        self.body = FreeBody()
        self.body.angles[14] = angle
        (self.servo,) = servos("RX-64", [14], self.body)
        self.links = SimulatedLinks({"body": VirtualLine([self.servo])}, BAUD)

    def run(self, degrees: float = 5.0, at: Callable[[float], None] = lambda now: None) -> JointTest:
        def sleep(seconds: float) -> None:
            self.links.wait_until(self.links.now + seconds)
            at(self.links.now)

        servo, swing = Servo(14, model("RX-64")), Swing(math.radians(degrees), 2.0)
        return try_joint(self.links, "body", BAUD, servo, JOINT, swing, self.links.clock, sleep)


def test_a_good_joint_follows_and_ends_without_torque() -> None:
    rig = Rig()
    result = rig.run()
    assert result.good
    assert math.degrees(result.moved) == pytest.approx(10.0, abs=0.5)
    assert result.asked == pytest.approx(math.radians(10.0))
    assert result.missed == 0
    assert rig.servo.get("torque_enable") == 0


def test_it_stays_inside_the_limits() -> None:
    rig = Rig(angle=JOINT.lower + 0.02)
    assert rig.run().asked == pytest.approx(0.04, abs=0.006)


def test_a_stuck_joint_is_not_good() -> None:
    rig = Rig()
    rig.servo.stuck_at = 0.5
    result = rig.run()
    assert not result.good
    assert dataclasses.asdict(result)["moved"] == 0.0


def test_it_does_not_begin_on_a_fault() -> None:
    rig = Rig(angle=JOINT.lower - 0.1)
    with pytest.raises(RobotError, match="outside its limits"):
        rig.run()
    rig = Rig()
    rig.servo.temperature = 95.0
    rig.servo.advance(0.01)
    with pytest.raises(RobotError, match="reports overheat"):
        rig.run()
    rig = Rig()
    rig.servo.dead = True
    with pytest.raises(RobotError, match="does not answer"):
        rig.run()
    rig = Rig()
    rig.links.lines["body"].plugged = False
    with pytest.raises(RobotError, match="the adapter is gone"):
        rig.run()
    assert rig.servo.get("torque_enable") == 0


@pytest.mark.parametrize(
    ("degrees", "seconds", "message"),
    [
        (math.nan, 4.0, "--degrees must be above 0 and at most 60"),
        (-5.0, 4.0, "--degrees must be above 0"),
        (61.0, 60.0, "--degrees must be above 0 and at most 60"),
        (5.0, 0.0, "--seconds must be above 0 and at most 60"),
        (5.0, math.nan, "--seconds must be above 0"),
        (60.0, 0.1, r"faster than 0\.5 rad/s. Give --seconds 13\.2 or more"),
    ],
)
def test_an_unsafe_swing_is_refused(degrees: float, seconds: float, message: str) -> None:
    with pytest.raises(RobotError, match=message):
        Swing(math.radians(degrees), seconds)
    assert Swing(math.radians(60.0), 13.2).amplitude > 1.0


def test_whatever_ends_it_the_torque_is_off() -> None:
    rig = Rig()

    def interrupt(now: float) -> None:
        if now > 1.0 and rig.servo.get("torque_enable"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rig.run(at=interrupt)
    assert rig.servo.get("torque_enable") == 0


def test_it_says_if_the_servo_cannot_be_switched_off() -> None:
    rig = Rig()

    def unplug(now: float) -> None:
        rig.links.lines["body"].plugged = now < 1.0

    with pytest.raises(RobotError, match=r"not known to be off\. Switch the robot's power off"):
        rig.run(at=unplug)

    def replug(now: float) -> None:
        rig.links.lines["body"].plugged = not 1.0 < now < 1.5

    rig = Rig()
    with pytest.raises(RobotError, match="the adapter is gone"):
        rig.run(at=replug)
    assert rig.servo.get("torque_enable") == 0
