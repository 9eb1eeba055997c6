"""The engine's arrays."""

from __future__ import annotations

import dataclasses

import mujoco
import numpy as np
import pytest

from humanoid_description import RobotError, load_robot, robot_names
from humanoid_sim.plant import RobotPart
from humanoid_sim.scene import Scene, World


@pytest.mark.parametrize("name", robot_names())
def test_every_row_of_a_foots_chain_is_its_beginning(name: str) -> None:
    """What lets the engine add a foot's terms to MuJoCo's sparse mass matrix in place."""
    plant = Scene([RobotPart("r", load_robot(name), (0.0, 0.0, 0.0))], World()).plant
    for last in plant.foot_dof:
        chain = plant.column[plant.row_start[last] : plant.row_start[last] + plant.row_size[last]]
        assert chain[-1] == last
        for n, dof in enumerate(chain):
            np.testing.assert_array_equal(plant.column[plant.row_start[dof] :][: n + 1], chain[: n + 1])
            assert plant.row_size[dof] == n + 1


def test_contact_points_lie_on_the_rim() -> None:
    part = RobotPart("r", load_robot("ar601m"), (0.0, 0.0, 0.0))
    scene = Scene([part], World(), points_per_foot=8)
    points = scene.plant.point_in_foot[:8]
    assert np.isclose(np.abs(points[:, 0]), 0.127).sum() + np.isclose(np.abs(points[:, 1]), 0.08).sum() == 12
    with pytest.raises(RobotError, match="4, 8, 12"):
        Scene([RobotPart("r", load_robot("ar601m"), (0.0, 0.0, 0.0))], World(), points_per_foot=6)


def test_a_sole_may_be_fixed_to_another_link() -> None:
    robot = load_robot("ar601m")
    sole = """<link name="left_sole"><inertial><mass value="0.1"/>
      <inertia ixx="1e-4" iyy="1e-4" izz="1e-4" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="left_sole_fixed" type="fixed"><parent link="left_foot"/><child link="left_sole"/>
      <origin xyz="0.02 0.01 -0.05" rpy="0 0 0.3"/></joint></robot>"""
    parameters = robot.parameters
    foot = dataclasses.replace(parameters.feet["left"], link="left_sole", depth=0.056)
    parameters = dataclasses.replace(parameters, feet={**parameters.feet, "left": foot})
    robot = dataclasses.replace(robot, base_urdf=robot.base_urdf.replace("</robot>", sole), parameters=parameters)
    part = RobotPart("r", robot, (0.0, 0.0, 0.0))
    scene = Scene([part], World())
    assert scene.model.nbody == 1 + 1 + robot.dof
    mujoco.mj_kinematics(scene.model, scene.data)
    body = part.bodies["left_sole"]
    ours = scene.data.xpos[body] + scene.plant.point_in_foot[:4] @ scene.data.xmat[body].reshape(3, 3).T
    T_base_sole = robot.poses(parameters.stand)["left_sole"]
    expected = scene.data.xpos[part.base_body] + np.array(foot.corners_in_foot) @ T_base_sole[:3, :3].T
    np.testing.assert_allclose(ours, expected + T_base_sole[:3, 3], atol=1e-12)
    np.testing.assert_allclose(ours[:, 2], 0.0, atol=1e-12)
