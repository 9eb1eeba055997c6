"""From here to a goal by walking primitives (seed 003, section 3).

The ways that are compared turn to some heading, go along it and across it, and turn to the goal's heading; each part is
cut into equal steps no longer than the longest. Forward steps lead with left and right in turn, so that what one adds
to the yaw the next takes back.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from humanoid_description import RobotError
from humanoid_gait.primitive_library import Move

Pose = tuple[float, float, float]
"""x (m), y (m), yaw (rad)."""
NEAR = 1e-9
"""Ways (m) and turns (rad) below which nothing is to be done."""


@dataclass(frozen=True)
class Strides:
    """The longest steps."""

    forward: float
    """m."""
    backward: float
    """m."""
    sideways: float
    """m."""
    turn: float
    """rad."""

    def __post_init__(self) -> None:
        """Refuse what leads nowhere."""
        values = (self.forward, self.backward, self.sideways, self.turn)
        if not all(0 < value < math.inf for value in values) or self.turn > math.pi / 2:
            raise RobotError(f"{self}: must all be above zero, and the turn not above a quarter.")


def plan_moves(start: Pose, goal: Pose, strides: Strides) -> list[Move]:
    """Primitives that bring the body from one pose to another, 'start' and 'stop' included; the fewest of the ways."""
    if not np.isfinite([*start, *goal]).all():
        raise RobotError(f"plan: from {start} to {goal}. Give finite poses.")
    x, y = goal[0] - start[0], goal[1] - start[1]
    ahead = math.atan2(y, x) if math.hypot(x, y) > NEAR else start[2]
    ways = [_way(start, goal, heading, strides) for heading in (start[2], goal[2], ahead, ahead + math.pi)]
    return [Move("start"), *min(ways, key=len), Move("stop")]


def arrival(start: Pose, moves: list[Move]) -> Pose:
    """Where primitives bring the body from a pose."""
    x, y, yaw = start
    for move in moves:
        forward, left, turn = move.displacement
        x += forward * math.cos(yaw) - left * math.sin(yaw)
        y += forward * math.sin(yaw) + left * math.cos(yaw)
        yaw += turn
    return x, y, yaw


def _way(start: Pose, goal: Pose, heading: float, strides: Strides) -> list[Move]:
    """Turn to a heading (rad), go along and across it, turn to the goal's."""
    x, y = goal[0] - start[0], goal[1] - start[1]
    along = x * math.cos(heading) + y * math.sin(heading)
    across = y * math.cos(heading) - x * math.sin(heading)
    return [
        *_cut("turn_left", "turn_right", _wrapped(heading - start[2]), strides.turn, strides.turn),
        *_cut("forward", "backward", along, strides.forward, strides.backward),
        *_cut("side_left", "side_right", across, strides.sideways, strides.sideways),
        *_cut("turn_left", "turn_right", _wrapped(goal[2] - heading), strides.turn, strides.turn),
    ]


def _cut(name: str, opposite: str, way: float, longest: float, longest_back: float) -> list[Move]:
    """Equal steps of a way, its sign saying which; their leads alternate."""
    if abs(way) <= NEAR:
        return []
    chosen, most = (name, longest) if way > 0 else (opposite, longest_back)
    count = math.ceil(abs(way) / most - NEAR)
    return [Move(chosen, abs(way) / count, ("left", "right")[index % 2]) for index in range(count)]


def _wrapped(angle: float) -> float:
    return math.remainder(angle, 2 * math.pi)
