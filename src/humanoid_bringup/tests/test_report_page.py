"""The page about an adaptation."""

from __future__ import annotations

import html.parser
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.patches import Ellipse
from scipy.spatial.transform import Rotation

from humanoid_adapt.assembler import recordings_from_bag
from humanoid_adapt.estimator import estimate
from humanoid_adapt.three_masses import three_masses
from humanoid_adapt.tip import tips_of
from humanoid_bringup.report_page import _begin_as_recorded, _mass_figure, page
from humanoid_description import load_robot
from humanoid_sim.simulation import Simulation


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
    assert len(links.sources) == 3 + len(recordings)
    assert all(source.startswith("data:image/png;base64,") for source in links.sources)
    for word in ("both_forward", "both_backward", "nobody fell <b>", "kg", "give or take", "adapted"):
        assert word in links.text
    assert "+" in links.text.split("What changed in the URDF")[1]


def test_the_drawing_shows_the_load_and_how_sure_each_mass_is(falls: tuple[Path, dict[str, Any]]) -> None:
    robot = load_robot("fibo_km")
    found = estimate(robot, tips_of(recordings_from_bag(robot, falls[0]).recordings, robot)[0])
    from_left = _mass_figure(robot, found).axes[0]
    around = [patch.center for patch in from_left.patches if isinstance(patch, Ellipse)]
    expected = [*(part.com_in_base for part in three_masses(found)), found.com_in_base]
    np.testing.assert_allclose(around, [place[[0, 2]] for place in expected])
    (load,) = [line for line in from_left.lines if str(line.get_label()).startswith("load of")]
    assert found.link is not None
    place = robot.poses(robot.parameters.stand)[found.link] @ [*found.payload_position, 1.0]
    np.testing.assert_allclose(load.get_xydata()[0], place[[0, 2]])


def test_the_simulated_robot_begins_as_the_recorded_one_rested(falls: tuple[Path, dict[str, Any]]) -> None:
    robot = load_robot("fibo_km")
    recording = recordings_from_bag(robot, falls[0]).recordings[0]
    simulation = Simulation({"twin": robot})
    _begin_as_recorded(simulation, robot, recording)
    seen = simulation.observe("twin")
    np.testing.assert_allclose(seen.joint_position, recording.position[0], atol=np.radians(0.3))
    felt = recording.linear_acceleration[recording.time < recording.ramp_start].mean(axis=0)
    posture = dict(zip(robot.joint_names, recording.position[0], strict=True))
    R_base_imu = robot.poses(posture)[robot.parameters.imu.link][:3, :3]
    R_world_imu = Rotation.from_quat(seen.base_orientation_xyzw).as_matrix() @ R_base_imu
    np.testing.assert_allclose(R_world_imu[2], felt / np.linalg.norm(felt), atol=1e-6)
