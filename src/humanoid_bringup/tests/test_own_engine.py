"""This suite's engine as the benchmark drives it."""

from __future__ import annotations

import numpy as np

from humanoid_bringup.bench import own_engine
from humanoid_description import load_robot
from humanoid_gait.primitives import PrimitiveParameters, forward_walk
from humanoid_sim.rollout import roll_out

ROBOT = load_robot("ar601m")
ROW_1 = PrimitiveParameters(0.1, 0.1, 0.85, 0.5, 1.0)
ROW_2 = PrimitiveParameters(0.2, 0.1, 0.85, 0.5, 1.0)


def test_it_walks_as_a_rollout_does() -> None:
    reference = forward_walk(ROBOT, ROW_1, 1, 1e-3)
    outcome = own_engine.implicit(ROBOT, reference)
    walk = roll_out(ROBOT, reference.position, reference.velocity, 1e-3)
    assert not outcome.fell
    assert outcome.steps == len(reference.position)
    # The engine's poses are those at the beginning of the last step.
    np.testing.assert_allclose(outcome.base_in_world, walk.base[-2, :3], atol=1e-12)


def test_the_explicit_step_is_the_reference_of_the_implicit_one() -> None:
    outcomes = [
        simulate(ROBOT, forward_walk(ROBOT, ROW_1, 1, dt))
        for simulate, dt in ((own_engine.implicit, 1e-3), (own_engine.explicit, 1e-4))
    ]
    np.testing.assert_allclose(outcomes[0].base_in_world, outcomes[1].base_in_world, atol=3e-3)


def test_a_fall_is_a_fall() -> None:
    outcome = own_engine.implicit(ROBOT, forward_walk(ROBOT, ROW_2, 3, 1e-3))
    assert outcome.fell
    assert outcome.seconds < 5
