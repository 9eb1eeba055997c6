"""The three masses of seed 000: left leg (m1), right leg (m2), and everything else (m3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from humanoid_description.inertial import Inertial, combined, moved


@dataclass(frozen=True)
class PointMass:
    """A mass and where its centre is."""

    mass: float
    """kg."""
    com_in_base: NDArray[np.float64]
    """m."""


@dataclass(frozen=True)
class ThreeMass:
    """A robot in a posture, projected on three masses (seed 000, section IV.B)."""

    left_leg: PointMass
    """m1."""
    right_leg: PointMass
    """m2."""
    body: PointMass
    """m3: torso, head and arms."""

    @property
    def masses(self) -> tuple[PointMass, PointMass, PointMass]:
        """m1, m2, m3."""
        return self.left_leg, self.right_leg, self.body


def project(
    inertials: Mapping[str, Inertial],
    poses: Mapping[str, NDArray[np.float64]],
    legs: Mapping[str, tuple[str, ...]],
) -> ThreeMass:
    """Gather links into the three masses; total mass and centre of mass stay what they are."""
    in_legs = {link for links in legs.values() for link in links}
    groups = {**legs, "body": tuple(link for link in inertials if link not in in_legs)}
    masses = {}
    for group, links in groups.items():
        whole = combined(moved(inertials[link], poses[link]) for link in links)
        masses[group] = PointMass(whole.mass, whole.com_in_link)
    return ThreeMass(**masses)
