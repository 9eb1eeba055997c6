"""The system in a world of the stand-in, as gz-sim's loader runs it."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import pytest

from humanoid_sim.gz_world import GzRobot, GzSettings, write_world

FIBO = GzSettings({"a": GzRobot("fibo_km")})
STARTS = {"a": (0.0, 0.5, 0.0), "b": (0.0, -0.5, 0.0)}


@pytest.fixture
def no_ros(monkeypatch: pytest.MonkeyPatch) -> None:
    """ROS is not sourced."""
    monkeypatch.delitem(sys.modules, "humanoid_sim.gz_node", raising=False)
    monkeypatch.setitem(sys.modules, "rclpy", None)


def fallen(server: Any, name: str) -> bool:
    return bool(server.system.robots.shadow.fallen(name))


@pytest.mark.usefixtures("no_ros")
def test_robots_stand_and_ros_is_missed(gazebo: ModuleType, capfd: pytest.CaptureFixture[str]) -> None:
    settings = GzSettings({"a": GzRobot("fibo_km"), "b": GzRobot("nao")})
    server = gazebo.load_world(write_world("robocup", settings, STARTS))
    server.run(True, 500, False)
    assert server.system.robots.present == ("a", "b")
    assert not fallen(server, "a")
    assert not fallen(server, "b")
    log = capfd.readouterr().err
    assert "[humanoid] ROS 2 is not found" in log
    assert "Source ROS" in log
    assert "a, b: contact and servos are ours, at steps of 1 ms" in log


@pytest.mark.usefixtures("no_ros")
@pytest.mark.parametrize(
    ("key", "value", "complaint"),
    [
        ("rate", "fast", "ERROR: plugin humanoid_sim.gz_system: rate: is 'fast'"),
        ("robots", "{a: {robot: fibo_km}, a: {robot: nao}}", "the key 'a' appears twice; keep one of them"),
        ("robots", "{a: {robot: fibo_kn}}", "ERROR: robot 'fibo_kn': there is none of that name"),
        ("robots", "{a: {robot: ar601m_planar}}", "ERROR: robot 'a': is held in a plane"),
    ],
)
def test_a_wrong_parameter_is_told_and_the_world_goes_on(
    gazebo: ModuleType, capfd: pytest.CaptureFixture[str], key: str, value: str, complaint: str
) -> None:
    text = write_world("empty", FIBO, STARTS)
    begin, end = text.index(f"<{key}>") + len(key) + 2, text.index(f"</{key}>")
    server = gazebo.load_world(text[:begin] + value + text[end:])
    server.run(True, 20, False)
    assert server.iterations == 20
    assert server.working == [True]
    log = capfd.readouterr().err
    assert log.count("[humanoid]") == 1
    assert complaint in log


@pytest.mark.usefixtures("no_ros")
def test_beside_a_robot_that_does_not_exist_the_others_live(
    gazebo: ModuleType, capfd: pytest.CaptureFixture[str]
) -> None:
    text = write_world("empty", FIBO, STARTS).replace("a: {robot", "b: {robot: fibo_kn}, a: {robot")
    server = gazebo.load_world(text)
    server.run(True, 300, False)
    assert server.system.robots.present == ("a",)
    assert not fallen(server, "a")
    assert "there is none of that name" in capfd.readouterr().err


@pytest.mark.usefixtures("no_ros")
def test_an_exception_is_told_once_and_does_not_end_the_system(
    gazebo: ModuleType, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    server = gazebo.load_world(write_world("empty", FIBO, STARTS))
    server.run(True, 100, False)
    with monkeypatch.context() as patch:
        patch.setattr(gazebo.Link, "add_world_wrench", lambda *arguments: 1 / 0)
        server.run(True, 3, False)
    server.run(True, 300, False)
    assert server.working == [True]
    assert not fallen(server, "a")
    assert capfd.readouterr().err.count("ZeroDivisionError: division by zero") == 1


@pytest.mark.usefixtures("no_ros")
def test_a_step_that_is_too_long_is_told(gazebo: ModuleType, capfd: pytest.CaptureFixture[str]) -> None:
    server = gazebo.load_world(write_world("empty", FIBO, STARTS, step=0.01))
    server.run(True, 5, False)
    assert capfd.readouterr().err.count("dt: is 0.01 s") == 1
    assert server.working == [True]


@pytest.mark.usefixtures("no_ros")
def test_after_a_reset_of_the_world_it_stands_again(gazebo: ModuleType) -> None:
    server = gazebo.load_world(write_world("empty", FIBO, STARTS))
    server.run(True, 50, False)
    server.system.robots.shadow.push("a", "torso", (30.0, 0.0, 0.0), 0.3)
    server.run(True, 1000, False)
    assert fallen(server, "a")
    server.reset()
    server.run(True, 300, False)
    assert not fallen(server, "a")
    assert server.system.robots.shadow.time == pytest.approx(0.3)


@pytest.mark.usefixtures("no_ros")
def test_a_paused_world_stands_still(gazebo: ModuleType) -> None:
    server = gazebo.load_world(write_world("empty", FIBO, STARTS))
    server.run(True, 10, False)
    before = server.system.robots.shadow.time
    server.run(True, 10, True)
    assert server.system.robots.shadow.time == before
