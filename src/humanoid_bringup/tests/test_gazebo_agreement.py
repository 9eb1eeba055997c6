"""The comparison with Gazebo, shortened and with the stand-in in its place."""

from __future__ import annotations

import importlib.util
import json
import math
import sys
from pathlib import Path

import pytest

from humanoid_bringup.bench import gazebo_agreement
from humanoid_bringup.bench.gazebo_agreement import Extent
from humanoid_bringup.cli import main
from humanoid_description import RobotError, load_robot

STAND_IN = Path(__file__).parents[2] / "humanoid_sim" / "tests" / "gz_stand_in.py"
FACTOR = "real-time factor of FIBO-KM with its topics"
SHORT = Extent(1.0, walk_seconds=0.5, tests=1, ramp_rate=math.radians(6.0), way_seconds=0.2, speed_rounds=2)


@pytest.fixture
def gazebo(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = importlib.util.spec_from_file_location("gz_stand_in", STAND_IN)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "gz_stand_in", module)
    spec.loader.exec_module(module)
    module.install(lambda name, content: monkeypatch.setitem(sys.modules, name, content))
    monkeypatch.setattr(gazebo_agreement, "Extent", lambda: SHORT)
    factors = {"mujoco": iter([40.0, 50.0]), "gazebo": iter([1.5, 0.9])}
    monkeypatch.setattr(gazebo_agreement, "_real_time_factor", lambda robot, engine, seconds: next(factors[engine]))


@pytest.mark.usefixtures("gazebo")
def test_it_measures_all_of_it_and_prints_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    status = main(["bench", "gazebo", "--json"])
    printed = capsys.readouterr()
    answer = json.loads(printed.out)
    rows = {row["what"].split(":")[0].split(",")[0]: row for row in answer["rows"]}
    assert answer["generation"] == "Harmonic"
    assert list(rows) == [
        "stands 1 s",
        FACTOR,
        "walks 0.5 s at 0.1 m/s",
        "tips",
        "AR-601M",
    ]
    assert all(row["met"] for row in rows.values())
    assert status == 0
    speed = rows[FACTOR]
    assert (speed["embedded"], speed["gazebo"]) == ("50.00", "1.50")
    assert "FIBO-KM stands 1 s" in printed.err


def test_the_speed_is_that_of_the_command_sim() -> None:
    fibo = load_robot("fibo_km")
    assert gazebo_agreement._real_time_factor(fibo, "mujoco", 0.05) > 0


def test_a_simulator_that_fails_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(RobotError, match="sim --engine gazebo: ended with status 3"):
        gazebo_agreement._real_time_factor(load_robot("fibo_km"), "gazebo", 0.05)


def test_where_gazebo_is_missing_it_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "gazebo"]) == 3
    assert "Install Gazebo Harmonic" in capsys.readouterr().err
