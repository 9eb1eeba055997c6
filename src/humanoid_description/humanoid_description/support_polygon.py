"""The support polygon: what the soles on the ground span."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def support_polygon(corners: Array) -> Array:
    """Those corners of soles that span the others seen from above, counter-clockwise (Andrew's monotone chain).

    By hand, as it is a dozen corners many times a second, and loading scipy's hull would delay every start.

    Args:
        corners: Shape (n, 2) or (n, 3), m; n may be 0.
    """
    ordered = np.unique(corners, axis=0)
    if len(ordered) < 3:
        return ordered
    return np.array([*_lower_chain(ordered), *_lower_chain(ordered[::-1])])


def _lower_chain(points: Array) -> list[Array]:
    """From the first point to the one before the last, turning left only."""
    chain: list[Array] = []
    for point in points:
        while len(chain) > 1 and _turn(chain[-2], chain[-1], point) <= 0:
            chain.pop()
        chain.append(point)
    return chain[:-1]


def _turn(a: Array, b: Array, c: Array) -> float:
    """Twice the area of a triangle seen from above, m^2; above zero if it turns left."""
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))
