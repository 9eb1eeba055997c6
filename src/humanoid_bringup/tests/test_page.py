"""The page without a browser."""

from __future__ import annotations

import numpy as np
from seen_robot import served, standing

from humanoid_bringup.viewer.page import Page
from humanoid_bringup.viewer.plain_words import Finding
from humanoid_bringup.viewer.story import WALK
from humanoid_bringup.viewer.wishes import Walk
from humanoid_description import load_robot


def test_robots_come_move_and_go() -> None:
    fibo, nao = standing(load_robot("fibo_km"), "a"), standing(load_robot("nao"), "b")
    ghost = standing(load_robot("fibo_km"), "a_ghost")
    with served() as server:
        page = Page(server)
        page.take({"a": fibo, "a_ghost": ghost, "b": nao})
        page.move()
        page.read([Finding("ok", "a", "speaks")])
        assert page.chosen == "a"
        assert server.scene.get_handle_by_name("/robots/a_ghost/shape_0").opacity < 1
        assert server.scene.get_handle_by_name("/balance/a_ghost/com") is None
        fibo.base.tell(np.array([1.0, 2.0, 0.3]), np.array([0.0, 0.0, 0.0, 1.0]))
        page.move()
        assert page.position("a").tolist() == [1.0, 2.0, 0.3]
        page.take({"b": nao})
        page.move()
        page.read([])
        assert page.chosen == "b"
        assert server.scene.get_handle_by_name("/robots/a") is None


def test_the_story_begins_when_its_robot_is_there() -> None:
    with served() as server:
        page = Page(server, story_robot="a")
        page.take({})
        assert page.wishes.empty()
        page.take({"a": standing(load_robot("fibo_km"), "a")})
        page.read([])
        wishes = [page.wishes.get() for _ in range(page.wishes.qsize())]
        assert Walk("a", *WALK) in wishes
