"""The devices of a robot's buses as virtual ones, moved by whatever body they are given."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from dynamixel_bridge.control_table import EEPROM, model
from dynamixel_bridge.virtual_device import VirtualDevice
from dynamixel_bridge.virtual_servo import Body, VirtualImu, VirtualServo
from humanoid_description import Robot, RobotError


def virtual_devices(robot: Robot, body: Body) -> dict[str, list[VirtualDevice]]:
    """Devices by port, configured as a robot that is ready for use.

    Args:
        robot: With a section `bus`.
        body: That the servos move, by their ids.
    """
    bus = robot.parameters.servo_bus
    devices: dict[str, list[VirtualDevice]] = {port: [] for port in bus.ports}
    for joint in robot.parameters.joints.values():
        if joint.bus_id is not None:
            port = joint.port or bus.ports[0]
            kind = model(robot.parameters.servos[joint.servo].model)
            ready = {"baud_rate": kind.baud_count(bus.baud), "return_delay": 0}
            servo = VirtualServo(kind, joint.bus_id, body, ready)
            servo.supply = sum(bus.voltage) / 2
            devices[port].append(servo)
    if bus.imu_id is not None and bus.imu_model is not None:
        kind = model(bus.imu_model)
        ready = {"baud_rate": kind.baud_count(bus.baud), "return_delay": 0}
        imu = VirtualImu(kind, bus.imu_id, body, ready)
        imu.supply = sum(bus.voltage) / 2
        devices[bus.ports[0]].append(imu)
    return devices


def keep_eeprom(devices: Mapping[str, list[VirtualDevice]], file: Path) -> None:
    """Keep what lasts without power, by the place that a device has in the robot."""
    new = file.with_name(f"{file.name}.new")
    try:
        new.write_text(json.dumps({place: device.eeprom for place, device in _places(devices).items()}, indent=1))
        new.replace(file)
    except OSError as error:
        raise RobotError(f"{file}: EEPROM values cannot be kept there ({error.strerror}). Name another file.") from None


def restore_eeprom(devices: Mapping[str, list[VirtualDevice]], file: Path) -> None:
    """Give devices what `keep_eeprom` kept, and restart them; nothing if there is no such file yet."""
    if not file.exists():
        return
    try:
        saved = json.loads(file.read_text())
    except (OSError, ValueError) as error:
        raise RobotError(f"{file}: cannot be read as saved EEPROM values ({error}). Delete it to start anew.") from None
    places = _places(devices)
    found: list[tuple[VirtualDevice, str, int]] = []
    for place, counts in _items(file, "the file", saved):
        if place not in places:
            raise RobotError(f"{file}: {place}: the robot has no such device. Delete it, or name another file.")
        rows = places[place].model.rows
        for name, count in _items(file, place, counts):
            row = rows.get(name)
            if row is None or row.area != EEPROM or type(count) is not int or not row.low <= count <= row.high:
                raise RobotError(f"{file}: {place}: {name} cannot be {count}. Correct it, or delete the file.")
            found.append((places[place], name, count))
    for device, name, count in found:
        device.put(name, count)
    for device in places.values():
        device.boot()


def _places(devices: Mapping[str, list[VirtualDevice]]) -> dict[str, VirtualDevice]:
    """Devices by port and the id that robot.yaml gives them."""
    return {
        f"{port}/{device.id_in_body if isinstance(device, VirtualServo) else device.id}": device
        for port, on_port in devices.items()
        for device in on_port
    }


def _items(file: Path, what: str, content: object) -> list[tuple[str, object]]:
    if not isinstance(content, dict):
        raise RobotError(f"{file}: {what} does not hold values by name. Delete it to start anew.")
    return list(content.items())
