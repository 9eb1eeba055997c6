"""Kinematics from a foot, against those from the base."""

from __future__ import annotations

import numpy as np
import pytest

from humanoid_adapt.foot_frame import FootFrame
from humanoid_description import Robot, RobotError


@pytest.mark.parametrize("side", ["left", "right"])
def test_com_and_poses_are_those_of_the_robot(fibo: Robot, side: str) -> None:
    angles = 0.2 * np.sin(1 + np.arange(fibo.dof))
    posture = dict(zip(fibo.joint_names, angles.tolist(), strict=True))
    frame = FootFrame(fibo, side)
    poses = fibo.poses(posture)
    T_foot_base = np.linalg.inv(poses[f"{side}_foot"])
    com, jacobian = frame.com(angles)
    np.testing.assert_allclose(com, (T_foot_base @ [*fibo.com_in_base(posture), 1.0])[:3], atol=1e-12)
    rotations, origins = frame.link_poses(angles)
    for index, link in enumerate(frame.links):
        pose = T_foot_base @ poses[link]
        np.testing.assert_allclose(rotations[index], pose[:3, :3], atol=1e-12)
        np.testing.assert_allclose(origins[index], pose[:3, 3], atol=1e-12)
    np.testing.assert_allclose(frame.imu_rotation(angles), (T_foot_base @ poses["torso"])[:3, :3], atol=1e-12)
    for joint in range(fibo.dof):
        step = np.zeros(fibo.dof)
        step[joint] = 1e-6
        slope = (frame.com(angles + step)[0] - frame.com(angles - step)[0]) / 2e-6
        np.testing.assert_allclose(jacobian[:, joint], slope, atol=1e-7)


def test_a_wrong_number_of_angles_is_refused(fibo: Robot) -> None:
    with pytest.raises(RobotError, match="give 20 angles"):
        FootFrame(fibo, "left").com(np.zeros(3))
