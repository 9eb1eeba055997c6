"""`tune`, with a real Optuna study."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from humanoid_bringup import tuning
from humanoid_bringup.cli import main
from humanoid_bringup.gait_study import best_walk, open_study
from humanoid_bringup.tuning import Search
from humanoid_description import RobotError, load_robot
from humanoid_gait.gait_parameters import load_gait, read_gait

pytest.importorskip("optuna", reason="Optuna is not installed: ./humanoid tune does")
ROBOT = load_robot("fibo_km")
TUNE = ["tune", "fibo_km", "--speed", "0.2", "--seeds", "1", "--trials", "1"]


@pytest.fixture(autouse=True)
def short_walks_in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Installed and in one process, so that what is patched holds."""
    monkeypatch.setattr("humanoid_bringup.commands.tune.require", lambda extra: None)
    monkeypatch.setattr("humanoid_bringup.gait_study.cpu_count", lambda: 1)
    monkeypatch.setattr(tuning, "SECONDS", 3.0)


def test_a_search_goes_on_where_it_was_and_writes_what_walks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study, out = tmp_path / "s.log", tmp_path / "g.yaml"
    command = [*TUNE, "--goal", "energy", "--study", str(study), "--out", str(out), "--json"]
    for _ in range(3):
        assert main(command) in (0, 1)
        answer = json.loads(capsys.readouterr().out)
        assert out.exists() == (answer["file"] is not None)
    search = Search(ROBOT, load_gait(ROBOT), "energy", 0.2, 1, 1.0)
    trials = open_study(study, search).trials
    assert len(trials) == 3
    assert len({trial.params["lift"] for trial in trials}) == 3
    if out.exists():
        assert answer["after"] > answer["before"]
        assert read_gait(out).lift == pytest.approx(answer["parameters"]["lift"], rel=1e-4)


@pytest.mark.parametrize(
    ("other", "named"),
    [
        (["--goal", "energy"], "goal: speed there, energy here"),
        (["--speed", "0.1"], "speed: 0.2 there, 0.1 here"),
        (["--seeds", "2"], "seeds: 1 there, 2 here"),
        (["--torque-share", "2"], "torque share: 1.0 there, 2.0 here"),
        (["--payload", "torso:0.1:0,0,0"], "payload: none there, 0.1 kg on torso"),
    ],
)
def test_another_search_is_not_gone_on_with(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], other: list[str], named: str
) -> None:
    study, out = tmp_path / "s.log", tmp_path / "g.yaml"
    first = Search(ROBOT, load_gait(ROBOT), "speed", 0.2, 1, 1.0)
    open_study(study, first)
    assert main([*TUNE, "--study", str(study), "--out", str(out), *other]) == 1
    assert named in capsys.readouterr().err
    assert open_study(study, first).trials == []
    assert not out.exists()


def test_nor_one_of_another_robot_or_start(tmp_path: Path) -> None:
    study, nao = tmp_path / "s.log", load_robot("nao")
    open_study(study, Search(ROBOT, load_gait(ROBOT), "speed", 0.1, 1, 1.0))
    with pytest.raises(RobotError, match="robot: fibo_km there, nao here"):
        open_study(study, Search(nao, load_gait(nao), "speed", 0.1, 1, 1.0))
    lifted = tuning.varied(load_gait(ROBOT), {"lift": 0.05})
    with pytest.raises(RobotError, match=r"gait lift: .* there, 0.05 here"):
        open_study(study, Search(ROBOT, lifted, "speed", 0.1, 1, 1.0))


def test_a_gait_that_falls_is_not_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    study, out = tmp_path / "s.log", tmp_path / "g.yaml"
    assert main([*TUNE, "--torque-share", "0.1", "--study", str(study), "--out", str(out)]) == 1
    assert "every gait that was tried fell" in capsys.readouterr().out
    assert not out.exists()


def test_a_search_of_impossible_gaits_has_no_best(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    search = Search(ROBOT, load_gait(ROBOT), "speed", 0.2, 1, 1.0)

    def refuse(*_: object) -> None:
        raise RobotError("not possible")

    monkeypatch.setattr("humanoid_bringup.gait_study.score", refuse)
    study = tmp_path / "s.log"
    assert main([*TUNE, "--study", str(study), "--out", str(tmp_path / "g.yaml")]) == 1
    assert "nothing was written" in capsys.readouterr().out
    assert len(open_study(study, search).trials) == 1
    assert best_walk(open_study(study, search)) is None


@pytest.mark.parametrize("text", ["garbage\nlines\n", "{}\n", "[1]\n", '{"op_code": 0}\n', "7\n7\n"])
def test_a_file_that_is_no_study_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str) -> None:
    study = tmp_path / "notes.txt"
    study.write_text(text)
    assert main([*TUNE, "--study", str(study), "--out", str(tmp_path / "g.yaml")]) == 1
    assert "is no study of gaits" in capsys.readouterr().err
    assert study.read_text() == text


def test_an_interrupted_search_ends_quietly(tmp_path: Path) -> None:
    installed = "from humanoid_bringup.commands import tune; tune.require = lambda extra: None"
    program = f"import sys; {installed}; from humanoid_bringup.cli import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", program, *TUNE, "--trials", "50", "--study", "s.log", "--out", "g.yaml"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True, process_group=0) as search:
        assert search.stderr is not None
        assert "trying 50 gaits" in search.stderr.readline()
        while not (tmp_path / "s.log").read_text().count('"falls"'):  # the first trial has ended
            assert search.poll() is None
        os.killpg(search.pid, signal.SIGINT)
        assert search.wait() == 130
        assert "Traceback" not in search.stderr.read()
    asked = Search(ROBOT, load_gait(ROBOT), "speed", 0.2, 1, 1.0)
    assert open_study(tmp_path / "s.log", asked).trials
