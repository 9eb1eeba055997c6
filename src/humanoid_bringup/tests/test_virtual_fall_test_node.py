"""Fall tests through bytes, bridge and nodes; the run itself is the fixture `falls`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dynamixel_bridge.virtual_faults import Faults
from humanoid_adapt.adaptation_report import as_json
from humanoid_adapt.assembler import recordings_from_bag
from humanoid_adapt.bag import BagWriter, bag_info, read_bag
from humanoid_adapt.routine import Settings
from humanoid_bringup import virtual_fall_test_node
from humanoid_bringup.virtual_fall_test_node import PERIOD, VirtualFallTest, replay
from humanoid_description import Robot, RobotError, load_robot

Falls = tuple[Path, dict[str, Any]]


@pytest.fixture(scope="module")
def fibo() -> Robot:
    """FIBO-KM as it is drawn."""
    return load_robot("fibo_km")


def test_the_bag_was_recorded_from_the_bus_at_its_rate(falls: Falls) -> None:
    topics = {row.topic: row for row in bag_info(falls[0])}
    for name in ("joint_states", "imu/data"):
        assert topics[f"/real/{name}"].rate == pytest.approx(1 / PERIOD, rel=0.01)
        assert 1e-9 * topics[f"/real/{name}"].longest_gap_ns < 1.5 * PERIOD
    imu = next(message.decode() for message in read_bag(falls[0]) if message.topic == "/real/imu/data")
    # In counts of the CM-730 on the bus.
    counts = imu.linear_acceleration.z / (9.80665 * 0.0078125)
    assert counts == pytest.approx(round(counts), abs=1e-6)
    assert "/real/robot_description" in topics


def test_playing_the_bag_gives_every_figure_again(falls: Falls, fibo: Robot) -> None:
    again = as_json(replay(fibo, falls[0]))
    for key in ("com_after_m", "com_sd_m", "tests", "places", "payload", "three_masses"):
        assert again[key] == falls[1][key]


def test_the_fallen_robot_went_soft_and_was_put_on_its_feet_on_a_bad_line_too(tmp_path: Path, fibo: Robot) -> None:
    truth = load_robot("fibo_km", ["torso:0.1:0.02,0,0.05"])
    settings = Settings(rate=0.15, settle_seconds=0.3, rest_seconds=0.3)
    said: list[str] = []
    with (
        BagWriter(tmp_path / "bag") as writer,
        VirtualFallTest(fibo, truth, "paper", settings, 7, writer, tmp_path / "models", Faults(0.01, 0.01)) as test,
    ):
        routine = test.run(said.append)
        assert not test.bridge.safety.powered
        assert "switched off" in test.bridge.safety.reason
        assert test.body.late == 0.0
    assert said == ["test 1 of 2: both_forward", "test 2 of 2: both_backward"]
    assert [recording.test.name for recording in routine.recordings] == ["both_forward", "both_backward"]
    assert routine.failures == {}
    states = [one.decode() for one in read_bag(tmp_path / "bag") if one.topic == "/real/joint_states"]
    assert any(len(one.name) < fibo.dof for one in states)
    assembled = recordings_from_bag(fibo, tmp_path / "bag")
    assert [recording.test.name for recording in assembled.recordings] == ["both_forward", "both_backward"]
    assert assembled.refused == {}


def test_nodes_that_do_not_answer_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(virtual_fall_test_node, "PATIENCE", 0.0)
    nodes = virtual_fall_test_node.Nodes()
    with pytest.raises(RobotError, match="have not answered"):
        nodes.until(lambda: False)
    nodes.close()
