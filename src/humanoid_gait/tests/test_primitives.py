"""Walking primitives of seed 003."""

from __future__ import annotations

import numpy as np
import pytest

from humanoid_description import RobotError, load_robot
from humanoid_gait.primitives import JointReference, PrimitiveParameters, forward_walk

ROBOT = load_robot("ar601m")
ROW_1 = PrimitiveParameters(step=0.1, lift=0.1, torso_height=0.85, period=0.5, pause=1.0)


def feet(reference: JointReference, sample: int) -> tuple[np.ndarray, np.ndarray]:
    """Where the ankles are, seen from the torso."""
    poses = ROBOT.poses(dict(zip(ROBOT.joint_names, reference.position[sample], strict=True)))
    for side in ("left", "right"):
        np.testing.assert_allclose(poses[f"{side}_foot"][:3, :3], np.eye(3), atol=1e-9)
    return poses["left_foot"][:3, 3], poses["right_foot"][:3, 3]


def test_feet_follow_equations_1_and_2() -> None:
    reference = forward_walk(ROBOT, ROW_1, 1, 1e-3)
    assert reference.reachable
    for t in (0.0, 0.1, 0.25, 0.4, 0.5):
        left, right = feet(reference, round(t * 1000))
        foot = 0.05 * (1 - np.cos(np.pi * t / 0.5))
        torso = 0.025 * (1 - np.cos(np.pi * t / 0.5))
        lift = 0.05 * (1 - np.cos(2 * np.pi * t / 0.5))
        np.testing.assert_allclose(left, [foot - torso, 0.08, 0.106 + lift - 0.85], atol=1e-9)
        np.testing.assert_allclose(right, [-torso, -0.08, 0.106 - 0.85], atol=1e-9)


def test_the_other_leg_joins_and_the_end_is_the_beginning() -> None:
    reference = forward_walk(ROBOT, ROW_1, 2, 1e-3)
    assert len(reference.position) == 6001
    left, right = feet(reference, 1250)  # waiting, the left foot a step ahead
    assert left[0] - right[0] == pytest.approx(0.1)
    for sample in (0, 3000, 6000):
        np.testing.assert_allclose(reference.position[sample], reference.position[0], atol=1e-12)
        np.testing.assert_allclose(reference.velocity[sample], 0, atol=0.05)


def test_velocities_are_the_derivative() -> None:
    reference = forward_walk(ROBOT, ROW_1, 1, 1e-3)
    integrated = reference.position[0] + np.cumsum(reference.velocity, axis=0) * 1e-3
    assert np.abs(integrated - reference.position).max() < 2e-3


def test_what_is_out_of_reach_is_said() -> None:
    far = PrimitiveParameters(0.1, 0.1, 1.2, 0.5, 1.0)
    assert not forward_walk(ROBOT, far, 1, 1e-2).reachable


@pytest.mark.parametrize("change", [{"period": 0.0}, {"pause": -1.0}, {"lift": -0.1}, {"torso_height": float("nan")}])
def test_bad_parameters_are_refused(change: dict[str, float]) -> None:
    values = {"step": 0.1, "lift": 0.1, "torso_height": 0.85, "period": 0.5, "pause": 1.0, **change}
    with pytest.raises(RobotError, match=next(iter(change))):
        forward_walk(ROBOT, PrimitiveParameters(**values), 1, 1e-3)
