"""The page in a real browser, on a real ROS graph: what is drawn, and what the buttons do."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import chromium
import numpy as np
import pytest
import rclpy
from chromium import CHROMIUM, Chromium
from rclpy.context import Context
from rclpy.experimental import EventsExecutor
from rclpy.node import Node

from humanoid_adapt.fall_test_node import FallTestNode
from humanoid_adapt.routine import Settings
from humanoid_bringup.viewer.page import CAMERA, LOOK_AT
from humanoid_bringup.viewer_node import Viewer, token_for
from humanoid_description import load_robot
from humanoid_description.arrivals_node import serve_arrived
from humanoid_gait.gait_node import GaitNode
from humanoid_sim.scene import World
from humanoid_sim.sim_node import SimNode
from humanoid_sim.simulation import Simulation

NAME = "seen"


class Graph:
    """A simulated robot with its gait and fall tests, and the viewer."""

    def __init__(self) -> None:
        self.context = Context()
        rclpy.init(context=self.context)
        self.executor = EventsExecutor(context=self.context)
        robot = load_robot("fibo_km")
        self.simulation = Simulation({NAME: robot}, World(obstacles=(((1.5, 1.0, 0.1), (0.2, 0.2, 0.2)),)))
        self.sim_node = SimNode(self.simulation, math.inf, real=[NAME], context=self.context)
        self.sim_node.add_to(self.executor)
        self.gait = GaitNode(Node("gait", namespace=NAME, context=self.context), robot)
        tester = Node("fall_test", namespace=NAME, context=self.context)
        self.fall_test = FallTestNode(tester, robot, "paper", Settings(rate=math.radians(6.0)), "reset")
        self.nodes = (self.gait.node, tester)
        for node in self.nodes:
            self.executor.add_node(node)
        self.viewer = Viewer(self.context, "127.0.0.1", 0)
        self.viewer.page.shadows.value = False  # half the time of a browser without a graphics card

    def serve(self) -> None:
        """Let a little time go by."""
        self.viewer.spin_once()
        for _ in range(16):
            serve_arrived(self.executor)
            self.sim_node.tick()

    def until(self, condition: Callable[[], Any]) -> None:
        chromium.until(condition, self.serve)

    def close(self) -> None:
        self.viewer.close()
        self.executor.shutdown()
        self.sim_node.destroy()
        for node in self.nodes:
            node.destroy_node()
        rclpy.shutdown(context=self.context)


@pytest.fixture
def graph() -> Iterator[Graph]:
    graph = Graph()
    yield graph
    graph.close()


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    """Where pictures of the page are kept: the folder that PICTURES names, or the test's own."""
    folder = Path(os.environ.get("PICTURES") or tmp_path / "pictures")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Chromium]:
    if CHROMIUM is None:
        assert not os.environ.get("CI"), "Chromium is missing"
        pytest.skip("chromium is not installed")
    browser = Chromium(tmp_path / "profile")
    yield browser
    browser.close()


def test_the_page_shows_the_robot_and_its_buttons_move_it(graph: Graph, browser: Chromium, pictures: Path) -> None:
    simulation, viewer = graph.simulation, graph.viewer
    tab = browser.open(viewer.gate.url)
    graph.until(lambda: "fibo_km" in tab.text())
    # Drawn: where nothing but pale ground was, there are the robot's dark servos.
    graph.until(lambda: (tab.picture(pictures / "robot.png")[:, :520].max(axis=2) < 90).sum() > 100)
    assert all(url.startswith(("http://127.0.0.1:", "ws://127.0.0.1:", "data:", "blob:")) for url in tab.requests)
    assert viewer.gate.url in tab.requests

    tab.click("Drive")
    tab.click("Walk")
    start = simulation.observe(NAME).base_position[0]
    graph.until(lambda: simulation.observe(NAME).base_position[0] > start + 0.15)
    shown = viewer.page.position(NAME)
    assert np.linalg.norm(shown - simulation.observe(NAME).base_position) < 0.1
    before = tab.picture(pictures / "walk.png")
    tab.click("Stop")
    graph.until(lambda: graph.gait.control.state == "off")
    assert not simulation.fallen(NAME)
    graph.until(lambda: np.abs(tab.picture()[:, :520] - before[:, :520]).max() > 60)  # it has moved on

    speed = simulation.base_twist(NAME)[0][1]
    tab.click("left")
    graph.until(lambda: simulation.base_twist(NAME)[0][1] < speed - 0.02)

    tab.click("Hang on")
    graph.until(lambda: simulation.robots[NAME].mass > 4.0)
    assert simulation.robots[NAME].payloads[0].link == "left_forearm"
    assert graph.sim_node.robots[0].interface.robot.mass < 3.5  # nobody was told
    tab.click("Take off")
    graph.until(lambda: simulation.robots[NAME].mass < 3.5)

    tab.click("Fall tests")
    graph.until(lambda: graph.fall_test.routine is not None and graph.fall_test.routine.phase == "ramp")
    graph.until(lambda: "fall test both_forward" in tab.text())
    tab.picture(pictures / "fall_test.png")
    tab.click("Stop")
    graph.until(lambda: graph.fall_test.routine.done)

    tab.click("Joints")
    tab.choose("left_knee", "left_hip_pitch")
    plot = viewer.page.plots[0]
    graph.until(lambda: plot.joint.value == "left_hip_pitch" and len(plot.curve.data[0]) > 100)
    column = simulation.robots[NAME].joint_names.index("left_hip_pitch")
    assert plot.curve.data[1][-1] == pytest.approx(simulation.observe(NAME).joint_position[column], abs=0.1)
    graph.until(lambda: tab.evaluate("document.querySelectorAll('.uplot canvas').length") >= 2)
    tab.picture(pictures / "joints.png")
    assert "left_hip_pitch" in tab.text()


def test_a_browser_that_begins_far_away_is_brought_to_the_robot(graph: Graph, browser: Chromium) -> None:
    server = graph.viewer.page._server
    server.initial_camera.position = (5.0, 5.0, 5.0)  # what a slow browser tells of first
    tab = browser.open(graph.viewer.gate.url)
    graph.until(lambda: "fibo_km" in tab.text() and server.get_clients())
    (client,) = server.get_clients().values()
    graph.until(lambda: client.client_id in graph.viewer.page._placed)
    distance = np.linalg.norm(client.camera.position - client.camera.look_at)
    assert distance == pytest.approx(np.linalg.norm(CAMERA - LOOK_AT), abs=0.05)


def test_two_browsers_a_reload_and_a_dying_viewer_do_not_disturb_the_robot(graph: Graph, browser: Chromium) -> None:
    first, second = browser.open(graph.viewer.gate.url), browser.open(graph.viewer.gate.url)
    graph.until(lambda: "fibo_km" in first.text() and "fibo_km" in second.text())
    second.click("Drive")
    second.click("Walk")
    graph.until(lambda: graph.gait.control.reason == "walks")
    first.command("Page.reload")
    graph.until(lambda: "walks" in first.text())
    assert not graph.simulation.fallen(NAME)
    graph.viewer.close()
    graph.viewer = Viewer(graph.context, "127.0.0.1", 0)
    graph.until(lambda: graph.gait.control.walker.standing)  # nobody repeats the velocity, so it comes to rest
    assert not graph.simulation.fallen(NAME)


def test_an_error_of_a_program_is_shown_and_stops_the_robot(graph: Graph, browser: Chromium, pictures: Path) -> None:
    tab = browser.open(graph.viewer.gate.url)
    graph.until(lambda: "fibo_km" in tab.text())
    graph.viewer.page.program.text.value = (
        "def control(robot):\n    robot.walk(0.2)\n    if robot.gait == 'ready' and robot.time > 3:\n        1 / 0\n"
    )
    tab.click("Program")
    tab.click("Run program")
    graph.until(lambda: graph.gait.control.reason == "walks")
    graph.until(lambda: "division by zero" in tab.text())
    assert "line 4" in tab.text()
    tab.picture(pictures / "program.png")
    graph.until(lambda: graph.gait.control.walker.standing)
    assert not graph.simulation.fallen(NAME)


def test_without_anybody_looking_it_keeps_no_more_than_a_bounded_memory(graph: Graph) -> None:
    graph.until(lambda: NAME in graph.viewer.listener.states and graph.viewer.listener.states[NAME].model)
    state = graph.viewer.listener.states[NAME]
    graph.until(lambda: state.time > 30.0)
    times, values = state.memory.series("left_knee", "angle", 10_000)
    assert len(times) == len(values) <= 2000
    assert graph.viewer.watched is False


def test_only_a_wider_address_needs_a_token(monkeypatch: pytest.MonkeyPatch) -> None:
    assert token_for("127.0.0.1") == token_for("localhost") == ""
    assert len(token_for("0.0.0.0")) > 16
    assert token_for("0.0.0.0") != token_for("0.0.0.0")
    monkeypatch.setenv("HUMANOID_TOKEN", "mine")
    assert token_for("0.0.0.0") == "mine"
