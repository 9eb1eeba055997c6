"""What is believed of a robot: a Gaussian over its masses, first moments, foot edges and joint zeros.

The drawing (CAD) gives the prior; every measurement is a linear row and narrows it.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from humanoid_adapt.tipping import EDGES, TipRow
from humanoid_description import Robot, RobotError

Array = NDArray[np.float64]
COP_SECONDS = 0.5
"""s at rest for which uncertainties of pressures hold; they shrink with the root of the time."""


@dataclass(frozen=True)
class Uncertainty:
    """Standard deviations of what a drawing and a set-up leave open."""

    mass_share: float = 0.03
    """Mass of a link over its mass in the drawing: cables and screws are not drawn."""
    com: float = 0.002
    """Centre of mass of a link per axis, m."""
    edge: float = 0.0003
    """Distance of a foot's edge from the ankle, m: measured with callipers."""
    joint_zero: float = math.radians(0.2)
    """Zero of an encoder, rad: less than a count."""
    tip: float = 0.0009
    """Place of the centre of mass at one tip from both feet, m: servos hunt, and a fall is fitted."""
    tip_one_foot: float = 0.0012
    """The same from one foot, on which a robot sways."""
    early: float = 0.0002
    """How much all tips of a robot are early or late beyond EARLY, m."""
    weight_share: float = 0.01
    """Scale of the foot sensors."""
    cop: float = 0.0012
    """Centre of pressure of a robot at rest on both feet for COP_SECONDS, m: servos hunt, and shake it."""
    cop_sideways: float = 0.0025
    """The same sideways: how level it stands on two feet side by side, legs decide that are never alike."""
    cop_one_foot: float = 0.0009
    """The same on one foot, along both axes."""
    cop_offset: float = 0.0005
    """Place of a foot's sensors per axis, m."""

    def cop_sd(self, feet: int, seconds: float) -> Array:
        """Standard deviation of the centre of pressure of a robot at rest on one or two feet for a time, x and y, m."""
        spread = (self.cop, self.cop_sideways) if feet > 1 else (self.cop_one_foot, self.cop_one_foot)
        return np.array(spread) * math.sqrt(COP_SECONDS / seconds)

    def __post_init__(self) -> None:
        """Refuse what is no spread."""
        if not all(0 < value < math.inf for value in dataclasses.astuple(self)):
            raise RobotError("uncertainty: every standard deviation must be a number above zero.")


@dataclass(frozen=True)
class Layout:
    """Places in the vector: masses (kg), moments (kg m), edges, sensor offsets (m), zeros (rad), earliness (m)."""

    links: tuple[str, ...]
    joints: tuple[str, ...]

    @property
    def size(self) -> int:
        """Number of parameters."""
        return 4 * len(self.links) + 2 * len(EDGES) + 4 + len(self.joints) + 1

    @property
    def masses(self) -> slice:
        """Of the masses."""
        return slice(0, len(self.links))

    @property
    def moments(self) -> slice:
        """Of the first moments, link by link."""
        return slice(len(self.links), 4 * len(self.links))

    def edge(self, side: str, edge: str) -> int:
        """Of a foot's edge."""
        return 4 * len(self.links) + len(EDGES) * ("left", "right").index(side) + list(EDGES.values()).index(edge)

    def cop(self, side: str, axis: int) -> int:
        """Of the offset of a foot's sensors along x (0) or y (1)."""
        return 4 * len(self.links) + 2 * len(EDGES) + 2 * ("left", "right").index(side) + axis

    @property
    def zeros(self) -> slice:
        """Of the joint zeros: what an encoder says too much."""
        return slice(self.size - 1 - len(self.joints), self.size - 1)

    @property
    def early(self) -> int:
        """Of the earliness that all tips share."""
        return self.size - 1

    def tip(self, row: TipRow, robot_mass: float) -> Array:
        """Row of a tipping condition in kg m."""
        full = np.zeros(self.size)
        full[self.masses], full[self.moments] = row.mass, row.moment.ravel()
        for (side, edge), coefficient in row.edges.items():
            full[self.edge(side, edge)] = coefficient
        full[self.zeros] = -row.joints
        full[self.early] = robot_mass
        return full


@dataclass(frozen=True)
class Belief:
    """Mean and covariance of all parameters."""

    layout: Layout
    mean: Array
    covariance: Array

    def observe(self, rows: Array, residual: Array, noise: Array) -> Belief:
        """Belief after measurements.

        Args:
            rows: Derivatives of the measured values with respect to the parameters, shape (n, parameters).
            residual: Measured values less those that the mean predicts, shape (n,).
            noise: Their covariance, shape (n, n).
        """
        cross = self.covariance @ rows.T
        gain = np.linalg.solve(rows @ cross + noise, cross.T).T
        # Joseph's form stays symmetric and positive whatever the rounding.
        rest = np.eye(self.layout.size) - gain @ rows
        covariance = rest @ self.covariance @ rest.T + gain @ noise @ gain.T
        return Belief(self.layout, self.mean + gain @ residual, covariance)


def prior(robot: Robot, uncertainty: Uncertainty) -> Belief:
    """Belief from a robot's description alone."""
    layout = Layout(tuple(robot.inertials), robot.joint_names)
    mean, covariance = np.zeros(layout.size), np.zeros((layout.size, layout.size))
    for index, body in enumerate(robot.inertials.values()):
        first = layout.moments.start + 3 * index
        own = [index, first, first + 1, first + 2]
        mean[own] = [body.mass, *(body.mass * body.com_in_link)]
        # s = m c: a heavier link has a greater moment, a shifted one too.
        by_mass = uncertainty.mass_share * body.mass * np.array([1.0, *body.com_in_link])
        by_place = np.diag([0.0, *[(uncertainty.com * body.mass) ** 2] * 3])
        covariance[np.ix_(own, own)] = np.outer(by_mass, by_mass) + by_place
    spread = np.zeros(layout.size)
    spread[4 * len(layout.links) : layout.cop("left", 0)] = uncertainty.edge
    spread[layout.cop("left", 0) : layout.zeros.start] = uncertainty.cop_offset
    spread[layout.zeros] = uncertainty.joint_zero
    spread[layout.early] = uncertainty.early
    return Belief(layout, mean, covariance + np.diag(spread**2))
