"""The perceptron of seed 000, section V.C: 3 inputs, 5, 10 and 5 neurons, 9 outputs, trained by back-propagation."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

Array = NDArray[np.float64]
LAYERS = (3, 5, 10, 5, 9)


@dataclass(frozen=True)
class Perceptron:
    """A trained network; inputs and outputs are scaled to zero mean and unit spread inside."""

    weights: tuple[Array, ...]
    """Per layer, shape (outputs, inputs + 1); the last column is the bias."""
    input_mean: Array
    input_scale: Array
    output_mean: Array
    output_scale: Array

    def __call__(self, inputs: Array) -> Array:
        """Outputs for inputs, shapes (..., 3) and (..., 9)."""
        value = (np.asarray(inputs) - self.input_mean) / self.input_scale
        return np.asarray(
            _forward(self.weights, np.atleast_2d(value))[-1] * self.output_scale + self.output_mean
        ).reshape(*np.shape(inputs)[:-1], -1)


def _forward(weights: tuple[Array, ...], inputs: Array) -> list[Array]:
    """Values of every layer; hidden neurons are tanh, outputs linear."""
    values = [inputs]
    for index, weight in enumerate(weights):
        total = values[-1] @ weight[:, :-1].T + weight[:, -1]
        values.append(total if index == len(weights) - 1 else np.tanh(total))
    return values


def loss_and_gradient(flat: Array, inputs: Array, targets: Array, decay: float) -> tuple[float, Array]:
    """Mean squared error with weight decay, and its gradient by back-propagation, for flat weights."""
    weights = _unpack(flat)
    values = _forward(weights, inputs)
    error = values[-1] - targets
    loss = float(np.sum(error**2) / error.size + decay * flat @ flat)
    slope = 2 * error / error.size
    gradients: list[Array] = []
    for index in range(len(weights) - 1, -1, -1):
        if index < len(weights) - 1:
            slope = slope * (1 - values[index + 1] ** 2)
        gradients.insert(0, np.column_stack([slope.T @ values[index], slope.sum(axis=0)]))
        slope = slope @ weights[index][:, :-1]
    return loss, np.concatenate([gradient.ravel() for gradient in gradients]) + 2 * decay * flat


def _unpack(flat: Array) -> tuple[Array, ...]:
    weights, start = [], 0
    for inputs, outputs in pairwise(LAYERS):
        size = outputs * (inputs + 1)
        weights.append(flat[start : start + size].reshape(outputs, inputs + 1))
        start += size
    return tuple(weights)


def train(inputs: Array, targets: Array, seed: int, decay: float = 1e-4, iterations: int = 500) -> Perceptron:
    """Train on rows of inputs (3) and targets (9); the same seed gives the same network."""
    scale_in, scale_out = (np.maximum(table.std(axis=0), 1e-9) for table in (inputs, targets))
    white_in, white_out = (inputs - inputs.mean(axis=0)) / scale_in, (targets - targets.mean(axis=0)) / scale_out
    random = np.random.default_rng(seed)
    start = np.concatenate(
        [random.normal(0, 1 / np.sqrt(size + 1), outputs * (size + 1)) for size, outputs in pairwise(LAYERS)]
    )
    result = minimize(
        loss_and_gradient,
        start,
        (white_in, white_out, decay),
        method="L-BFGS-B",
        jac=True,
        options={"maxiter": iterations},
    )
    return Perceptron(_unpack(result.x), inputs.mean(axis=0), scale_in, targets.mean(axis=0), scale_out)
