"""Listening to a real graph in which things are wrong."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState

from humanoid_bringup.doctor.finding import GOOD
from humanoid_bringup.doctor.graph_node import listen
from humanoid_bringup.doctor.ros_graph import judge
from humanoid_description import load_robot
from humanoid_sim.sim_node import SimNode
from humanoid_sim.simulation import Simulation

SECONDS = 4.0  # late joiners are heard after 2.5 s at the latest, and diagnostics come every second


@pytest.fixture
def simulator() -> Iterator[SimNode]:
    """A robot `/examined` in its own thread."""
    context = Context()
    rclpy.init(context=context)
    sim_node = SimNode(Simulation({"examined": load_robot("fibo_km")}), context=context)
    executor = SingleThreadedExecutor(context=context)
    sim_node.add_to(executor)
    sim_node.tick()
    stopping = threading.Event()

    def serve() -> None:
        while not stopping.is_set():
            executor.spin_once(timeout_sec=min(sim_node.wait(), 0.05))
            if sim_node.wait() == 0.0:
                sim_node.tick()

    thread = threading.Thread(target=serve)
    thread.start()
    yield sim_node
    stopping.set()
    thread.join()
    executor.shutdown()
    sim_node.destroy()
    rclpy.shutdown(context=context)


def test_a_robot_is_heard_and_a_lost_listener_and_a_second_clock_are_found(simulator: SimNode) -> None:
    context = Context()
    rclpy.init(context=context)
    stranger = Node("stranger", context=context)
    stranger.create_publisher(Clock, "/clock", 10)
    stranger.create_subscription(JointState, "/elsewhere/joint_states", print, 10)
    graph = listen(SECONDS)
    stranger.destroy_node()
    rclpy.shutdown(context=context)
    assert graph.topics["/examined/joint_states"].messages > 10
    wrong = [finding.what for finding in judge(graph) if finding.level == "broken"]
    assert wrong == [
        "2 programs publish /clock, so time jumps",
        "somebody listens to /elsewhere/joint_states, where no robot speaks",
    ]


def test_a_paused_simulator_is_found(simulator: SimNode) -> None:
    simulator.paused = True
    graph = listen(SECONDS)
    wrong = [finding.what for finding in judge(graph) if finding.level != GOOD]
    assert wrong == ["the simulator is paused, so no robot moves"]
