"""Where a load is."""

from __future__ import annotations

import numpy as np
import pytest

from humanoid_adapt.belief import Uncertainty, prior
from humanoid_adapt.payload_search import places, search
from humanoid_description import Robot


def measured(robot: Robot, link: str, mass: float, position: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Masses and first moments of every link, measured directly, with a load somewhere."""
    belief = prior(robot, Uncertainty())
    layout = belief.layout
    rows = np.eye(layout.size)[: 4 * len(layout.links)]
    residual = np.zeros(len(rows))
    index = layout.links.index(link)
    residual[index] = mass
    residual[layout.moments.start + 3 * index : layout.moments.start + 3 * index + 3] = mass * position
    return rows, residual, 1e-8 * np.eye(len(rows))


@pytest.mark.parametrize("link", ["left_forearm", "torso", "right_shank"])
def test_a_load_that_is_measured_is_found(fibo: Robot, link: str) -> None:
    position = next(place.centre for place in places(fibo) if place.link == link) + 0.005
    rows, residual, noise = measured(fibo, link, 0.2, position)
    best = search(fibo, prior(fibo, Uncertainty()), rows, residual, noise)
    assert best[0].link == link
    assert sum(h.weight for h in best if h.link == link) > 0.99
    # How much of it is load and how much the link itself is open; the sum is not.
    index = list(fibo.inertials).index(link)
    added = sum(h.weight * (h.mass + h.parameters[index]) for h in best) - fibo.inertials[link].mass
    assert added == pytest.approx(0.2, abs=1e-3)
    np.testing.assert_allclose(best[0].position, position, atol=0.01)


def test_weights_are_a_probability_and_nothing_is_none(fibo: Robot) -> None:
    rows, _, noise = measured(fibo, "torso", 0.1, np.zeros(3))
    found = search(fibo, prior(fibo, Uncertainty()), rows, np.zeros(len(rows)), noise)
    assert sum(h.weight for h in found) == pytest.approx(1.0, abs=0.05)
    assert found[0].link is None


def test_boxes_hold_the_centres_of_mass(fibo: Robot) -> None:
    for place in places(fibo):
        assert (np.abs(fibo.inertials[place.link].com_in_link - place.centre) <= place.size / 2).all()
