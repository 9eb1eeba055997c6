"""What passes between the shadow and the other engine."""

from __future__ import annotations

import mujoco
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from humanoid_sim.exchange import Motion, add_wrench, take_state


@given(seed=st.integers(0, 2**32 - 1))
def test_a_state_is_written_as_mujoco_has_it(seed: int) -> None:
    random = np.random.default_rng(seed)
    quaternion = random.normal(size=4)
    quaternion /= np.linalg.norm(quaternion)
    motion = Motion(random.normal(size=3), quaternion, *random.normal(size=(2, 3)), *random.normal(size=(2, 2)))
    qpos, qvel = np.zeros(11), np.zeros(10)
    assert take_state(qpos, qvel, 2, 2, np.array([0, 10]), np.array([1, 9]), motion)
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, quaternion)
    turning = R.reshape(3, 3).T @ motion.angular_velocity
    a, b = motion.joint_position
    assert np.allclose(qpos, [a, 0.0, *motion.base_position, *quaternion, 0.0, b], atol=1e-12)
    a, b = motion.joint_velocity
    assert np.allclose(qvel, [0.0, a, *motion.linear_velocity, *turning, 0.0, b], atol=1e-12)


def test_a_state_that_is_not_finite_is_noticed_wherever_it_is() -> None:
    zeros = Motion(np.zeros(3), np.array([1.0, 0, 0, 0]), np.zeros(3), np.zeros(3), np.zeros(2), np.zeros(2))
    indices = np.array([7, 8]), np.array([6, 7])
    assert take_state(np.zeros(9), np.zeros(8), 0, 0, *indices, zeros)
    for name in Motion._fields:
        for bad in (np.nan, np.inf):
            broken = getattr(zeros, name).copy()
            broken[-1] = bad
            assert not take_state(np.zeros(9), np.zeros(8), 0, 0, *indices, zeros._replace(**{name: broken}))


@given(seed=st.integers(0, 2**32 - 1))
def test_forces_at_points_are_gathered_at_the_origin(seed: int) -> None:
    random = np.random.default_rng(seed)
    R, _ = np.linalg.qr(random.normal(size=(3, 3)))
    arms, forces, wrench = random.normal(size=(4, 3)), random.normal(size=(4, 3)), np.ones(6)
    add_wrench(R.ravel(), arms, forces, wrench)
    torque = np.cross(arms @ R.T, forces).sum(axis=0)
    assert np.allclose(wrench, 1.0 + np.array([*forces.sum(axis=0), *torque]), atol=1e-12)
