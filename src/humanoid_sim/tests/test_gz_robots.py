"""Robots that appear in Gazebo, are made anew and vanish."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

from humanoid_description import Robot, RobotError, load_robot
from humanoid_description.inertial import GRAVITY
from humanoid_sim.gz_model import model_text
from humanoid_sim.gz_modules import load_gz
from humanoid_sim.gz_robots import GzRobots
from humanoid_sim.gz_services import GzServices
from humanoid_sim.gz_world import GzRobot, GzSettings, write_world
from humanoid_sim.shadow import Shadow
from humanoid_sim.simulation import Simulation

START = (0.5, -0.3, 0.7)


class Play:
    """A world with FIBO-KM in it, or without."""

    def __init__(self, gazebo: ModuleType, there: bool = True, robots: dict[str, Robot] | None = None) -> None:
        named = {"a": GzRobot("fibo_km")} if there else {}
        self.server: Any = gazebo.load_world(write_world("empty", GzSettings(named), {"a": START}), systems=False)
        self.said: list[str] = []
        gz = load_gz()
        services = GzServices(gz, "empty")
        self.shadow = Shadow(robots or {"a": load_robot("fibo_km")})
        self.robots = GzRobots(gz, gz.sim.World(1), self.shadow, self.said.append, lambda: services)
        self.server.pre_update.append(self.step)

    def step(self, info: Any, ecm: Any) -> None:
        self.robots.begin_step(ecm, info.sim_time.total_seconds() - self.shadow.dt)
        self.robots.end_step(ecm)

    def run(self, steps: int) -> None:
        self.server.run(True, steps, False)

    def mass(self) -> float:
        return float(self.server.ecm.model.body_mass.sum())


def test_a_robot_stands_where_its_model_is(gazebo: ModuleType) -> None:
    play = Play(gazebo)
    play.run(500)
    assert play.robots.present == ("a",)
    embedded = Simulation({"a": load_robot("fibo_km")}, starts={"a": START})
    embedded.step(500)
    assert play.shadow.present_start("a")[:2] == pytest.approx(embedded.observe("a").base_position[:2], abs=1e-4)
    assert not play.shadow.fallen("a")
    assert play.shadow.disagreement("a") is None
    assert play.said == []


def test_adapted_inertials_come_with_a_new_model_in_the_same_place(gazebo: ModuleType) -> None:
    play = Play(gazebo)
    play.run(300)
    before = play.shadow.present_start("a")
    heavier = load_robot("fibo_km", ["torso:0.5:0,0,0.1"])
    play.shadow.adapt("a", heavier)
    play.run(10)
    assert play.server.ecm.calls == ["remove", "create"]
    assert play.mass() == pytest.approx(heavier.mass)
    assert play.robots.present == ("a",)
    assert play.shadow.present_start("a") == pytest.approx(before, abs=5e-4)
    play.run(300)
    assert play.shadow.disagreement("a") is None
    assert not play.shadow.fallen("a")


def test_a_reset_puts_it_back_to_its_start(gazebo: ModuleType) -> None:
    play = Play(gazebo)
    play.run(100)
    play.shadow.push("a", "torso", (30.0, 0.0, 0.0), 0.3)
    play.run(1000)
    assert play.shadow.fallen("a")
    play.shadow.reset()
    play.run(300)
    assert play.shadow.present_start("a") == pytest.approx(START, abs=5e-3)
    assert not play.shadow.fallen("a")


def test_a_second_change_while_the_first_is_under_way_is_not_lost(gazebo: ModuleType) -> None:
    play = Play(gazebo)
    play.run(10)
    play.shadow.adapt("a", load_robot("fibo_km", ["torso:0.5:0,0,0.1"]))
    play.run(2)
    last = load_robot("fibo_km", ["torso:0.2:0,0,0.1"])
    play.shadow.adapt("a", last)
    play.run(20)
    assert play.mass() == pytest.approx(last.mass)
    assert play.shadow.replacements == {}


def test_a_world_that_begins_anew_gets_the_adapted_robot_again(gazebo: ModuleType) -> None:
    play = Play(gazebo)
    play.run(10)
    heavier = load_robot("fibo_km", ["torso:0.5:0,0,0.1"])
    play.shadow.adapt("a", heavier)
    play.run(20)
    play.server.reset()
    play.robots.restart()
    assert play.mass() < heavier.mass - 0.4  # Gazebo puts back the model of the world file
    play.run(300)
    assert play.mass() == pytest.approx(heavier.mass)
    assert not play.shadow.fallen("a")


def test_a_missing_robot_is_told_of_once_and_met_when_it_comes(gazebo: ModuleType) -> None:
    play = Play(gazebo, there=False)
    play.run(1200)
    assert len(play.said) == 1
    assert "robot 'a': the world has no model of that name" in play.said[0]
    GzServices(load_gz(), "empty").create("a", model_text(load_robot("fibo_km"), "a", START))
    play.run(300)
    assert play.robots.present == ("a",)
    assert not play.shadow.fallen("a")
    play.server.ecm.remove("a")
    play.run(1)
    assert play.robots.present == ()


def test_the_model_of_another_robot_is_told_of_once(gazebo: ModuleType) -> None:
    play = Play(gazebo, robots={"a": load_robot("nao")})
    play.run(10)
    assert len(play.said) == 1
    assert "Make it with the SDF of nao" in play.said[0]
    assert play.robots.present == ()


def test_where_gazebo_makes_no_model_the_old_one_stays(gazebo: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: GzServices, name: str) -> None:
        raise RobotError("no services here")

    play = Play(gazebo)
    play.run(10)
    monkeypatch.setattr(GzServices, "remove", refuse)
    play.shadow.adapt("a", load_robot("fibo_km", ["torso:0.5:0,0,0.1"]))
    play.run(2500)
    assert play.said == ["robot 'a': its model was not made anew. no services here"]
    assert play.robots.present == ("a",)
    force, _ = play.shadow.unexplained("a")
    assert force == pytest.approx(0.5 * GRAVITY, rel=0.15)
    assert "has other masses" in (play.shadow.disagreement("a") or "")


def test_a_model_that_does_not_come_is_told_of(gazebo: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """Gazebo answers before it tries: what goes wrong then is in its own log."""
    play = Play(gazebo)
    play.run(10)
    monkeypatch.setattr(gazebo.Ecm, "create", lambda self, model: False)
    play.shadow.reset()
    play.run(1200)
    assert len(play.said) == 1
    assert "Gazebo was asked for it" in play.said[0]
