"""Fall tests in a real ROS graph: simulator, fall_test node and adapt node."""

from __future__ import annotations

from graph import Graph

from humanoid_description import Robot


def test_the_nodes_test_a_robot_and_adapt_its_model(graph: Graph, fibo: Robot) -> None:
    routine = graph.fall_test.routine
    assert routine is not None
    assert routine.done
    assert [one.test.name for one in routine.recordings] == ["both_forward", "both_backward"]
    assert routine.failures == {}
    # The robot heard every command of it, and the ramp has its rate.
    assert graph.sim_node.robots[0].interface.refused == 0


def test_a_second_run_can_be_paused_and_aborted(graph: Graph) -> None:
    assert graph.trigger("/real/fall_test/run").success
    assert not graph.trigger("/real/fall_test/run").success
    assert not graph.trigger("/real/fall_test/confirm").success
    assert graph.set("/real/fall_test/pause", True).message == "paused"
    assert graph.set("/real/fall_test/pause", False).message == "going on"
    assert graph.trigger("/real/fall_test/abort").success
    assert graph.fall_test.routine is not None
    assert graph.fall_test.routine.done
    assert not graph.trigger("/real/fall_test/abort").success
