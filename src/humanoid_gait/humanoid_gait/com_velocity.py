"""How fast the centre of mass moves: felt at once by the accelerometer, kept true by the legs.

The legs tell where the centre of mass is, in counts of the encoders, so that its speed must be smoothed and comes late.
A push lasts a tenth of a second: what the accelerometer says of it need not wait.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
TRUST = 0.15
"""Share of the difference to the legs' speed that is made up for in a tick."""
TRUST_AT_LANDING = 0.5
"""Likewise in the tick in which another foot begins to carry: what was felt of the landing's shock is not believed."""


class ComVelocity:
    """Forward and sideways, m/s, as seen from the foot that carries."""

    def __init__(self) -> None:
        self.value = np.zeros(2)

    def update(self, legs: Array, acceleration: Array, dt: float, landed: bool) -> Array:
        """Go on by a time (s).

        Args:
            legs: Speed that the legs' angles tell, m/s.
            acceleration: Of the torso, without gravity, m/s^2.
            dt: s.
            landed: Another foot carries than before.
        """
        felt = self.value + dt * acceleration
        self.value = felt + (TRUST_AT_LANDING if landed else TRUST) * (legs - felt)
        return self.value
