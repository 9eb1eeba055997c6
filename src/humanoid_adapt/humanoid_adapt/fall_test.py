"""A fall test: which foot carries the robot, over which edge it falls, and in which posture it starts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

SUPPORTS = ("both", "left", "right")
DIRECTIONS = ("forward", "backward", "left", "right", "none")


@dataclass(frozen=True)
class FallTest:
    """One test."""

    name: str
    support: str
    """'both', 'left' or 'right'."""
    direction: str
    """'forward', 'backward', 'left' or 'right', as the robot sees it; 'none' if it shall not fall but rest."""
    waypoints: tuple[Mapping[str, float], ...] = field(default=(), compare=False)
    """Postures (rad) on the way from standing to the start of the ramp, which is the last one."""

    @property
    def falls(self) -> bool:
        """Whether the robot shall fall; if not, the pressure under its feet is all that is measured."""
        return self.direction != "none"

    @property
    def support_feet(self) -> tuple[str, ...]:
        """Sides of the feet that carry the robot."""
        return ("left", "right") if self.support == "both" else (self.support,)

    @property
    def swing_foot(self) -> str | None:
        """Side of the foot that must not touch the ground."""
        return {"left": "right", "right": "left"}.get(self.support)

    @property
    def left_share(self) -> float:
        """Share of the weight on the left foot."""
        return {"left": 1.0, "right": 0.0, "both": 0.5}[self.support]
