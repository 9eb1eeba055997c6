"""Scenes: robots, inertials and surroundings in one MuJoCo model."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from humanoid_description import RobotError, load_robot, robot_names
from humanoid_sim.plant import RobotPart
from humanoid_sim.scene import Scene, World


@pytest.mark.parametrize("name", robot_names())
def test_a_scene_has_the_masses_and_com_of_the_robot(name: str) -> None:
    robot = load_robot(name)
    part = RobotPart("r", robot, (0.0, 0.0, 0.0))
    scene = Scene([part], World())
    assert scene.model.body_mass.sum() == pytest.approx(robot.mass)
    assert len(scene.plant.joint_dof) == robot.dof
    mujoco.mj_forward(scene.model, scene.data)
    base = scene.data.xpos[part.base_body]
    expected = base + robot.com_in_base(robot.parameters.stand)
    np.testing.assert_allclose(scene.data.subtree_com[part.base_body], expected, atol=1e-12)
    soles = [scene.data.xpos[body][2] for body in scene.plant.foot_body]
    assert min(soles) == pytest.approx(robot.parameters.feet["left"].depth)


def test_several_robots_a_field_and_a_ball_fit_in() -> None:
    robots = {f"r{index}": load_robot("fibo_km") for index in range(3)}
    parts = [RobotPart(name, robot, (0.0, index, 0.5)) for index, (name, robot) in enumerate(robots.items())]
    scene = Scene(parts, World(field=True, ball=True, obstacles=(((1, 1, 0.1), (0.2, 0.2, 0.2)),)))
    assert scene.plant.joint_dof.size == 60
    assert scene.plant.crowded
    assert scene.model.body_mass.sum() == pytest.approx(3 * 3.436 + 0.2)
    assert {scene.model.geom(index).name for index in range(scene.model.ngeom)} >= {
        "ball",
        "own_goal_bar",
        "obstacle_0",
    }


def test_a_box_where_a_robot_starts_is_refused() -> None:
    part = RobotPart("r", load_robot("fibo_km"), (2.0, 0.0, 0.0))
    box = ((2.1, 0.0, 0.2), (0.2, 0.2, 0.4))
    with pytest.raises(RobotError, match=r"box at \(2\.1, 0\.0, 0\.2\) .*: r starts there. Move one of them"):
        Scene([part], World(obstacles=(box,)))
    goal_post = RobotPart("r", load_robot("fibo_km"), (4.55, 1.35, 0.0))
    with pytest.raises(RobotError, match="r starts there"):
        Scene([goal_post], World(field=True))
