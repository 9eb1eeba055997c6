"""Walking primitives of the library on the simulated AR-601M, without torque limits, as in seed 003, Table 4."""

from __future__ import annotations

import math

from humanoid_description import load_robot
from humanoid_gait.primitive_library import Move, join, make_primitive
from humanoid_gait.primitive_planner import Pose, Strides, plan_moves
from humanoid_gait.primitives import PrimitiveParameters
from humanoid_sim.rollout import Rollout, roll_out
from humanoid_sim.simulation import Simulation

ROBOT = load_robot("ar601m")
PARAMETERS = PrimitiveParameters(step=0.1, lift=0.05, torso_height=0.85, period=0.5, pause=1.0)
STRIDES = Strides(forward=0.1, backward=0.07, sideways=0.05, turn=0.15)


def walked(moves: list[Move]) -> Rollout:
    reference = join([make_primitive(ROBOT, PARAMETERS, move) for move in moves], 1e-3)
    return roll_out(ROBOT, reference.position, reference.velocity, 1e-3)


def test_alternating_the_lead_keeps_the_yaw() -> None:
    drift = {}
    for leads in (("left", "left"), ("left", "right")):
        steps = [Move("forward", 0.1, lead) for lead in leads * 3]
        result = walked([Move("start"), *steps, Move("stop")])
        assert not result.fell
        drift[leads] = abs(result.yaw_drift)
    assert drift["left", "right"] < math.radians(2)
    assert drift["left", "left"] > 5 * drift["left", "right"]


def test_it_reaches_a_goal_when_it_looks_where_it_is() -> None:
    simulation = Simulation(ROBOT, torque_share=math.inf)
    goal = (0.3, 0.2, 0.6)
    for _ in range(3):
        moves = plan_moves(where(simulation), goal, STRIDES)
        reference = join([make_primitive(ROBOT, PARAMETERS, move) for move in moves], 0.01)
        for position, velocity in zip(reference.position, reference.velocity, strict=True):
            simulation.command(ROBOT.name, position, velocity)
            simulation.step(10)
    final = where(simulation)
    assert not simulation.fallen(ROBOT.name)
    assert math.dist(final[:2], goal[:2]) < 0.05
    assert abs(final[2] - goal[2]) < 0.1


def where(simulation: Simulation) -> Pose:
    seen = simulation.observe(ROBOT.name)
    x, y, z, w = seen.base_orientation_xyzw
    yaw = math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
    return float(seen.base_position[0]), float(seen.base_position[1]), yaw
