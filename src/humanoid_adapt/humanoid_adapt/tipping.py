"""The exact tipping condition: a robot at rest tips when its centre of mass stands above an edge of its support.

For the body above one ankle, a centre of mass d in front of the ankle and h above it, and edges F1 in front and F2
behind, the tip angles a (forward) and b (backward) obey h = (F1 cos b + F2 cos a) / sin(a + b) and
d = (F1 sin b - F2 sin a) / sin(a + b). For any posture the condition is

    sum_i [ n . (R_i s_i + p_i m_i) ] - (n . e) sum_i m_i = 0

with mass m_i and first moment s_i = m_i c_i of link i, its pose (R_i, p_i) in the foot's frame, a point e of the edge,
and the horizontal direction n across it: linear in masses and first moments.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from humanoid_adapt.fall_test import FallTest
from humanoid_adapt.foot_frame import FootFrame
from humanoid_adapt.limbs import ramp_vector
from humanoid_description import Robot
from humanoid_description.inertial import GRAVITY
from humanoid_description.parameters import Foot

Array = NDArray[np.float64]
ACROSS = {"forward": (1.0, 0.0), "backward": (-1.0, 0.0), "left": (0.0, 1.0), "right": (0.0, -1.0)}
"""Direction of each fall in the foot's frame."""
EDGES = {"forward": "front", "backward": "rear", "left": "left", "right": "right"}


@dataclass(frozen=True)
class TipRow:
    """One tipping condition, linearised: at the tip its value is zero."""

    mass: Array
    """Coefficient of every link's mass, m, shape (links,)."""
    moment: Array
    """Coefficients of every link's first moment, shape (links, 3)."""
    edges: dict[tuple[str, str], float]
    """Coefficient of each foot edge's distance (side, edge), kg."""
    joints: Array
    """Derivative with respect to the joint angles, kg m/rad, shape (joints,)."""
    height: float
    """Of the centre of mass above the sole, m."""

    def value(self, masses: Array, moments: Array) -> float:
        """Moment beyond the edge over gravity, kg m, for masses (kg) and first moments (kg m)."""
        return float(self.mass @ masses + np.sum(self.moment * moments))


def sole_tilt(robot: Robot, test: FallTest) -> float:
    """Tilt of the sole at the tip, rad: all weight on one edge presses it into the ground, the other just touches."""
    foot = robot.parameters.feet[test.support_feet[0]]
    corners = 2 * len(test.support_feet)
    sink = robot.mass * GRAVITY / (corners * robot.parameters.contact.normal_stiffness)
    return sink / (foot.front + foot.rear if test.direction in ("forward", "backward") else foot.left + foot.right)


def edge_distance(foot: Foot, direction: str) -> float:
    """From the ankle to the edge over which a fall in a direction goes, m."""
    return float(getattr(foot, EDGES[direction]))


class Tipping:
    """Tipping conditions of one robot model."""

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self.frames = {side: FootFrame(robot, side) for side in robot.parameters.feet}
        self.links = tuple(robot.inertials)
        self.masses = np.array([body.mass for body in robot.inertials.values()])
        self.moments = np.array([body.mass * body.com_in_link for body in robot.inertials.values()])

    def row(self, test: FallTest, angles: Array) -> TipRow:
        """Condition of a test at joint angles (rad); with both feet down, the mean over both."""
        tilt = sole_tilt(self.robot, test)
        across = np.array([*ACROSS[test.direction], tilt])
        share = 1.0 / len(test.support_feet)
        mass, moment, joints = np.zeros(len(self.links)), np.zeros((len(self.links), 3)), np.zeros(angles.size)
        edges, height = {}, 0.0
        for side in test.support_feet:
            frame = self.frames[side]
            distance = edge_distance(frame.foot, test.direction) - tilt * frame.foot.depth
            rotations, origins = frame.link_poses(angles)
            com, jacobian = frame.com(angles)
            mass += share * (origins @ across - distance)
            moment += share * (across @ rotations)
            joints += share * self.robot.mass * (across @ jacobian)
            edges[side, EDGES[test.direction]] = -share * self.robot.mass
            height += share * (com[2] + frame.foot.depth)
        return TipRow(mass, moment, edges, joints, float(height))

    def beyond_edge(self, test: FallTest, angles: Array) -> float:
        """How far the centre of mass stands beyond the edge, m."""
        return self.row(test, angles).value(self.masses, self.moments) / self.robot.mass

    def ramp_angle(self, test: FallTest, angles: Array) -> float:
        """Change of the ramp joints from a posture, rad, at which this robot tips; nan if it does not."""
        ramp = ramp_vector(self.robot, test.support_feet, test.direction)

        def beyond(angle: float) -> float:
            return self.beyond_edge(test, angles + angle * ramp)

        low, high = -1.0, 1.0
        return float(brentq(beyond, low, high, xtol=1e-9)) if beyond(low) * beyond(high) < 0 else float("nan")

    def rate(self, test: FallTest, angles: Array) -> tuple[float, float]:
        """How a fall over the edge begins: pendulum rate, 1/s, and way of the centre of mass per ramp angle, m/rad."""
        row = self.row(test, angles)
        inertia = self._inertia_about_edge(test, angles)
        ramp = ramp_vector(self.robot, test.support_feet, test.direction)
        travel = float(row.joints @ ramp) / self.robot.mass
        return float(np.sqrt(self.robot.mass * GRAVITY * row.height / inertia)), travel

    def _inertia_about_edge(self, test: FallTest, angles: Array) -> float:
        """Moment of inertia of the whole robot about the edge, kg m^2."""
        frame = self.frames[test.support_feet[0]]
        rotations, origins = frame.link_poses(angles)
        across = np.array([*ACROSS[test.direction], 0.0])
        axis = np.cross([0.0, 0.0, 1.0], across)
        edge = across * edge_distance(frame.foot, test.direction) - [0.0, 0.0, frame.foot.depth]
        total = 0.0
        for body, rotation, origin in zip(self.robot.inertials.values(), rotations, origins, strict=True):
            arm = np.cross(axis, origin + rotation @ body.com_in_link - edge)
            turned = rotation.T @ axis
            total += body.mass * float(arm @ arm) + float(turned @ body.inertia_about_com @ turned)
        return total
