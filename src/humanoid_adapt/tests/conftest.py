"""What the tests of this package share."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from humanoid_adapt.bag import BagWriter
from humanoid_adapt.bag_log import BagLog
from humanoid_adapt.protocol import protocol
from humanoid_adapt.routine import Routine
from humanoid_adapt.simulated_body import SimulatedBody, run_tests
from humanoid_description import Robot, load_robot

sys.path.insert(0, str(Path(__file__).parent))  # tests of two nodes share graph.py
from graph import Graph

HIDDEN = "left_forearm:0.2:0,0,-0.03"


@pytest.fixture(scope="session")
def fibo() -> Robot:
    """FIBO-KM as it is drawn."""
    return load_robot("fibo_km")


@pytest.fixture(scope="session")
def loaded() -> Robot:
    """FIBO-KM with a load that the drawing does not know."""
    return load_robot("fibo_km", [HIDDEN])


@pytest.fixture(scope="session")
def run(fibo: Robot, loaded: Robot, tmp_path_factory: pytest.TempPathFactory) -> tuple[Routine, BagLog, Path]:
    """Six fall tests of the loaded robot in simulation, and their bag."""
    bag = tmp_path_factory.mktemp("bags") / "falls"
    with BagWriter(bag) as writer:
        log = BagLog(fibo, writer, "real")
        routine = run_tests(SimulatedBody(loaded, seed=7), fibo, protocol(fibo, "6"), log=log)
    return routine, log, bag


@pytest.fixture(scope="module")
def graph(fibo: Robot, loaded: Robot, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Graph]:
    """A graph in which the two tests of the paper have been done."""
    graph = Graph(fibo, loaded, tmp_path_factory.mktemp("models"))
    assert graph.trigger("/real/fall_test/run").success
    graph.until(lambda: graph.fall_test.routine.done and len(graph.adapt.assembler.recordings) == 2)
    yield graph
    graph.close()
