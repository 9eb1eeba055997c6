"""The linear inverted pendulum and its divergent component of motion (DCM), xi = c + v / omega.

At a constant height z of the centre of mass c, c'' = omega^2 (c - p) with omega^2 = g / z and the zero moment point p.
Half of this is stable by itself, c' = omega (xi - c); the other half, xi' = omega (xi - p), must be steered by p. While
p moves along a straight line, both have closed forms.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from humanoid_description.inertial import GRAVITY

Array = NDArray[np.float64]


def natural_frequency(com_height: float) -> float:
    """Omega, 1/s, of a pendulum of a height (m)."""
    return math.sqrt(GRAVITY / com_height)


@dataclass(frozen=True)
class ZmpLine:
    """A zero moment point that moves along a line at constant speed."""

    start: Array
    """m."""
    end: Array
    """m."""
    seconds: float

    def at(self, time: float) -> Array:
        """Where it is after a time (s), m."""
        return self.start + (self.end - self.start) * (time / self.seconds)


def dcm_after(line: ZmpLine, dcm: Array, omega: float, time: float) -> Array:
    """Where the DCM (m) is a time (s) after it was given at the start of a line."""
    drift = (line.end - line.start) / (line.seconds * omega)
    return line.at(time) + drift + math.exp(omega * time) * (dcm - line.start - drift)


def dcm_before(line: ZmpLine, dcm_end: Array, omega: float) -> Array:
    """Where the DCM (m) must be at the start of a line so that it is at a place at its end."""
    drift = (line.end - line.start) / (line.seconds * omega)
    return line.start + drift + math.exp(-omega * line.seconds) * (dcm_end - line.end - drift)


def com_after(line: ZmpLine, com: Array, dcm: Array, omega: float, time: float) -> Array:
    """Where the centre of mass (m) is a time (s) after it and the DCM were given at the start of a line."""
    drift = (line.end - line.start) / (line.seconds * omega)
    unstable = 0.5 * (dcm - line.start - drift)
    stable = com - line.start - unstable
    return line.at(time) + math.exp(omega * time) * unstable + math.exp(-omega * time) * stable


def steering_shift(lines: list[ZmpLine], dcm: Array, dcm_end: Array, omega: float) -> Array:
    """By how much (m) a whole pattern of lines must be shifted to bring the DCM from one place to another."""
    reached = dcm
    for line in lines:
        reached = dcm_after(line, reached, omega, line.seconds)
    growth = math.exp(omega * sum(line.seconds for line in lines))
    return (reached - dcm_end) / (growth - 1.0)
