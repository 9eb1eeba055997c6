"""Stored motions on the simulated FIBO-KM with its own servos."""

from __future__ import annotations

import json

import pytest

from humanoid_bringup.cli import main
from humanoid_bringup.motion_trial import lay_down, play
from humanoid_description import load_robot
from humanoid_gait.motion_file import load_motion
from humanoid_sim.scene import World
from humanoid_sim.simulation import Noise, Simulation

ROBOT = load_robot("fibo_km")
NAME = ROBOT.name


@pytest.mark.parametrize("name", ["bow", "wave", "squat"])
def test_it_does_not_fall_over(name: str) -> None:
    simulation = Simulation(ROBOT)
    outcome = play(simulation, NAME, load_motion(ROBOT, name))
    assert not outcome.fell
    assert outcome.stands
    assert simulation.observe(NAME).base_position[2] > 0.27
    assert 1.0 < outcome.energy_j < 1000.0


def test_the_kick_moves_the_ball() -> None:
    simulation = Simulation(ROBOT, World(ball=True), starts={NAME: (-0.14, 0.0475, 0.0)})
    outcome = play(simulation, NAME, load_motion(ROBOT, "kick"))
    assert not outcome.fell
    assert outcome.stands
    ball = simulation.scene.data.xpos[simulation.scene.model.body("ball").id]
    assert ball[0] > 1.0


@pytest.mark.parametrize(("motion", "force"), [("stand_up_from_front", 15.0), ("stand_up_from_back", -15.0)])
@pytest.mark.parametrize("seconds", [0.2, 0.3])
def test_it_stands_up_after_a_fall(motion: str, force: float, seconds: float) -> None:
    simulation = Simulation(ROBOT, noise=Noise(gyro=0.01, accelerometer=0.1))
    simulation.push(NAME, "torso", (force, 0.0, 0.0), seconds)
    simulation.step(2500)
    assert simulation.fallen(NAME)
    outcome = play(simulation, NAME, load_motion(ROBOT, motion))
    assert not outcome.fell
    assert outcome.stands
    assert simulation.observe(NAME).base_position[2] > 0.27


def test_a_motion_that_does_not_fit_the_posture_ends_on_the_ground() -> None:
    simulation = Simulation(ROBOT)
    lay_down(simulation, NAME, "front")
    assert simulation.fallen(NAME)
    outcome = play(simulation, NAME, load_motion(ROBOT, "bow"))
    assert outcome.fell
    assert not outcome.stands


def test_the_command_lists_and_plays(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["motion", "fibo_km", "--json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)["motions"]}
    assert {"bow", "wave", "squat", "kick", "stand_up_from_front", "stand_up_from_back"} <= set(rows)
    assert main(["motion", "fibo_km"]) == 0
    assert rows["bow"]["summary"] in capsys.readouterr().out
    assert main(["motion", "nao"]) == 0
    assert "nao has no motions" in capsys.readouterr().out
    assert main(["motion", "fibo_km", "stand_up_from_back", "--lying", "back", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["fell"], answer["stands"]) == (False, True)
    assert answer["seconds"] == rows["stand_up_from_back"]["seconds"]
    assert main(["motion", "fibo_km", "bow"]) == 0
    assert "stands" in capsys.readouterr().out
    assert main(["motion", "fibo_km", "bwo"]) == 1
    assert "Did you mean 'bow'?" in capsys.readouterr().err
