"""Gazebo beside the embedded engine: whether it is the same robot in both, and how fast Gazebo is with it."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from humanoid_adapt.limbs import ramp_vector
from humanoid_adapt.protocol import protocol
from humanoid_adapt.routine import Settings
from humanoid_adapt.simulated_body import SimulatedBody, run_tests
from humanoid_adapt.tip import Tip, tips_of
from humanoid_bringup.trials import Trial, run_trial
from humanoid_description import Robot, RobotError, load_robot
from humanoid_gait.primitives import PrimitiveParameters, forward_walk
from humanoid_sim.simulation import DEFAULT_DT, Simulation

Array = NDArray[np.float64]
Make = Callable[..., Simulation]
Progress = Callable[[str], None]
ROW_1 = PrimitiveParameters(0.1, 0.1, 0.85, 0.5, 1.0)
"""Row 1 of seed 003's Table 4."""
SPEED = 0.1
"""m/s."""
TIP_LIMIT = 0.3
"""Degrees by which a robot may tip earlier or later in Gazebo."""
WAY_LIMIT = 2.0
"""mm by which the torso may be elsewhere in Gazebo."""


@dataclass(frozen=True)
class Row:
    """One thing that was measured."""

    what: str
    wanted: str
    embedded: str
    gazebo: str
    met: bool


@dataclass(frozen=True)
class Extent:
    """How much is measured."""

    stand_seconds: float = 30.0
    walk_seconds: float = 10.0
    tests: int = 6
    """Fall tests of the protocol with six."""
    ramp_rate: float = math.radians(3.0)
    """rad/s."""
    way_seconds: float = 4.0
    speed_seconds: float = 10.0
    speed_rounds: int = 3
    """The quickest counts, as other programs on the machine only ever slow it down."""


def measure(make: Make, extent: Extent, progress: Progress) -> list[Row]:
    """Do with the robots in Gazebo what is done with them in the embedded engine, and compare.

    Args:
        make: Gives a simulation in Gazebo, with the arguments of Simulation.
        extent: How much.
        progress: Is told what is being done.
    """
    fibo = load_robot("fibo_km")
    rows = [_stand(make, fibo, extent, progress), _speed(fibo, extent, progress)]
    progress(f"FIBO-KM walks {extent.walk_seconds:g} s")
    trial = Trial(fibo, fibo, (SPEED, 0.0, 0.0), extent.walk_seconds, seed=0)
    embedded, other = run_trial(trial), run_trial(trial, make)
    speeds = [f"{outcome.velocity[0]:.3f} m/s{', fell' if outcome.fell else ''}" for outcome in (embedded, other)]
    rows.append(_row(f"walks {extent.walk_seconds:g} s at {SPEED} m/s", "stays up", speeds, not other.fell))
    return [*rows, *_tips(make, fibo, extent, progress), _row_1(make, extent, progress)]


def _row(what: str, wanted: str, results: list[str], met: bool) -> Row:
    embedded, other = results
    return Row(what, wanted, embedded, other, met)


def _stand(make: Make, robot: Robot, extent: Extent, progress: Progress) -> Row:
    progress(f"FIBO-KM stands {extent.stand_seconds:g} s")
    moved, fell = [], False
    for maker in (Simulation, make):
        simulation = maker(robot)
        simulation.step()
        start = simulation.observe(robot.name).base_position
        simulation.step(round(extent.stand_seconds / simulation.dt))
        moved.append(1e3 * float(np.linalg.norm(simulation.observe(robot.name).base_position - start)))
        fell = simulation.fallen(robot.name)
    ways = [f"moved {way:.2f} mm" for way in moved]
    return _row(f"stands {extent.stand_seconds:g} s", "stays up", ways, not fell)


def _speed(robot: Robot, extent: Extent, progress: Progress) -> Row:
    """How fast `sim` is with either engine, as fast as it goes, topics included."""
    progress(f"FIBO-KM stands {extent.speed_seconds:g} s as fast as it goes, {extent.speed_rounds} times")
    factors = [
        max(_real_time_factor(robot, engine, extent.speed_seconds) for _ in range(extent.speed_rounds))
        for engine in ("mujoco", "gazebo")
    ]
    times = [f"{factor:.2f}" for factor in factors]
    return _row("real-time factor of FIBO-KM with its topics, 1 ms steps", "more than 1", times, factors[1] > 1.0)


def _real_time_factor(robot: Robot, engine: str, seconds: float) -> float:
    """Simulated over real time of `sim`, run in a process of its own."""
    command = [sys.executable, "-P", "-m", "humanoid_bringup", "sim", str(robot.folder), "--engine", engine]
    command += [
        *(["--headless"] if engine == "gazebo" else []),
        "--factor",
        "inf",
        "--seconds",
        repr(seconds),
        "--json",
    ]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise RobotError(f"sim --engine {engine}: ended with status {done.returncode}; the lines above say why.")
    return float(json.loads(done.stdout.splitlines()[-1])["real_time_factor"])


def _tips(make: Make, robot: Robot, extent: Extent, progress: Progress) -> list[Row]:
    """How far its ankles leant the robot when it tipped, test by test."""
    tests = protocol(robot, "6")[: extent.tests]
    angles: list[dict[str, float]] = []
    for maker in (Simulation, make):
        body = SimulatedBody(robot, seed=0, dt=DEFAULT_DT, make=maker)
        routine = run_tests(body, robot, tests, Settings(rate=extent.ramp_rate), progress=progress)
        tips, _ = tips_of(routine.recordings, robot)
        angles.append({tip.test.name: _lean(tip, robot) for tip in tips})
    rows = []
    for test in tests:
        embedded, other = (math.degrees(found.get(test.name, math.nan)) for found in angles)
        met = abs(other - embedded) <= TIP_LIMIT
        texts = [f"{angle:.2f} degrees" for angle in (embedded, other)]
        rows.append(_row(f"tips: {test.name}", f"within {TIP_LIMIT} degrees", texts, met))
    return rows


def _lean(tip: Tip, robot: Robot) -> float:
    """How far the ankles lean the robot in the direction of its fall, rad."""
    ramp = ramp_vector(robot, tip.test.support_feet, tip.test.direction)
    return float(tip.angles @ ramp / (ramp @ ramp))


def _row_1(make: Make, extent: Extent, progress: Progress) -> Row:
    progress(f"AR-601M walks row 1 of Table 4, {extent.way_seconds:g} s")
    robot = load_robot("ar601m")
    reference = forward_walk(robot, ROW_1, 5, DEFAULT_DT)
    steps = round(extent.way_seconds / DEFAULT_DT)
    ways = []
    for maker in (Simulation, make):
        simulation = maker(robot, torque_share=math.inf)
        simulation.place(robot.name, reference.position[0])
        torso = simulation.scene.data.xpos[simulation.scene.parts[0].base_body]
        way = []
        for position, velocity in zip(reference.position[:steps], reference.velocity[:steps], strict=True):
            simulation.command(robot.name, position, velocity)
            simulation.step()
            way.append(torso.copy())
        ways.append(np.array(way))
    apart = 1e3 * float(np.linalg.norm(ways[1] - ways[0], axis=1).max())
    texts = [f"{way[-1, 0]:.4f} m ahead" for way in ways]
    what = f"AR-601M, row 1, first {extent.way_seconds:g} s: torso {apart:.3f} mm apart at most"
    return _row(what, f"within {WAY_LIMIT:g} mm", texts, apart <= WAY_LIMIT)
