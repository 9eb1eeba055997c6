"""Where an unknown load is: every link and a range of masses as hypotheses, each with its evidence.

With the mass of a load fixed, its first moment is linear in its place, so that every hypothesis has a closed form.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from humanoid_adapt.belief import Belief
from humanoid_description import Robot

Array = NDArray[np.float64]
MASSES = np.geomspace(0.006, 0.13, 24)
"""Masses of loads over that of the robot."""
REACH = 0.01
"""m by which a load may stick out of the box around a link's shapes."""
PRESENT = 0.9
"""Probability, before any test, that there is a load at all."""
NEGLIGIBLE = 1e-6
"""Weight below which a hypothesis is dropped."""


@dataclass(frozen=True)
class Place:
    """Where on a link a load can be."""

    link: str
    centre: Array
    """m, in the link's frame."""
    size: Array
    """m, of the box."""


@dataclass(frozen=True)
class Hypothesis:
    """A load on a link, or none, and what the tests make of it."""

    link: str | None
    mass: float
    """kg."""
    weight: float
    """Probability."""
    position: Array
    """Most probable place in the link's frame, m."""
    position_covariance: Array
    parameters: Array
    """Mean of the belief's parameters under it."""
    cross: Array
    """Covariance of parameters and position, shape (parameters, 3)."""
    covariance: Array
    """Of the parameters."""


def places(robot: Robot) -> tuple[Place, ...]:
    """A box around each link's shapes and its centre of mass."""
    found = []
    for link, body in robot.base_model.inertials.items():
        points = [body.com_in_link]
        for shape in robot.base_model.shapes[link]:
            if shape.kind == "box":
                half = np.array(shape.size) / 2
            elif shape.kind == "cylinder":
                half = np.array([shape.size[0], shape.size[0], shape.size[1] / 2])
            else:
                half = np.full(3, shape.size[0])
            reach = np.abs(shape.T_link_shape[:3, :3]) @ half
            points += [shape.T_link_shape[:3, 3] - reach, shape.T_link_shape[:3, 3] + reach]
        low, high = np.min(points, axis=0) - REACH, np.max(points, axis=0) + REACH
        found.append(Place(link, (low + high) / 2, high - low))
    return tuple(found)


def search(robot: Robot, belief: Belief, rows: Array, residual: Array, noise: Array) -> list[Hypothesis]:
    """Hypotheses with their weights, best first.

    Args:
        robot: As it was believed to be.
        belief: The prior of its parameters, without load.
        rows: Of the measurements.
        residual: Measured less predicted.
        noise: Covariance of the measurements.
    """
    cross = belief.covariance @ rows.T
    spread = rows @ cross + noise
    links = belief.layout.links
    moments = rows[:, belief.layout.moments].reshape(len(rows), len(links), 3)
    candidates: list[tuple[float, str | None, float, Array, Array, Array]] = []
    score = _log_likelihood(spread, residual) + np.log(1.0 - PRESENT)
    candidates.append((score, None, 0.0, np.zeros(3), np.zeros((3, 3)), np.zeros((len(rows), 3))))
    shapes = places(robot)
    each = np.log(PRESENT / (len(shapes) * len(MASSES)))
    for place in shapes:
        index = links.index(place.link)
        position_covariance = np.diag(place.size**2 / 12)
        for share in MASSES:
            mass = share * robot.mass
            by_place = mass * moments[:, index]
            left = residual - mass * rows[:, index] - by_place @ place.centre
            score = _log_likelihood(spread + by_place @ position_covariance @ by_place.T, left) + each
            candidates.append((score, place.link, mass, place.centre, position_covariance, by_place))
    scores = np.array([candidate[0] for candidate in candidates])
    weights = np.exp(scores - scores.max())
    weights /= weights.sum()
    hypotheses = []
    for weight, (_, link, mass, centre, position_covariance, by_place) in zip(weights, candidates, strict=True):
        if weight < NEGLIGIBLE:
            continue
        left = residual - by_place @ centre
        if link is not None:
            left = left - mass * rows[:, links.index(link)]
        total = spread + by_place @ position_covariance @ by_place.T
        solved = np.linalg.solve(total, np.column_stack([left, cross.T, by_place @ position_covariance]))
        seen, gain, place_gain = solved[:, 0], solved[:, 1:-3], solved[:, -3:]
        hypotheses.append(
            Hypothesis(
                link=link,
                mass=mass,
                weight=float(weight),
                position=centre + position_covariance @ by_place.T @ seen,
                position_covariance=position_covariance - position_covariance @ by_place.T @ place_gain,
                parameters=belief.mean + cross @ seen,
                cross=-cross @ place_gain,
                covariance=belief.covariance - cross @ gain,
            )
        )
    return sorted(hypotheses, key=lambda hypothesis: -hypothesis.weight)


def _log_likelihood(covariance: Array, residual: Array) -> float:
    factor = np.linalg.cholesky(covariance)
    white = np.linalg.solve(factor, residual)
    return float(-0.5 * white @ white - np.log(np.diag(factor)).sum())
