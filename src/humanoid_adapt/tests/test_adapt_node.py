"""The estimator in a real ROS graph."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from graph import Graph
from rclpy.node import Node
from std_msgs.msg import String

from humanoid_adapt.adapt_node import AdaptNode
from humanoid_adapt.history import History
from humanoid_description import Robot
from humanoid_description.robot_interface import LATCHED


def test_the_simulation_takes_the_adapted_model_over(graph: Graph, fibo: Robot, loaded: Robot) -> None:
    answer = graph.trigger("/real/adapt/run")
    assert answer.success, answer.message
    found = graph.adapt.found
    assert found is not None
    graph.until(lambda: "twin" in graph.simulation.robots and graph.simulation.robots["twin"].mass != fibo.mass)
    taken = graph.simulation.robots["twin"].com_in_base({})
    np.testing.assert_allclose(taken, found.com_in_base, atol=1e-9)
    assert graph.simulation.robots["twin"].mass == pytest.approx(found.mass)
    # Two tests of a hidden load of 0.2 kg: the weight on the feet says that it is there.
    assert found.mass == pytest.approx(loaded.mass, abs=0.1)
    graph.until(lambda: graph.results and graph.inertials)
    result = json.loads(graph.results[-1].data)
    assert result["com_after_m"] == found.com_in_base.tolist()
    assert {message.header.frame_id for message in graph.inertials} <= set(fibo.inertials)
    assert graph.adapt.history.entries()[-1].cause == "2 fall tests"


def test_a_model_in_force_is_published_at_once_and_rolled_back_when_asked(
    graph: Graph, fibo: Robot, loaded: Robot, tmp_path: Path
) -> None:
    """As after a restart: another node begins with the history that one before left."""
    past = History(tmp_path, fibo)
    past.add(loaded, "bag falls", "")
    node = Node("adapt", namespace="again", context=graph.context)
    graph.executor.add_node(node)
    heard: list[str] = []
    graph.user.create_subscription(
        String, "/again/adapted_description", lambda message: heard.append(message.data), LATCHED
    )
    again = AdaptNode(node, fibo, tmp_path)
    graph.until(lambda: heard)
    assert heard == [past.current().urdf]
    assert past.current().inertials == loaded.inertials
    assert graph.trigger("/again/adapt/rollback").success
    graph.until(lambda: len(heard) == 2)
    assert heard[1] == fibo.urdf
    refused = graph.trigger("/again/adapt/rollback")
    assert not refused.success
    assert "none before it" in refused.message
    # The same tests give the model that is in force by then, and it is what the new one is compared with.
    again.assembler.recordings += graph.adapt.assembler.recordings
    first, second = again.adapt(), again.adapt()
    assert first.residuals[0].before_deg != pytest.approx(first.residuals[0].after_deg, abs=0.05)
    assert [one.before_deg for one in second.residuals] == pytest.approx([one.after_deg for one in second.residuals])
    np.testing.assert_allclose(second.com_before, first.com_in_base, atol=1e-6)
    graph.executor.remove_node(node)
    node.destroy_node()


def test_without_tests_it_says_so_and_changes_nothing(graph: Graph, fibo: Robot) -> None:
    before = graph.simulation.robots["twin"]
    graph.adapt.assembler.recordings.clear()
    answer = graph.trigger("/real/adapt/run")
    assert not answer.success
    assert "At least 2" in answer.message
    assert graph.simulation.robots["twin"] is before
