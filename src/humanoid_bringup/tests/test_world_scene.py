"""The surroundings in the scene."""

from __future__ import annotations

import numpy as np
from seen_robot import served

from humanoid_bringup.viewer.world_scene import Thing, WorldScene
from humanoid_sim.field import lines

NONE = np.zeros((0, 3))


def test_things_are_drawn_in_place_of_those_before() -> None:
    painted = np.array([[*point, 0.0] for piece in lines() for point in piece])
    things = [
        Thing("goal", "box", (1.0, 0.0, 0.5), (0.1, 0.1, 1.0), NONE),
        Thing("lines", "lines", (0.0, 0.0, 0.0), (0.05, 0.0, 0.0), painted),
        Thing("ball", "ball", (0.0, 0.0, 0.07), (0.14, 0.14, 0.14), NONE),
    ]
    with served() as server:
        world = WorldScene(server.scene)
        world.move_ball(np.zeros(3), np.array([0.0, 0.0, 0.0, 1.0]))  # before the world is known
        world.show(things)
        assert server.scene.get_handle_by_name("/world/goal").dimensions == (0.1, 0.1, 1.0)
        assert not server.scene.get_handle_by_name("/ground").visible
        world.move_ball(np.array([1.0, 2.0, 0.07]), np.array([0.0, 0.0, 1.0, 0.0]))
        np.testing.assert_allclose(server.scene.get_handle_by_name("/world/ball").position, [1.0, 2.0, 0.07])
        world.show(things[:1])
        assert server.scene.get_handle_by_name("/world/ball") is None
        assert server.scene.get_handle_by_name("/ground").visible
