"""The history of models."""

from __future__ import annotations

from pathlib import Path

import pytest

from humanoid_adapt.history import History
from humanoid_description import Robot, RobotError, load_robot


def test_models_are_kept_listed_and_rolled_back(fibo: Robot, loaded: Robot, tmp_path: Path) -> None:
    history = History(tmp_path / "models", fibo)
    assert history.current() is fibo
    history.add(loaded, "bag falls", "2026-01-01T00:00:00+00:00")
    assert History(tmp_path / "models", fibo).current().inertials == loaded.inertials
    history.rollback(0, "2026-01-02T00:00:00+00:00")
    assert dict(history.current().inertials) == dict(fibo.inertials)
    history.rollback(1, "2026-01-03T00:00:00+00:00")
    assert history.current().inertials == loaded.inertials
    assert [entry.cause for entry in history.entries()] == ["bag falls", "back to model 0", "back to model 1"]
    assert history.entries()[0].time.startswith("2026-01-01")


def test_going_back_again_and_again_ends_at_the_robots_own_description(
    fibo: Robot, loaded: Robot, tmp_path: Path
) -> None:
    history = History(tmp_path, fibo)
    history.add(loaded, "bag falls", "")
    other = load_robot("fibo_km", ["torso:0.3:0,0,0"])
    history.add(other, "bag more", "")
    assert history.back("").cause == "back to model 1"
    assert history.current().inertials == loaded.inertials
    assert history.back("").cause == "back to model 0"
    assert dict(history.current().inertials) == dict(fibo.inertials)
    with pytest.raises(RobotError, match="There is none before it"):
        history.back("")
    history.add(other, "bag more", "")
    assert history.back("").cause == "back to model 4"


def test_a_folder_that_is_none_is_refused(fibo: Robot, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RobotError, match="is not a folder"):
        History(tmp_path / "file", fibo).entries()
    with pytest.raises(RobotError, match="cannot be written"):
        History(tmp_path / "file" / "models", fibo).add(fibo, "", "")


def test_bad_history_is_refused(fibo: Robot, tmp_path: Path) -> None:
    history = History(tmp_path, fibo)
    with pytest.raises(RobotError, match=r"has no model 3\. It has: 0"):
        history.rollback(3, "")
    (tmp_path / "0001.json").write_text("{}")
    with pytest.raises(RobotError, match=r"0001.json: is not a model"):
        history.entries()
    (tmp_path / "0001.json").unlink()
    history.add(fibo, "nothing", "")
    with pytest.raises(RobotError, match="robot: is fibo_km, not nao"):
        History(tmp_path, load_robot("nao")).entries()
