"""What a URDF alone says."""

from __future__ import annotations

import numpy as np
import pytest

from humanoid_bringup.viewer.shown_model import ShownModel
from humanoid_description import RobotError, load_robot, robot_names


@pytest.mark.parametrize("name", robot_names())
def test_it_agrees_with_what_the_robot_yaml_says(name: str) -> None:
    robot = load_robot(name)
    model = ShownModel(robot.urdf)
    assert set(model.joint_names) == set(robot.joint_names)
    assert model.mass == pytest.approx(robot.mass)
    poses = model.kinematics.poses(robot.parameters.stand)
    feet = {side: foot.link for side, foot in robot.parameters.feet.items()}
    for ours, theirs in zip(
        model.three_masses(feet, poses).masses, robot.three_mass(robot.parameters.stand).masses, strict=True
    ):
        assert ours.mass == pytest.approx(theirs.mass)
        np.testing.assert_allclose(ours.com_in_base, theirs.com_in_base, atol=1e-9)
    for foot in robot.parameters.feet.values():
        np.testing.assert_allclose(sorted(model.sole(foot.link)[:, 0])[::3], [-foot.rear, foot.front], atol=1e-6)
        np.testing.assert_allclose(model.sole(foot.link)[:, 2], -foot.depth, atol=1e-6)


def test_visuals_have_the_colours_of_their_materials() -> None:
    model = ShownModel(load_robot("fibo_km").urdf)
    assert {visual.colour for visuals in model.visuals.values() for visual in visuals} >= {(0.2, 0.36, 0.62)}
    assert sum(len(visuals) for visuals in model.visuals.values()) > 40


def test_what_is_no_description_is_refused() -> None:
    with pytest.raises(RobotError, match="robot_description: is not valid XML"):
        ShownModel("<robot")
