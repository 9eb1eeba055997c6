"""The devices of a robot's buses as virtual ones, moved by whatever body they are given."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from dynamixel_bridge.control_table import model
from dynamixel_bridge.virtual_device import VirtualDevice
from dynamixel_bridge.virtual_servo import Body, VirtualImu, VirtualServo
from humanoid_description import Robot, RobotError


def virtual_devices(
    robot: Robot, body: Body, eeprom: Mapping[str, Mapping[str, int]] | None = None
) -> dict[str, list[VirtualDevice]]:
    """Devices by port, configured as a robot that is ready for use.

    Args:
        robot: With a section `bus`.
        body: That the servos move, by their ids.
        eeprom: Counts by device ("port/id") that were saved by `save_eeprom`.
    """
    bus = robot.parameters.bus
    if bus is None:
        raise RobotError(f"{robot.name}: robot.yaml has no section 'bus', so it has no servo bus to imitate. Add it.")
    devices: dict[str, list[VirtualDevice]] = {port: [] for port in bus.ports}
    for joint in robot.parameters.joints.values():
        if joint.bus_id is not None:
            port = joint.port or bus.ports[0]
            kind = model(robot.parameters.servos[joint.servo].model)
            ready = {"baud_rate": kind.baud_count(bus.baud), "return_delay": 0}
            saved = (eeprom or {}).get(f"{port}/{joint.bus_id}", ready)
            servo = VirtualServo(kind, joint.bus_id, body, saved)
            servo.supply = sum(bus.voltage) / 2
            devices[port].append(servo)
    if bus.imu_id is not None and bus.imu_model is not None:
        kind = model(bus.imu_model)
        ready = {"baud_rate": kind.baud_count(bus.baud), "return_delay": 0}
        saved = (eeprom or {}).get(f"{bus.ports[0]}/{bus.imu_id}", ready)
        imu = VirtualImu(kind, bus.imu_id, body, saved)
        imu.supply = sum(bus.voltage) / 2
        devices[bus.ports[0]].append(imu)
    return devices


def save_eeprom(devices: Mapping[str, list[VirtualDevice]], file: Path) -> None:
    """Keep what lasts without power, by the place that a device has in the robot."""
    saved = {}
    for port, on_port in devices.items():
        for device in on_port:
            place = device.id_in_body if isinstance(device, VirtualServo) else device.id
            saved[f"{port}/{place}"] = device.eeprom
    new = file.with_suffix(".new")
    new.write_text(json.dumps(saved, indent=1))
    new.replace(file)


def read_eeprom(file: Path) -> dict[str, dict[str, int]]:
    """What `save_eeprom` kept; nothing if there is no such file yet."""
    if not file.exists():
        return {}
    try:
        saved: dict[str, dict[str, int]] = json.loads(file.read_text())
    except (OSError, ValueError) as error:
        raise RobotError(f"{file}: cannot be read as saved EEPROM values ({error}). Delete it to start anew.") from None
    return saved
