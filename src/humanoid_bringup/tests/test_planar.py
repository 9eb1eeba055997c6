"""Seed 003, section 4.1: walking in the sagittal plane."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from humanoid_bringup.reproduce import planar
from humanoid_description import load_robot
from humanoid_gait.planar_gait import PlanarParameters

ROBOT = load_robot("ar601m_planar")


def test_it_walks_as_the_paper_says(tmp_path: Path) -> None:
    reproduction = planar.reproduce(print)
    rows = {row["what"]: row for row in reproduction.as_dict()["rows"]}
    assert reproduction.agreed
    assert all(0.3 <= speed <= 0.4 for speed in rows["greatest speed of the torso"]["greatest_speed_m_per_s"])
    assert rows["period of the torso's speed"]["period_s"] == pytest.approx(3.0, abs=0.03)
    assert rows["the same without torque in the ankles"]["fell"] is True
    reproduction.save_figure(tmp_path / "planar.png")


def test_ankles_that_do_not_damp_let_it_fall_and_this_is_noticed(tmp_path: Path) -> None:
    reproduction = planar.reproduce(print, parameters=PlanarParameters(ankle_stiffness=0.0, ankle_damping=1.0))
    assert not reproduction.agreed
    reproduction.save_figure(tmp_path / "planar.png")


def test_the_ankles_get_the_torque_that_the_gait_asks_for() -> None:
    parameters = PlanarParameters()
    walked = planar.walk_in_plane(ROBOT, parameters, 1, print)
    ankle = ROBOT.joint_names.index("left_ankle_pitch")
    angle = walked.angle[:, ankle]
    speed = np.diff(angle, prepend=0.0) / walked.dt
    late = np.arange(angle.size) * walked.dt >= parameters.joined
    wanted = -np.where(late, 400 * angle + 100 * speed, 2 * speed)
    np.testing.assert_allclose(walked.torque[:, ankle], wanted, atol=1e-6)


def test_half_the_time_step_gives_the_same_walk() -> None:
    fast, slow = (planar.walk_in_plane(ROBOT, PlanarParameters(), 1, print, dt) for dt in (1e-3, 5e-4))
    assert not fast.fell
    assert not slow.fell
    assert fast.speed.max() == pytest.approx(slow.speed.max(), rel=0.05)
    assert fast.torso[-1] == pytest.approx(slow.torso[-1], abs=0.01)
