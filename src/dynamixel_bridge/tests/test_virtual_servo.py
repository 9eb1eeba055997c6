"""What virtual servos do by themselves."""

from __future__ import annotations

import math

import pytest

from dynamixel_bridge.control_table import model
from dynamixel_bridge.virtual_servo import Drive, FreeBody, Shaft, VirtualImu, VirtualServo

from .conftest import servos


class Loaded(FreeBody):
    """A body that loads its servos."""

    load = 0.0
    drives: list[Drive]

    def __init__(self) -> None:
        super().__init__()
        self.drives = []

    def shaft(self, id_: int) -> Shaft:
        return Shaft(self.angles.get(id_, 0.1), -0.5, self.load)

    def drive(self, id_: int, drive: Drive) -> None:
        self.drives.append(drive)


def write(servo: VirtualServo, name: str, count: int) -> int:
    row = servo.model.rows[name]
    return servo.write(row.address, row.bytes_of(count))


@pytest.mark.parametrize("name", ["RX-28", "XM430-W350"])
def test_it_starts_without_torque_where_it_is(name: str) -> None:
    body = Loaded()
    (servo,) = servos(name, [1], body)
    assert not body.drives[-1].on
    assert body.drives[-1].goal == pytest.approx(0.1, abs=servo.model.rows["goal_position"].scale)
    assert body.drives[-1].max_speed == math.inf
    servo.refresh()
    assert servo.value("present_speed") == pytest.approx(-0.5, abs=0.02)


def test_a_goal_switches_an_old_servo_on_but_not_a_new_one() -> None:
    for name, on in (("RX-28", True), ("XM430-W350", False)):
        body = Loaded()
        (servo,) = servos(name, [1], body)
        assert write(servo, "goal_position", 600) == 0
        assert body.drives[-1].on is on
        write(servo, "torque_limit", 400)
        write(servo, "goal_speed", 100)
        assert body.drives[-1].torque_share == pytest.approx(0.39 if on else 0.452, abs=0.01)
        assert body.drives[-1].max_speed == pytest.approx((11.1 if on else 22.9) * math.tau / 60)


@pytest.mark.parametrize("name", ["RX-28", "XM430-W350"])
@pytest.mark.parametrize("alarm", ["overload", "overheat", "voltage"])
def test_alarms_switch_it_off(name: str, alarm: str) -> None:
    body = Loaded()
    (servo,) = servos(name, [1], body)
    servo.put("shutdown", servo.model.errors[alarm])
    write(servo, "torque_enable", 1)
    servo.advance(0.01)
    assert servo.alarms == 0
    if alarm == "overload":
        body.load = -1.0
    elif alarm == "overheat":
        servo.temperature = 95.0
    else:
        servo.supply = 5.5
    for _ in range(200):
        servo.advance(0.01)
    assert servo.model.error_names(servo.alarms) == (alarm,)
    assert not body.drives[-1].on
    write(servo, "torque_enable", 1)
    assert not body.drives[-1].on
    if name == "XM430-W350":
        assert servo.get("hardware_error") == servo.model.errors[alarm]


def test_load_heats_a_servo() -> None:
    body = Loaded()
    (servo,) = servos("RX-28", [1], body)
    for load, settled in ((1.0, 85.0), (0.5, 40.0), (0.0, 25.0)):
        body.load = load
        for _ in range(30):
            servo.advance(60.0)
        assert servo.temperature == pytest.approx(settled, abs=0.5)


def test_a_brown_out_restarts_it_and_a_stuck_encoder_stands() -> None:
    body = Loaded()
    (servo,) = servos("RX-28", [1], body)
    write(servo, "goal_position", 600)
    servo.browned_out = True
    servo.advance(0.01)
    assert servo.get("torque_enable") == 0
    servo.refresh()
    assert servo.value("present_voltage") == pytest.approx(4.0)
    servo.stuck_at = -0.3
    body.angles[1] = 0.7
    servo.refresh()
    assert servo.value("present_position") == pytest.approx(-0.3, abs=0.003)


def test_the_sub_controller_measures_turning_and_acceleration() -> None:
    imu = VirtualImu(model("CM-730"), 200, FreeBody())
    imu.refresh()
    assert imu.value("acceleration_z") == pytest.approx(9.80665)
    assert imu.value("gyro_x") == 0.0
    assert imu.value("present_voltage") == pytest.approx(12.0)
