"""The field."""

from __future__ import annotations

import numpy as np

from humanoid_sim.field import CIRCLE_RADIUS, LENGTH, WIDTH, goals, lines


def test_lines_are_symmetric_and_end_at_the_rim() -> None:
    points = np.array(lines()).reshape(-1, 2)
    assert np.abs(points).max(axis=0).tolist() == [LENGTH / 2, WIDTH / 2]
    rounded = {tuple(point) for point in np.round(points, 9).tolist()}
    assert {(-x, y) for x, y in rounded} == rounded == {(x, -y) for x, y in rounded}
    assert np.isclose(np.linalg.norm(points, axis=1), CIRCLE_RADIUS).sum() >= 48


def test_goals_stand_on_the_ground_behind_their_lines() -> None:
    boxes = goals()
    assert len(boxes) == 6
    for name, ((x, _, z), (_, _, height)) in boxes.items():
        assert abs(x) > LENGTH / 2
        assert z - height / 2 == (0.0 if "post" in name else 1.8)
