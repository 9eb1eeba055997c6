"""Where the feet shall press the ground: as planned, and towards where the robot falls, up to the edges of its soles.

The DCM runs away from the zero moment point. Pressing the ground beyond the DCM's error turns it back; servos that hold
the torques of that press do it.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from humanoid_description.parameters import Foot
from humanoid_gait.pattern import SIDES, SIGN, STANDING, Planned
from humanoid_gait.planar_pose import place

Array = NDArray[np.float64]


def pressed(
    planned: Planned, zmp_in_foot: Array, shift: Array, soles: Mapping[str, Foot]
) -> dict[str, tuple[float, Array]]:
    """Share of the weight on each foot that carries, and where on the ground it presses (m, in the plan's frame).

    Args:
        planned: Feet and their loads.
        zmp_in_foot: Where the left foot is pressed, forward and left of its ankle, m; the right one's is mirrored.
        shift: By how much all of it shall be elsewhere, forward and left, m.
        soles: Extents of the feet.
    """
    load = dict(planned.load)
    if planned.phase == STANDING:
        apart = float(np.linalg.norm(planned.feet["left"][:2] - planned.feet["right"][:2]))
        left = float(np.clip(load["left"] + shift[1] / apart, 0.0, 1.0))
        load = {"left": left, "right": 1.0 - left}
    points = {}
    for side in SIDES:
        if load[side] > 0.0:
            sole, usual = soles[side], np.array([zmp_in_foot[0], SIGN[side] * zmp_in_foot[1]])
            point = np.clip(usual + shift, [-sole.rear, -sole.right], [sole.front, sole.left])
            points[side] = (load[side], place(planned.feet[side], point))
    return points
