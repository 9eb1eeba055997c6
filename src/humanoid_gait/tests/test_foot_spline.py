"""Way of a foot during its step."""

from __future__ import annotations

import numpy as np
import pytest

from humanoid_description.parameters import Foot
from humanoid_gait.foot_spline import Footprint, SwingShape, standing_ankle, swing

FOOT = Foot("foot", front=0.08, rear=0.05, left=0.03, right=0.03, depth=0.04)
SHAPE = SwingShape(0.1, 0.25, 0.5, 0.2, 0.15, 0.5, 0.03)


def edge(start: Footprint, forward: float) -> np.ndarray:
    """A point of the sole that stands on the ground, this far in front of the ankle."""
    normal = np.array([*(np.sin(start.slope) * start.forward), np.cos(start.slope)])
    along = np.array([*(np.cos(start.slope) * start.forward), -np.sin(start.slope)])
    return standing_ankle(FOOT, start) - FOOT.depth * normal + forward * along


def of_pose(ankle: np.ndarray, pitch: float, yaw: float, forward: float) -> np.ndarray:
    """The same point of the sole when the foot is elsewhere."""
    heading = np.array([np.cos(yaw), np.sin(yaw)])
    x = forward * np.cos(pitch) - FOOT.depth * np.sin(pitch)
    return ankle + np.array([*(x * heading), -forward * np.sin(pitch) - FOOT.depth * np.cos(pitch)])


@pytest.mark.parametrize(
    ("start", "end"),
    [
        (Footprint(0.1, 0.05, 0.0), Footprint(0.3, 0.05, 0.0)),
        (Footprint(0.1, 0.05, 0.3, 0.02, 0.1), Footprint(0.2, 0.12, 0.7, 0.05, -0.15)),
    ],
)
def test_it_rolls_over_toe_and_heel_on_any_ground(start: Footprint, end: Footprint) -> None:
    way = swing(FOOT, SHAPE, start, end, 2.0)
    for time, print_ in ((2.0, start), (2.6, end)):
        np.testing.assert_allclose(way.ankle(time), standing_ankle(FOOT, print_), atol=1e-12)
        assert way.pitch(time) == pytest.approx(print_.slope)
    # When the toe leaves it is where it stood, and so is the heel where it will stand.
    toe = of_pose(way.ankle(2.1), float(way.pitch(2.1)), start.yaw, FOOT.front)
    np.testing.assert_allclose(toe, edge(start, FOOT.front), atol=1e-12)
    heel = of_pose(way.ankle(2.5), float(way.pitch(2.5)), end.yaw, -FOOT.rear)
    np.testing.assert_allclose(heel, edge(end, -FOOT.rear), atol=1e-12)
    assert (way.pitch(2.1), way.pitch(2.5)) == (
        pytest.approx(start.slope + 0.2),
        pytest.approx(end.slope - 0.15),
    )
    assert way.ankle(2.25)[2] == pytest.approx(max(start.height, end.height) + 0.04 + 0.03)
    assert (way.yaw(2.1), way.yaw(2.5)) == (pytest.approx(start.yaw), pytest.approx(end.yaw))


def test_acceleration_is_continuous_and_zero_at_the_ends() -> None:
    way = swing(FOOT, SHAPE, Footprint(0, 0, 0), Footprint(0.2, 0.05, 0.4), 0.0)
    for spline, ends in ((way.ankle, (0.0, 0.6)), (way.pitch, (0.0, 0.6)), (way.yaw, (0.1, 0.5))):
        for order in (1, 2):
            for end in ends:
                np.testing.assert_allclose(spline(end, order), 0, atol=1e-9)
        for time in np.unique(spline.t)[1:-1]:
            before, after = spline(time - 1e-9, 2), spline(time + 1e-9, 2)
            np.testing.assert_allclose(before, after, atol=1e-4)
