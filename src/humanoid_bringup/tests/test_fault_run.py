"""A short run on a bad line; `bench bus --faults 100000` is the long one."""

from __future__ import annotations

from humanoid_bringup.bench.fault_run import fault_run
from humanoid_description import load_robot


def test_nothing_wrong_is_published_and_nothing_wild_is_sent() -> None:
    told: list[int] = []
    result = fault_run(load_robot("fibo_km"), 400, seed=3, progress=told.append)
    assert told == [0]
    assert result.good
    assert (result.wrong_positions, result.goals_outside, result.late_cycles, result.uncounted) == (0, 0, 0, 0)
    assert result.published > 0.8 * 20 * 400
    assert result.injected["dead"] == result.injected["unplug"] == 1
    assert result.injected["answers lost"] > 30
    assert result.counted["missed"] > 60
    assert result.counted["cycles without port"] == 2
    assert result.longest_cycle < 0.01
