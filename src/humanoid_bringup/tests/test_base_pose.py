"""Where the base is, without anybody who knows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from humanoid_bringup.viewer.base_pose import BasePose, rotation_of
from humanoid_description.inertial import GRAVITY
from humanoid_description.urdf import pose

LEVEL = np.array([0.0, 0.0, GRAVITY])


def test_who_knows_is_believed() -> None:
    base = BasePose()
    base.tell(np.array([1.0, 2.0, 3.0]), np.array([0.0, 0.0, 1.0, 0.0]))
    np.testing.assert_allclose(base.T_world_base, pose(1, 2, 3, 0, 0, np.pi), atol=1e-12)
    base.stand({"left": np.eye(4)}, np.eye(3), "left")
    assert base.T_world_base[0, 3] == 1.0


@given(st.floats(-1, 1), st.floats(-1, 1), st.floats(-3, 3))
def test_a_quaternion_is_its_rotation(roll: float, pitch: float, yaw: float) -> None:
    rotation = pose(0, 0, 0, roll, pitch, yaw)[:3, :3]
    np.testing.assert_allclose(rotation_of(Rotation.from_matrix(rotation).as_quat()), rotation, atol=1e-9)


@given(st.floats(-0.4, 0.4), st.floats(-0.4, 0.4))
def test_roll_and_pitch_come_from_the_vertical_and_the_lowest_sole_is_on_the_ground(roll: float, pitch: float) -> None:
    base = BasePose()
    tilted = pose(0, 0, 0, roll, pitch, 0)[:3, :3]
    base.feel(0.0, np.zeros(3), tilted.T @ LEVEL)
    soles = {"left": pose(0, 0.05, -0.3, 0, 0, 0), "right": pose(0, -0.05, -0.3, 0, 0, 0)}
    base.stand(soles, np.eye(3), "left")
    np.testing.assert_allclose(base.T_world_base[2, :3], tilted[2], atol=1e-9)
    heights = [(base.T_world_base @ sole)[2, 3] for sole in soles.values()]
    assert min(heights) == pytest.approx(0.0, abs=1e-9)


def test_the_carrying_foot_stays_where_it_is_so_that_steps_add_up() -> None:
    base = BasePose()
    base.feel(0.0, np.zeros(3), LEVEL)

    def soles(left: float, right: float) -> dict[str, np.ndarray]:
        return {"left": pose(left, 0.05, -0.3, 0, 0, 0), "right": pose(right, -0.05, -0.3, 0, 0, 0)}

    base.stand(soles(0.0, 0.0), np.eye(3), "left")
    start = base.T_world_base[:3, 3].copy()
    ahead, behind = (0.05, -0.05), (-0.05, 0.05)
    for (left, right), carrying in [
        (behind, "left"), (behind, "right"), (ahead, "right"), (ahead, "left"), ((0.0, 0.0), "left")
    ]:  # fmt: skip
        base.stand(soles(left, right), np.eye(3), carrying)
    np.testing.assert_allclose(base.T_world_base[:3, 3] - start, [0.2, 0.0, 0.0], atol=1e-9)
