"""The RoboCup kid-size field: goals that stand on it, and lines painted on it."""

from __future__ import annotations

import math

Point = tuple[float, float]
Box = tuple[tuple[float, float, float], tuple[float, float, float]]
"""Position of the centre and size, m."""
LENGTH, WIDTH = 9.0, 6.0
"""m, along x from goal to goal, and along y."""
LINE_WIDTH = 0.05
"""m."""
CIRCLE_RADIUS = 0.75
"""m, around the centre."""
GOAL_AREA = (1.0, 3.0)
"""m: how deep and how wide."""
CIRCLE_CORNERS = 48


def goals() -> dict[str, Box]:
    """Posts and bars: 2.6 m wide, 1.8 m high, of 10 cm beams, on both goal lines."""
    boxes: dict[str, Box] = {}
    for end, x in (("own", -LENGTH / 2 - 0.05), ("other", LENGTH / 2 + 0.05)):
        for side, y in (("left", 1.35), ("right", -1.35)):
            boxes[f"{end}_goal_{side}_post"] = ((x, y, 0.9), (0.1, 0.1, 1.8))
        boxes[f"{end}_goal_bar"] = ((x, 0.0, 1.85), (0.1, 2.8, 0.1))
    return boxes


def lines() -> list[tuple[Point, Point]]:
    """Straight pieces of all lines, m: rim, halfway line, centre circle and goal areas."""
    pieces = [((0.0, -WIDTH / 2), (0.0, WIDTH / 2)), *_closed(_rectangle(-LENGTH / 2, LENGTH / 2, WIDTH))]
    angles = [2 * math.pi * number / CIRCLE_CORNERS for number in range(CIRCLE_CORNERS)]
    pieces += _closed([(CIRCLE_RADIUS * math.cos(angle), CIRCLE_RADIUS * math.sin(angle)) for angle in angles])
    depth, width = GOAL_AREA
    for end in (-1.0, 1.0):
        pieces += _closed(_rectangle(end * LENGTH / 2, end * (LENGTH / 2 - depth), width))
    return pieces


def _rectangle(x: float, other_x: float, width: float) -> list[Point]:
    return [(x, -width / 2), (x, width / 2), (other_x, width / 2), (other_x, -width / 2)]


def _closed(corners: list[Point]) -> list[tuple[Point, Point]]:
    return list(zip(corners, [*corners[1:], corners[0]], strict=True))
