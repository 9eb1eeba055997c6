"""The three masses of an adapted robot, each with what the tests leave open of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from humanoid_adapt.estimator import Adaptation, com_of

Array = NDArray[np.float64]


@dataclass(frozen=True)
class UncertainMass:
    """Left leg, right leg or body, in the standing posture."""

    mass: float
    """kg."""
    mass_sd: float
    com_in_base: Array
    """m."""
    com_covariance: Array
    """m^2."""

    @property
    def com_sd(self) -> Array:
        """Standard deviation of its centre, m."""
        return np.sqrt(np.diag(self.com_covariance))


def three_masses(found: Adaptation) -> tuple[UncertainMass, ...]:
    """Left leg, right leg and body: masses and first moments of links add up, so what is believed of them does too."""
    robot = found.robot
    legs = robot.parameters.legs
    body = set(robot.inertials) - {link for links in legs.values() for link in links}
    groups = (set(legs["left_leg"]), set(legs["right_leg"]), body)
    answer = []
    for part, links in zip(robot.three_mass(robot.parameters.stand).masses, groups, strict=True):
        _, covariance, _, mass_sd = com_of(robot, found.belief, links)
        answer.append(UncertainMass(part.mass, mass_sd, part.com_in_base, covariance))
    return tuple(answer)
