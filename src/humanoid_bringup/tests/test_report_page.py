"""The page about an adaptation."""

from __future__ import annotations

import html.parser
from pathlib import Path
from typing import Any

from humanoid_adapt.assembler import recordings_from_bag
from humanoid_adapt.estimator import estimate
from humanoid_adapt.tip import tips_of
from humanoid_bringup.report_page import page
from humanoid_description import load_robot


class Links(html.parser.HTMLParser):
    """Collects what a page loads."""

    def __init__(self) -> None:
        super().__init__()
        self.sources: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.sources += [value or "" for name, value in attributes if name in ("src", "href")]

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_page_needs_nothing_else_and_tells_all(falls: tuple[Path, dict[str, Any]]) -> None:
    robot = load_robot("fibo_km")
    recordings = recordings_from_bag(robot, falls[0]).recordings
    found = estimate(robot, tips_of(recordings, robot)[0], refused={"left_left": "test left_left: nobody fell <b>"})
    links = Links()
    links.feed(page(robot, found, recordings, "bag falls"))
    assert len(links.sources) == 4
    assert all(source.startswith("data:image/png;base64,") for source in links.sources)
    for word in ("both_forward", "nobody fell <b>", "kg", "give or take", "adapted"):
        assert word in links.text
    assert "+" in links.text.split("What changed in the URDF")[1]
