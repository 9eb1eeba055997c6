"""This suite's engine: the implicit step and the explicit one, its reference."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from humanoid_bringup.bench.task import Outcome, follow, pose
from humanoid_description import Robot
from humanoid_gait.primitives import JointReference
from humanoid_sim.engine import EXPLICIT, IMPLICIT, advance_many
from humanoid_sim.plant import RobotPart
from humanoid_sim.scene import Scene, World


def implicit(robot: Robot, reference: JointReference) -> Outcome:
    """Let a robot follow joint references on flat ground, in implicit steps."""
    return _simulate(robot, reference, IMPLICIT)


def explicit(robot: Robot, reference: JointReference) -> Outcome:
    """Let a robot follow joint references on flat ground, in explicit steps."""
    return _simulate(robot, reference, EXPLICIT)


def _simulate(robot: Robot, reference: JointReference, weights: NDArray[np.float64]) -> Outcome:
    part = RobotPart(robot.name, robot, (0.0, 0.0, 0.0))
    scene = Scene([part], World(), torque_share=math.inf)
    scene.place(part, dict(zip(robot.joint_names, reference.position[0], strict=True)))
    no_trace = np.zeros((0, 0))

    def advance(start: int, stop: int) -> None:
        targets, speeds = reference.position[start:stop], reference.velocity[start:stop]
        advance_many(scene.plant, scene.buffers, weights, reference.dt, stop - start, targets, speeds, no_trace)

    advance(0, 0)  # loads what is compiled, before any clock runs
    base = scene.data.body(part.base_body)
    return follow(reference, advance, lambda: pose(base.xmat.reshape(3, 3), base.xpos))
