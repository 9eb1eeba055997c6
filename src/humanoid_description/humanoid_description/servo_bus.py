"""How a robot's servos are wired: the section `bus` of robot.yaml, which robots without servo buses do not have."""

from __future__ import annotations

from dataclasses import dataclass

from humanoid_description.strict_yaml import Section


@dataclass(frozen=True)
class ServoBus:
    """Ports and what is on them."""

    ports: tuple[str, ...]
    """Names of the buses; a joint names its own with `port`, or it is on the first."""
    baud: int
    """bit/s."""
    voltage: tuple[float, ...]
    """Least and greatest supply, V."""
    max_temperature: float
    """degC above which a servo is spared."""
    imu_model: str | None
    """Sub-controller with the inertial sensor, on the first port; None if there is none."""
    imu_id: int | None


def read_servo_bus(entry: Section) -> ServoBus:
    """Read and check the section."""
    ports = entry.texts("ports")
    if not ports or len(set(ports)) != len(ports):
        entry.fail("ports", f"is {list(ports)}", "Name each bus once, such as [body].")
    least, greatest = entry.vector("voltage", "voltage", 2)
    if not 0 < least < greatest:
        entry.fail("voltage", "is no range", "Write [[least, greatest], V].")
    bus = ServoBus(
        ports=ports,
        baud=entry.integer("baud", 9_600, 4_500_000),
        voltage=(least, greatest),
        max_temperature=entry.number("max_temperature", "temperature", 0.0, 100.0),
        imu_model=entry.text("imu_model") if "imu_model" in entry else None,
        imu_id=entry.integer("imu_id", 0, 252) if "imu_id" in entry else None,
    )
    if (bus.imu_model is None) != (bus.imu_id is None):
        entry.fail("imu_id", "and imu_model belong together", "Give both or none.")
    entry.finish()
    return bus
