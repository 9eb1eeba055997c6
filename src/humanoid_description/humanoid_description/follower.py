"""Following a joint trajectory: where the joints shall be now. Pure, for simulator and hardware alike."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from humanoid_description.command import Trajectory
from humanoid_description.errors import RobotError, did_you_mean
from humanoid_description.interpolation import WAYS, ReferenceLimits, Way

Array = NDArray[np.float64]


class TrajectoryFollower:
    """Keeps the newest command of every joint and interpolates between its points."""

    def __init__(
        self,
        joint_names: Sequence[str],
        position: Array,
        interpolation: str = "linear",
        limits: ReferenceLimits | None = None,
    ) -> None:
        """Stay at a posture until the first command.

        Args:
            joint_names: In the order of all arrays.
            position: The posture, rad.
            interpolation: 'linear', 'cubic' or 'two_interval'.
            limits: Of the servos, which 'two_interval' keeps; none if not given.
        """
        if interpolation not in WAYS:
            raise RobotError(f"interpolation '{interpolation}': is not known. {did_you_mean(interpolation, WAYS)}")
        self._index = {name: column for column, name in enumerate(joint_names)}
        self._way = WAYS[interpolation]
        endless = np.full(len(joint_names), np.inf)
        self._limits = limits or ReferenceLimits(endless, endless)
        self.hold(position)

    def hold(self, position: Array) -> None:
        """Forget all commands and stay at a posture (rad)."""
        self._position = np.array(position, dtype=float)
        self._active: list[tuple[float, list[int], Way]] = []

    def follow(self, trajectory: Trajectory, now: float) -> None:
        """Take a command given at a time (s); its joints start from where they are commanded to be now."""
        position, velocity = self.target(now)
        columns = [self._index[name] for name in trajectory.joint_names]
        limits = ReferenceLimits(self._limits.speed[columns], self._limits.acceleration[columns])
        self._position = position
        # A joint obeys its newest command only.
        self._active = [entry for entry in self._active if not set(entry[1]) <= set(columns)]
        self._active.append((now, columns, self._way(trajectory, position[columns], velocity[columns], limits)))

    def target(self, now: float) -> tuple[Array, Array]:
        """Angles (rad) and speeds (rad/s) to command at a time (s)."""
        position, velocity = self._position.copy(), np.zeros_like(self._position)
        for started, columns, way in self._active:
            position[columns], velocity[columns] = way.at(now - started)
        return position, velocity
