"""Nested frames of a robot, against MuJoCo's poses of the same links."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from seen_robot import served

from humanoid_bringup.viewer.robot_scene import RobotScene
from humanoid_bringup.viewer.shown_model import ShownModel
from humanoid_description import load_robot, robot_names
from humanoid_description.urdf import pose


@pytest.mark.parametrize("name", robot_names())
def test_every_link_is_where_the_kinematics_say(name: str) -> None:
    robot = load_robot(name)
    model = ShownModel(robot.urdf)
    random = np.random.default_rng(3)
    posture = {joint: random.uniform(limits.lower, limits.upper) for joint, limits in robot.parameters.joints.items()}
    T_world_base = pose(0.3, -0.2, 0.5, 0.1, -0.2, 2.0)
    with served() as server:
        drawn = RobotScene(server.scene, "/robots/r", model)
        drawn.show(posture, T_world_base)
        for link, T_base_link in robot.poses(posture).items():
            path, T = "/robots/r", T_world_base
            chain = [link]
            carrier = {joint.child: joint.parent for joint in model.model.joints.values()}
            while chain[0] != model.model.root:
                chain.insert(0, carrier[chain[0]])
            for each in chain[1:]:
                path += f"/{each}"
                frame = server.scene.get_handle_by_name(path)
                step = np.eye(4)
                step[:3, :3] = Rotation.from_quat(np.asarray(frame.wxyz)[[1, 2, 3, 0]]).as_matrix()
                step[:3, 3] = frame.position
                T = T @ step
            np.testing.assert_allclose(T, T_world_base @ T_base_link, atol=1e-6)
        drawn.remove()
        assert server.scene.get_handle_by_name("/robots/r") is None
