"""The paper's network on simulated robots."""

from __future__ import annotations

import numpy as np
import pytest

from humanoid_adapt.paper_ann import TRAINING_SEED, ann_com, falling_angles, hint, train_on_robots, with_com
from humanoid_adapt.population import draw
from humanoid_description import Robot


def test_falling_angles_are_whole_counts_near_table_iv(fibo: Robot) -> None:
    angles = np.degrees(falling_angles(fibo))
    np.testing.assert_allclose(angles, [8.78, 19.04], atol=0.3)
    np.testing.assert_allclose(angles * 1024 / 300, np.round(angles * 1024 / 300), atol=1e-9)


def test_with_com_puts_the_centre_where_it_shall_be(fibo: Robot) -> None:
    wanted = fibo.com_in_base({}) + np.array([0.003, -0.002, 0.01])
    moved = with_com(fibo, wanted)
    np.testing.assert_allclose(moved.com_in_base({}), wanted, atol=1e-12)
    assert moved.mass == pytest.approx(fibo.mass)


def test_the_network_knows_robots_it_was_trained_on_better_than_the_drawing_does(fibo: Robot) -> None:
    network = train_on_robots(fibo, count=12)
    errors, drawn = [], []
    for index in range(12):
        specimen = draw(fibo, TRAINING_SEED + index)
        truth = specimen.robot.com_in_base({})
        errors.append(np.linalg.norm(ann_com(network, specimen) - truth))
        drawn.append(np.linalg.norm(fibo.com_in_base({}) - truth))
        assert hint(specimen) in (0.0, 2.0)
    assert np.mean(errors) < 0.5 * np.mean(drawn)
