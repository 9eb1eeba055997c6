"""How a run went."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from humanoid_description import load_robot
from humanoid_sim.run_report import RunReport, robot_rows
from humanoid_sim.simulation import Simulation


def test_a_robot_that_stands_and_one_that_was_thrown_are_told_apart() -> None:
    robot = load_robot("fibo_km")
    simulation = Simulation({"stands": robot, "thrown": robot})
    simulation.push("thrown", "torso", (50, 0, 0), 0.2)
    simulation.step(2000)
    stands, thrown = robot_rows(simulation)
    assert (stands["name"], stands["fallen"], thrown["name"], thrown["fallen"]) == ("stands", False, "thrown", True)
    assert stands["base_position_m"][2] == pytest.approx(0.28, abs=0.01)


def test_steps_and_the_time_that_they_took_are_left_in_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 5.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    report = RunReport(0.001)
    now += 3.0  # what is compiled is loaded in the first step
    for _ in range(101):
        report.count()
        now += 0.002
    report.write(tmp_path / "report.json", Simulation(load_robot("fibo_km")))
    told = json.loads((tmp_path / "report.json").read_text())
    assert told["simulated_s"] == pytest.approx(0.101)
    assert told["real_time_factor"] == pytest.approx(0.5)
    assert [row["name"] for row in told["robots"]] == ["fibo_km"]
