"""Random robots."""

from __future__ import annotations

import numpy as np

from humanoid_adapt.belief import Uncertainty
from humanoid_adapt.limbs import segments
from humanoid_adapt.population import draw
from humanoid_description import Robot


def test_the_same_seed_gives_the_same_robot(fibo: Robot) -> None:
    one, two, other = draw(fibo, 3), draw(fibo, 3), draw(fibo, 4)
    assert one.robot.inertials == two.robot.inertials
    assert one.payload != other.payload
    assert one.payload.link in segments(fibo)[one.place]
    assert 0.05 <= one.payload.mass <= 0.3


def test_robots_spread_as_the_prior_says(fibo: Robot) -> None:
    spread = Uncertainty()
    drawn = [draw(fibo, seed) for seed in range(60)]
    masses = np.array([one.bare.inertials["torso"].mass for one in drawn]) / fibo.inertials["torso"].mass - 1
    assert 0.6 * spread.mass_share < masses.std() < 1.5 * spread.mass_share
    centres = np.array([one.bare.inertials["torso"].com_in_link for one in drawn]) - fibo.inertials["torso"].com_in_link
    assert 0.7 * spread.com < centres.std() < 1.4 * spread.com
    edges = np.array([one.bare.parameters.feet["left"].front for one in drawn]) - fibo.parameters.feet["left"].front
    assert 0.6 * spread.edge < edges.std() < 1.5 * spread.edge
    zeros = np.array([one.joint_zeros for one in drawn])
    assert 0.8 * spread.joint_zero < zeros.std() < 1.2 * spread.joint_zero
