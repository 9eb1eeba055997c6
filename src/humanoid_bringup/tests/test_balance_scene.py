"""Overlays in the scene."""

from __future__ import annotations

import numpy as np
from seen_robot import served, standing

from humanoid_bringup.viewer.balance_scene import FOOTPRINTS, BalanceScene
from humanoid_bringup.viewer.balance_view import balance_view
from humanoid_bringup.viewer.robot_state import PlanMark
from humanoid_description import load_robot

ROBOT = load_robot("fibo_km")


def test_layers_are_drawn_where_the_view_says_and_can_be_hidden() -> None:
    state = standing(ROBOT)
    spread = [{"com_sd_m": [0.001 * number, 0.002, 0.003]} for number in (1, 2, 3)]
    state.result = {"com_sd_m": [0.001, 0.002, 0.003], "three_masses": spread}
    state.plan = [PlanMark("com", np.zeros((1, 3)), (0.1, 0.4, 1.0)), PlanMark("feet", np.eye(3), (0, 1, 0))]
    view = balance_view(state)
    with served() as server:
        drawn = BalanceScene(server.scene, "/balance/r")
        drawn.show(state, view)

        def find(name: str):
            return server.scene.get_handle_by_name(f"/balance/r/{name}")

        np.testing.assert_allclose(find("com").position, view.com)
        np.testing.assert_allclose(find("zmp").position, view.zmp, atol=1e-12)
        assert find("arrows").points.shape == (2, 2, 3)
        assert find("uncertainty").scale == (0.002, 0.004, 0.006)
        assert not find("mass_0").visible
        drawn.layers["centre of mass"] = False
        drawn.layers["three masses"] = True
        drawn.show(state, view)
        assert not find("com").visible
        assert find("mass_0").visible
        for number in range(3):
            around = find(f"uncertainty_{number}")
            assert around.visible
            assert around.scale == (0.002 * (number + 1), 0.004, 0.006)
            np.testing.assert_allclose(around.position, find(f"mass_{number}").position)
        drawn.remove()
        assert find("com") is None


def test_footprints_are_left_where_a_foot_is_set_down_and_their_number_is_bounded() -> None:
    state = standing(ROBOT)
    with served() as server:
        drawn = BalanceScene(server.scene, "/balance/r")
        for number in range(3 * FOOTPRINTS):
            state.base.tell(np.array([0.05 * number, 0.0, 0.28]), np.array([0.0, 0.0, 0.0, 1.0]))
            view = balance_view(state)
            drawn.show(state, view)
            drawn.show(state, view)
        points = server.scene.get_handle_by_name("/balance/r/prints").points
        assert points.shape == (4 * FOOTPRINTS, 2, 3)
        state.time = 0.0  # put back to its start
        drawn.show(state, view)
        assert server.scene.get_handle_by_name("/balance/r/prints").points.shape == (8, 2, 3)
