"""Seed 000, eqs 8-13, literally: centre of mass by geometry from falling angles. For comparison; estimator.py is exact.

Eq 10 is exact only for a centre of mass above the ankle, eq 11 gives a hypotenuse where a height is meant, and eq 13
lacks the 1/2 of eq 9. The single support ratio 2.2 of section V.A is used in no equation.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

COUNT = math.radians(300.0 / 1024.0)
"""rad per count of the servo's potentiometer (eq 8)."""


@dataclass(frozen=True)
class PaperCom:
    """Centre of mass in the paper's axes, from the sole below the ankles, m."""

    x: float
    """L3, upwards."""
    y: float
    """W1, to the side."""
    z: float
    """D1, backwards."""


def falling_angle(centre: int, reached: int) -> float:
    """Eq 8: angle in rad from the counts at the centre and at the fall."""
    return abs(centre - reached) * COUNT


def geometric_com(
    forward: float, backward: float, left: float, right: float, front: float, rear: float, depth: float
) -> PaperCom:
    """Eqs 9-13.

    Args:
        forward: alpha 1, rad.
        backward: beta 1, rad.
        left: alpha 2, rad.
        right: beta 2, rad.
        front: F1, m, which no equation uses.
        rear: F2, m.
        depth: L0, m.
    """
    gamma_1 = (forward + backward) / 2 - forward
    length = math.tan(math.pi / 2 - backward) * rear
    theta_1 = math.atan((length + depth) / rear)
    height = rear / math.cos(theta_1)
    gamma_2 = abs(left - right)
    side = (-1.0 if left >= right else 1.0) * height * math.tan(gamma_2)
    return PaperCom(height, side, height * math.tan(gamma_1))


def exact_com(forward: float, backward: float, front: float, rear: float) -> tuple[float, float]:
    """What the same two angles (rad) say exactly: distance in front of the ankle and height above it, m."""
    total = math.sin(forward + backward)
    height = (front * math.cos(backward) + rear * math.cos(forward)) / total
    return (front * math.sin(backward) - rear * math.sin(forward)) / total, height
