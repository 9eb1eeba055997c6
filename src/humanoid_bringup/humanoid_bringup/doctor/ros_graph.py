"""What the programs that run now say to each other: discovery, clock, simulator, silent topics, diagnostics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from humanoid_bringup.doctor.finding import BROKEN, GOOD, WARNING, Finding

STATE = "joint_states"
SENSORS = (STATE, "imu/data")
"""What a robot says all the time."""
LISTENED = (*SENSORS, "robot_description")
SHOWN = 3
"""Reports of one node that are told in full."""
OK_LEVEL, WARN_LEVEL = 0, 1
"""Of diagnostic_msgs/DiagnosticStatus; above are errors and silence."""


@dataclass(frozen=True)
class Topic:
    """A topic as seen for a while."""

    publishers: int
    subscribers: int
    """Without our own."""
    messages: int = 0


@dataclass(frozen=True)
class Graph:
    """All that was seen."""

    seconds: float
    """How long we listened."""
    hears_itself: float | None
    """s until a message from another node of this machine was heard; None if it never was."""
    topics: Mapping[str, Topic] = field(default_factory=dict)
    statuses: Mapping[str, tuple[int, str]] = field(default_factory=dict)
    """Level and message of each diagnostic status, by its name."""


def judge(graph: Graph) -> list[Finding]:
    """What is wrong with the programs that run."""
    if graph.hears_itself is None:
        remedy = "Allow UDP on the loopback and multicast (firewall, VPN), and give all the same ROS_DOMAIN_ID."
        return [Finding("discovery", BROKEN, "two nodes of this machine do not hear each other", remedy)]
    findings = [Finding("discovery", GOOD, f"nodes of this machine find each other in {graph.hears_itself:.2f} s")]
    paused = any(name == "simulator" and message.startswith("paused") for name, (_, message) in graph.statuses.items())
    findings += _clock(graph, paused)
    findings += _topics(graph, paused)
    findings += _diagnostics(graph, paused)
    return findings


def _clock(graph: Graph, paused: bool) -> list[Finding]:
    clock = graph.topics.get("/clock")
    if clock is None or clock.publishers == 0:
        return []
    if clock.publishers > 1:
        remedy = "Stop all but one of the simulators and players, or give each a ROS_DOMAIN_ID of its own."
        return [Finding("clock", BROKEN, f"{clock.publishers} programs publish /clock, so time jumps", remedy)]
    if clock.messages == 0 and not paused:
        remedy = "Its simulator or player hangs or is paused: see its output, or start it anew."
        return [Finding("clock", BROKEN, f"/clock stood still for {graph.seconds:.0f} s", remedy)]
    return (
        [] if paused else [Finding("clock", GOOD, f"/clock ticks, {clock.messages / graph.seconds:.0f} times a second")]
    )


def _robots(graph: Graph) -> list[str]:
    """Namespaces in which a robot lives."""
    ending = "/robot_description"
    return sorted(
        name.removesuffix(ending) for name, topic in graph.topics.items() if name.endswith(ending) and topic.publishers
    )


def _topics(graph: Graph, paused: bool) -> list[Finding]:
    findings = []
    robots = _robots(graph)
    for space in robots:
        for name in SENSORS:
            topic = graph.topics.get(f"{space}/{name}")
            if topic is not None and topic.publishers and topic.messages == 0 and not paused:
                level = BROKEN if name == STATE else WARNING
                what = f"{space}/{name} was silent for {graph.seconds:.0f} s"
                remedy = (
                    "See the output of the program that drives the robot; on a real one run './humanoid bridge check'."
                )
                findings.append(Finding("topics", level, what, remedy))
        heard = graph.topics.get(f"{space}/{STATE}")
        if heard is not None and heard.messages:
            findings.append(
                Finding("topics", GOOD, f"{space} speaks {heard.messages / graph.seconds:.0f} times a second")
            )
    for name, topic in graph.topics.items():
        if name.endswith(f"/{STATE}") and topic.subscribers and not topic.publishers:
            there = f"Robots are in {', '.join(robots)}." if robots else "No robot runs: start one first."
            what = f"somebody listens to {name}, where no robot speaks"
            findings.append(Finding("topics", BROKEN, what, f"Check the --namespace of that program. {there}"))
    if not robots:
        findings.append(Finding("topics", GOOD, "no robot runs at the moment"))
    return findings


def _diagnostics(graph: Graph, paused: bool) -> list[Finding]:
    findings = []
    reports: dict[tuple[str, str], list[str]] = {}
    for name, (level, message) in sorted(graph.statuses.items()):
        if name == "simulator":
            findings.append(_simulator(level, message, paused))
        elif level != OK_LEVEL:
            node, _, part = name.partition(": ")
            reports.setdefault((node, WARNING if level == WARN_LEVEL else BROKEN), []).append(f"{part}: {message}")
    for (node, severity), texts in reports.items():
        more = f"; and {len(texts) - SHOWN} more" if len(texts) > SHOWN else ""
        remedy = f"They come from {node}, whose output says more; './humanoid bridge check' asks servos one by one."
        findings.append(Finding("diagnostics", severity, f"{node}: {'; '.join(texts[:SHOWN])}{more}", remedy))
    return findings


def _simulator(level: int, message: str, paused: bool) -> Finding:
    if paused:
        remedy = "Let it go on: ros2 service call /pause std_srvs/srv/SetBool '{data: false}', or the page's button."
        return Finding("simulator", BROKEN, "the simulator is paused, so no robot moves", remedy)
    if level != OK_LEVEL:
        remedy = "Simulate fewer robots, ask for a smaller --factor, or end other programs on this machine."
        return Finding("simulator", WARNING, f"the simulator runs at {message}", remedy)
    return Finding("simulator", GOOD, f"the simulator runs at {message}")
