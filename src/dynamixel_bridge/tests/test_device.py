"""What a controller makes of the bytes that devices answer."""

from __future__ import annotations

import math

import pytest

from dynamixel_bridge.control_table import model, models
from dynamixel_bridge.device import Device, ImuDevice, Servo
from dynamixel_bridge.packet import Block
from dynamixel_bridge.virtual_servo import FreeBody, Shaft, VirtualImu, VirtualServo


class Turning(FreeBody):
    """A body in motion."""

    def shaft(self, id_: int) -> Shaft:
        return Shaft(-0.4, 0.9, -0.25)


@pytest.mark.parametrize("name", [name for name in models() if name != "CM-730"])
def test_a_servo_means_what_it_says(name: str) -> None:
    virtual = VirtualServo(model(name), 1, Turning())
    servo = Servo(1, model(name))
    assert math.isnan(servo.position)
    virtual.refresh()
    servo.take(virtual.read(servo.block)[1])
    rows = servo.model.rows
    assert servo.position == pytest.approx(-0.4, abs=0.51 * rows["present_position"].scale)
    assert servo.speed == pytest.approx(0.9, abs=0.51 * rows["present_speed"].scale)
    assert servo.load == pytest.approx(-0.25, abs=0.51 * rows["present_load"].scale)
    for block in servo.slow_blocks:
        servo.take_slow(block, virtual.read(block)[1])
    assert (servo.voltage, servo.temperature, servo.torque_on) == (pytest.approx(11.9, abs=0.11), 35.0, False)


def test_errors_of_both_protocols() -> None:
    old, new = Servo(1, model("RX-28")), Servo(1, model("XM430-W350"))
    old.take_error(0x24 | 0x08)
    assert old.errors == ("overheat", "overload")  # a range error is about what it was told
    old.take_error(0)
    assert old.errors == ()
    new.take_error(0x80)
    assert new.errors == ("alert",)
    new.take_slow(model("XM430-W350").rows["hardware_error"].block, b"\x20")
    new.take_error(0x80)
    assert new.errors == ("overload",)
    new.take_error(0)
    assert new.errors == ()


def test_an_inertial_sensor_means_what_it_says() -> None:
    virtual = VirtualImu(model("CM-730"), 200, FreeBody())
    virtual.refresh()
    imu = ImuDevice(200, model("CM-730"))
    imu.take(virtual.read(imu.block)[1])
    assert imu.acceleration == pytest.approx((0.0, 0.0, 9.80665))
    assert imu.turning == (0.0, 0.0, 0.0)


def test_a_device_must_say_what_it_takes() -> None:
    with pytest.raises(TypeError, match="take"):
        Device(1, model("RX-28"), Block(0, 1))  # type: ignore[abstract]
