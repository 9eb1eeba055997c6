"""The perceptron."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from humanoid_adapt.perceptron import LAYERS, loss_and_gradient, train


def test_it_has_the_papers_layers() -> None:
    assert LAYERS == (3, 5, 10, 5, 9)


def test_back_propagation_is_the_gradient() -> None:
    random = np.random.default_rng(1)
    size = sum(outputs * (inputs + 1) for inputs, outputs in pairwise(LAYERS))
    flat, inputs, targets = random.normal(size=size), random.normal(size=(7, 3)), random.normal(size=(7, 9))
    _, gradient = loss_and_gradient(flat, inputs, targets, 0.01)
    for index in random.integers(0, size, 25):
        step = np.zeros(size)
        step[index] = 1e-6
        rise = loss_and_gradient(flat + step, inputs, targets, 0.01)[0]
        rise -= loss_and_gradient(flat - step, inputs, targets, 0.01)[0]
        assert gradient[index] == pytest.approx(rise / 2e-6, abs=1e-7)


def test_it_learns_a_linear_map_and_is_the_same_for_the_same_seed() -> None:
    random = np.random.default_rng(2)
    matrix, inputs = random.normal(size=(9, 3)), random.normal(size=(80, 3))
    network = train(inputs, inputs @ matrix.T, seed=3)
    unseen = random.normal(size=(20, 3)) * 0.5
    error = network(unseen) - unseen @ matrix.T
    assert np.abs(error).mean() < 0.1 * np.abs(unseen @ matrix.T).mean()
    np.testing.assert_array_equal(network(unseen), train(inputs, inputs @ matrix.T, seed=3)(unseen))
    assert network(unseen[0]).shape == (9,)
