"""The engine's arrays."""

from __future__ import annotations

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
