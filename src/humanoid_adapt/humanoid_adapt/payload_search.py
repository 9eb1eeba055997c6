"""Where an unknown load is: every link and a range of masses as hypotheses, each with its evidence.

With the mass of a load fixed, its first moment is linear in its place, so that every hypothesis has a closed form.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri
from scipy.stats import qmc

from humanoid_adapt.belief import Belief
from humanoid_description import Robot

Array = NDArray[np.float64]
MASSES = np.geomspace(0.006, 0.3, 20)
"""Masses of loads over that of the robot."""
REACH = 0.01
"""m by which a load may stick out of the box around a link's shapes."""
PRESENT = 0.9
"""Probability, before any test, that there is a load at all."""
SAMPLES = ndtri(qmc.Sobol(3, seed=0).random(128))
"""Of a standard Gaussian in three dimensions, spread evenly."""
OUTSIDE = 1e-3
"""Probability of a load outside its box."""
NEGLIGIBLE = 1e-4
"""Weight below which a hypothesis is dropped, over that of the best."""


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
    """Mean of the belief's parameters under it, the load not included."""
    cross: Array
    """Covariance of parameters and position, shape (parameters, 3)."""
    information: Array
    """Inverse covariance of the measurements under it."""


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
    layout, links = belief.layout, belief.layout.links
    cross = belief.covariance @ rows.T
    boxes = places(robot)
    masses = np.concatenate([[0.0], np.tile(MASSES * robot.mass, len(boxes))])
    owner = np.concatenate([[0], np.repeat(np.arange(len(boxes)), len(MASSES))])
    index = np.array([links.index(box.link) for box in boxes])[owner]
    centre = np.array([box.centre for box in boxes])[owner]
    place_covariance = np.array([np.diag(box.size**2 / 12) for box in boxes])[owner]
    by_mass = rows[:, index].T
    by_place = masses[:, None, None] * rows[:, layout.moments].reshape(len(rows), len(links), 3)[:, index].swapaxes(
        0, 1
    )
    left = residual - masses[:, None] * by_mass - np.einsum("hki,hi->hk", by_place, centre)
    from_place = by_place @ place_covariance
    covariance = rows @ cross + noise + from_place @ by_place.swapaxes(1, 2)
    seen = np.linalg.solve(covariance, left[..., None])[..., 0]
    spread = np.diagonal(np.linalg.cholesky(covariance), axis1=1, axis2=2)
    scores = -0.5 * np.sum(left * seen, axis=1) - np.log(spread).sum(axis=1)
    scores += np.where(masses > 0.0, np.log(PRESENT / (len(masses) - 1)), np.log(1.0 - PRESENT))
    chosen = np.flatnonzero(scores > scores.max() + np.log(NEGLIGIBLE))
    information = np.linalg.inv(covariance[chosen])
    gains = from_place[chosen].swapaxes(1, 2) @ information
    positions = centre[chosen] + np.einsum("hik,hk->hi", gains, left[chosen])
    position_covariances = place_covariance[chosen] - gains @ from_place[chosen]
    sizes = np.array([box.size for box in boxes])[owner[chosen]]
    inside = _share_inside(positions - centre[chosen], position_covariances, sizes)
    weights = np.exp(scores[chosen] - scores.max()) * np.where(masses[chosen] > 0.0, inside, 1.0)
    weights /= weights.sum()
    hypotheses = []
    for rank in np.argsort(-weights):
        h, gain = chosen[rank], gains[rank]
        hypotheses.append(
            Hypothesis(
                link=links[index[h]] if masses[h] > 0.0 else None,
                mass=float(masses[h]),
                weight=float(weights[rank]),
                position=positions[rank],
                position_covariance=position_covariances[rank],
                parameters=belief.mean + cross @ seen[h],
                cross=-cross @ gain.T,
                information=information[rank],
            )
        )
    return hypotheses


def _share_inside(off_centre: Array, covariance: Array, size: Array) -> Array:
    """What a load that is anywhere in its box with equal chance makes of the evidence that a Gaussian place gives.

    The mean of uniform over Gaussian density over the places that the tests leave, by samples that are always the same.
    """
    spread = np.linalg.cholesky(covariance + 1e-12 * np.eye(3))
    drawn = off_centre[:, None] + np.einsum("hij,sj->hsi", spread, SAMPLES)
    within = (np.abs(drawn) <= size[:, None] / 2).all(axis=2)
    gaussian = np.exp(-0.5 * np.sum((drawn / size[:, None]) ** 2 * 12, axis=2)) * (12 / (2 * np.pi)) ** 1.5
    # A box that the tests point out of is improbable rather than impossible: a load may hang over.
    return np.asarray((within / gaussian).mean(axis=1) + OUTSIDE)
