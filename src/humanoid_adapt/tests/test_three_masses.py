"""Three masses with their uncertainty."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from humanoid_adapt.bag_log import BagLog
from humanoid_adapt.estimator import Adaptation, estimate
from humanoid_adapt.routine import Routine
from humanoid_adapt.three_masses import three_masses
from humanoid_adapt.tip import tips_of
from humanoid_description import Inertial, Robot
from humanoid_description.three_mass import project


@pytest.fixture(scope="module")
def found(run: tuple[Routine, BagLog, Path], fibo: Robot) -> Adaptation:
    """What six tests say."""
    return estimate(fibo, tips_of(run[0].recordings, fibo)[0])


def test_they_are_those_of_the_robot_and_their_spread_is_that_of_what_is_believed(found: Adaptation) -> None:
    """Robots drawn at random from the belief, each projected on three masses, scatter as is said."""
    parts, layout = three_masses(found), found.belief.layout
    for ours, theirs in zip(parts, found.robot.three_mass(found.robot.parameters.stand).masses, strict=True):
        assert ours.mass == theirs.mass
        np.testing.assert_array_equal(ours.com_in_base, theirs.com_in_base)
    draws = np.random.default_rng(1).multivariate_normal(found.belief.mean, found.belief.covariance, 400)
    scattered, poses = [], found.robot.poses(found.robot.parameters.stand)
    for draw in draws:
        masses, moments = draw[layout.masses], draw[layout.moments].reshape(-1, 3)
        bodies = {
            link: Inertial(mass, moment / mass, found.robot.inertials[link].inertia_about_com)
            for link, mass, moment in zip(layout.links, masses, moments, strict=True)
        }
        drawn = project(bodies, poses, found.robot.parameters.legs)
        scattered.append([[part.mass, *part.com_in_base] for part in drawn.masses])
    for part, spread in zip(parts, np.std(scattered, axis=0), strict=True):
        np.testing.assert_allclose([part.mass_sd, *part.com_sd], spread, rtol=0.15)
