"""A run written as messages."""

from __future__ import annotations

from pathlib import Path

from humanoid_adapt.bag import bag_info, read_bag
from humanoid_adapt.bag_log import BagLog
from humanoid_adapt.routine import Routine
from humanoid_description import Robot


def test_the_bag_has_all_topics_at_their_rates(run: tuple[Routine, BagLog, Path], fibo: Robot) -> None:
    info = {row.topic: row for row in bag_info(run[2])}
    for topic in ("joint_states", "joint_trajectory", "imu/data", "foot/left/wrench", "foot/right/wrench"):
        assert 95 < info[f"/real/{topic}"].rate < 105
    states = [m.decode() for m in read_bag(run[2]) if m.topic == "/real/fall_test/state"]
    phases = [{entry.key: entry.value for entry in m.status[0].values}["phase"] for m in states]
    assert phases[:7] == ["stand", "move", "settle", "rest", "ramp", "fall", "help"]
    assert phases[-1] == "done"
    description = next(m.decode() for m in read_bag(run[2]) if m.topic == "/real/robot_description")
    assert description.data == fibo.urdf
