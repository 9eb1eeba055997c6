"""The section `bus` of robot.yaml."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from humanoid_description import RobotError, load_robot


def test_fibo_km_has_one_bus_and_the_others_none() -> None:
    bus = load_robot("fibo_km").parameters.bus
    assert bus is not None
    assert (bus.ports, bus.baud, bus.imu_model, bus.imu_id) == (("body",), 1_000_000, "CM-730", 200)
    assert bus.voltage == (12.0, 18.5)
    assert load_robot("nao").parameters.bus is None


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("ports: [body]", "ports: []", "Name each bus once"),
        ("ports: [body]", "ports: [a, a]", "Name each bus once"),
        ("baud: 1000000", "baud: 1000000.0", "Write a whole number"),
        ("voltage: [[12.0, 18.5]", "voltage: [[19.0, 18.5]", "Write [[least, greatest], V]"),
        ("imu_id: 200", "", "Give both or none"),
        ("imu_id: 200", "imu_id: 19", "Give every device on the bus its own id"),
        ("imu_id: 200", "imu_id: 200\n  wifi: 1", "is not a known key"),
        ("id: 19, sign: 1,", "id: 19, sign: 1, port: bodi,", "Did you mean 'body'"),
    ],
)
def test_a_mistake_is_named(old: str, new: str, message: str, tmp_path: Path) -> None:
    folder = shutil.copytree(load_robot("fibo_km").folder, tmp_path / "robot")
    text = (folder / "robot.yaml").read_text()
    assert old in text
    (folder / "robot.yaml").write_text(text.replace(old, new))
    with pytest.raises(RobotError, match=re.escape(message)):
        load_robot(folder)
