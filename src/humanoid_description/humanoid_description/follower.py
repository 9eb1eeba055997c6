"""Following a joint trajectory: where the joints shall be now. Pure, for simulator and hardware alike."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from humanoid_description.command import Trajectory

Array = NDArray[np.float64]


class TrajectoryFollower:
    """Keeps the newest command of every joint and interpolates linearly between its points."""

    def __init__(self, joint_names: Sequence[str], position: Array) -> None:
        self._index = {name: column for column, name in enumerate(joint_names)}
        self.hold(position)

    def hold(self, position: Array) -> None:
        """Forget all commands and stay at a posture (rad)."""
        self._position = np.array(position, dtype=float)
        self._active: list[tuple[float, Trajectory, Array]] = []

    def follow(self, trajectory: Trajectory, now: float) -> None:
        """Take a command given at a time (s); its joints start from where they are commanded to be now."""
        current, _ = self.target(now)
        columns = [self._index[name] for name in trajectory.joint_names]
        self._position = current
        # A joint obeys its newest command only.
        self._active = [entry for entry in self._active if not set(entry[1].joint_names) <= set(trajectory.joint_names)]
        self._active.append((now, trajectory, current[columns]))

    def target(self, now: float) -> tuple[Array, Array]:
        """Angles (rad) and speeds (rad/s) to command at a time (s)."""
        position, velocity = self._position.copy(), np.zeros_like(self._position)
        for started, trajectory, origin in self._active:
            times = np.concatenate([[0.0], trajectory.times]) if trajectory.times[0] > 0 else trajectory.times
            points = np.vstack([origin, trajectory.positions]) if trajectory.times[0] > 0 else trajectory.positions
            elapsed = now - started
            for row, name in enumerate(trajectory.joint_names):
                column = self._index[name]
                position[column] = np.interp(elapsed, times, points[:, row])
                velocity[column] = 0.0
                if times[0] <= elapsed < times[-1]:
                    after = int(np.searchsorted(times, elapsed, side="right"))
                    rise = points[after, row] - points[after - 1, row]
                    velocity[column] = rise / (times[after] - times[after - 1])
        return position, velocity
