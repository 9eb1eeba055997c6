"""What is said about a ROS graph."""

from __future__ import annotations

from dataclasses import replace

from humanoid_bringup.doctor.finding import BROKEN, GOOD, WARNING, Finding
from humanoid_bringup.doctor.ros_graph import Graph, Topic, judge

HEALTHY = Graph(
    seconds=2.0,
    hears_itself=0.1,
    topics={
        "/clock": Topic(publishers=1, subscribers=1, messages=400),
        "/r/robot_description": Topic(1, 0),
        "/r/joint_states": Topic(1, 1, 200),
        "/r/imu/data": Topic(1, 1, 400),
    },
    statuses={"simulator": (0, "1.00 times real time"), "/r/robot: commands": (0, "all commands were sound")},
)


def bad(graph: Graph) -> dict[str, Finding]:
    return {finding.check: finding for finding in judge(graph) if finding.level != GOOD}


def with_topic(name: str, topic: Topic) -> Graph:
    return replace(HEALTHY, topics={**HEALTHY.topics, name: topic})


def with_status(name: str, level: int, message: str) -> Graph:
    return replace(HEALTHY, statuses={**HEALTHY.statuses, name: (level, message)})


def test_nothing_is_wrong_with_a_healthy_graph_or_an_empty_one() -> None:
    assert bad(HEALTHY) == {}
    texts = [finding.what for finding in judge(HEALTHY)]
    assert "/r speaks 100 times a second" in texts
    assert "/clock ticks, 200 times a second" in texts
    assert bad(Graph(2.0, 0.1)) == {}


def test_nodes_that_do_not_hear_each_other_are_the_only_finding() -> None:
    (finding,) = judge(replace(HEALTHY, hears_itself=None))
    assert (finding.check, finding.level) == ("discovery", BROKEN)


def test_a_paused_simulator_is_one_finding_not_many() -> None:
    quiet = {name: replace(topic, messages=0) for name, topic in HEALTHY.topics.items()}
    paused = replace(HEALTHY, topics=quiet, statuses={"simulator": (1, "paused: call /pause with false to go on")})
    found = bad(paused)
    assert set(found) == {"simulator"}
    assert found["simulator"].level == BROKEN
    assert "/pause" in found["simulator"].remedy


def test_a_slow_simulator_is_a_warning() -> None:
    found = bad(with_status("simulator", 1, "0.41 times real time, slower than asked for"))
    assert found["simulator"].level == WARNING


def test_two_clocks_and_a_clock_that_stands_are_broken() -> None:
    assert "2 programs publish /clock" in bad(with_topic("/clock", Topic(2, 1, 800)))["clock"].what
    assert "stood still" in bad(with_topic("/clock", Topic(1, 1, 0)))["clock"].what
    assert bad(with_topic("/clock", Topic(0, 1, 0))) == {}


def test_a_silent_robot_is_broken_and_a_silent_imu_a_warning() -> None:
    assert bad(with_topic("/r/joint_states", Topic(1, 1, 0)))["topics"].level == BROKEN
    assert bad(with_topic("/r/imu/data", Topic(1, 1, 0)))["topics"].level == WARNING


def test_a_listener_in_the_wrong_namespace_is_told_where_robots_are() -> None:
    finding = bad(with_topic("/real/joint_states", Topic(0, 1)))["topics"]
    assert finding.level == BROKEN
    assert "Robots are in /r." in finding.remedy


def test_diagnostics_are_handed_on() -> None:
    assert bad(with_status("/r/robot: bridge", 2, "the port is gone"))["diagnostics"].level == BROKEN
    assert bad(with_status("/r/robot: left_knee", 3, "silent for 40 cycles"))["diagnostics"].level == BROKEN
    assert bad(with_status("/r/robot: commands", 1, "refused, last: x"))["diagnostics"].level == WARNING


def test_many_reports_of_a_node_are_one_finding() -> None:
    servos = {f"/r/robot: servo_{number}": (3, "silent") for number in range(20)}
    (finding,) = bad(replace(HEALTHY, statuses=servos)).values()
    assert finding.what.endswith("servo_1: silent; servo_10: silent; and 17 more")
