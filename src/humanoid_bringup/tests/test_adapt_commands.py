"""The commands falltest, adapt, bag and report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from humanoid_adapt.bag import BagWriter, read_bag
from humanoid_bringup.cli import main

Falls = tuple[Path, dict[str, Any]]


def test_falltest_adapts_and_replays_alike(falls: Falls) -> None:
    bag, answer = falls
    keys = ["tests", "com_true_m", "com_before_m", "com_after_m", "com_sd_m", "place", "place_probability", "bag"]
    assert {*keys, "replay_identical", "sim_com_m"} <= set(answer)
    assert answer["replay_identical"]
    assert answer["sim_com_m"] == pytest.approx(answer["com_after_m"], abs=1e-9)
    assert answer["bag"] == str(bag)
    assert len(answer["tests"]) == 2
    assert {"falls", "tracking_error", "zmp_margin_m"} <= set(answer["gait"]["before"]) & set(answer["gait"]["after"])


def test_falltest_without_the_bus_has_foot_sensors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["falltest", "fibo_km", "--payload", "torso:0.2:0.03,0,0.05", "--protocol", "paper", "--rate", "6"]
    assert main([*arguments, "--without-bus", "--walks", "0", "--bag", str(tmp_path / "bag")]) == 0
    printed = capsys.readouterr().out
    assert "the same model" in printed
    assert "walks" not in printed
    assert any(message.topic == "/real/foot/left/wrench" for message in read_bag(tmp_path / "bag"))
    # The way to the posture, without the fall, is a motion.
    states = [one for one in read_bag(tmp_path / "bag") if one.topic.endswith("fall_test/state")]
    end = next(message.time_ns for message in states if b"ramp" in message.data)
    with BagWriter(tmp_path / "motion") as writer:
        for message in read_bag(tmp_path / "bag"):
            if message.time_ns < end and not message.topic.endswith("fall_test/state"):
                writer.write(message.topic, message.type, message.time_ns, message.data)
    models = ["--models", str(tmp_path / "models"), "--json"]
    assert main(["adapt", "run", "fibo_km", str(tmp_path / "motion"), *models]) == 0
    alone = json.loads(capsys.readouterr().out)
    assert [test["name"] for test in alone["tests"]] == ["motion"]
    assert main(["report", "fibo_km", str(tmp_path / "motion"), "--out", str(tmp_path / "page.html"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["com_after_m"] == alone["com_after_m"]
    motion = ["--motion", str(tmp_path / "motion")]
    assert main(["adapt", "run", "fibo_km", str(tmp_path / "bag"), *motion, *models]) == 0
    both = json.loads(capsys.readouterr().out)
    assert len(both["tests"]) == 3
    assert both["com_sd_m"][2] < alone["com_sd_m"][2]


def test_adapt_run_keeps_a_history_that_can_be_rolled_back(
    falls: Falls, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bag, answer = falls
    models = ["--models", str(tmp_path / "models")]
    assert main(["adapt", "run", "fibo_km", str(bag), *models, "--urdf", str(tmp_path)]) == 1
    assert "--urdf" in capsys.readouterr().err
    assert not (tmp_path / "models").exists()
    urdf = tmp_path / "new.urdf"
    assert main(["adapt", "run", "fibo_km", str(bag), *models, "--urdf", str(urdf), "--json"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert again["com_after_m"] == answer["com_after_m"]
    assert again["model"] == 1
    assert urdf.read_text().startswith("<?xml")
    assert main(["adapt", "rollback", "fibo_km", "0", *models]) == 0
    capsys.readouterr()
    assert main(["adapt", "history", "fibo_km", *models, "--json"]) == 0
    assert [row["number"] for row in json.loads(capsys.readouterr().out)] == [1, 2]
    assert main(["adapt", "history", "fibo_km", *models]) == 0
    assert "back to model 0" in capsys.readouterr().out
    assert main(["adapt", "run", "fibo_km", str(bag), *models]) == 0
    assert "tipped at" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["adapt", "run", "fibo", "bag"], "Did you mean 'fibo_km'"),
        (["adapt", "run", "fibo_km", "nothing"], "does not exist"),
        (["adapt", "evaluate", "--robots", "0"], "--robots must be"),
        (["adapt", "evaluate", "--protocol", "7"], "Known: 12, 6, 9, cop, paper"),
        (["adapt", "evaluate", "--jobs", "0"], "--jobs is 0"),
        (["adapt", "history", "fibo_km", "--models", __file__], "is not a folder"),
        (["adapt", "rollback", "fibo_km", "9"], "has no model 9"),
        (["falltest", "fibo_km", "--rate", "0"], "deg/s"),
        (["falltest", "ar601m_planar"], "no ankle roll"),
        (["falltest", "nao", "--protocol", "paper"], "without a bus: --without-bus"),
        (["falltest", "fibo_km", "--walks", "-1"], "--walks"),
        (["falltest", "fibo_km", "--seed", "-3"], "--seed"),
        (["falltest", "fibo_km", "--protocol", "cop"], "--without-bus"),
        (["falltest", "fibo_km", "--faults", "nothing.yaml"], "nothing.yaml: there is no such file"),
        (["falltest", "fibo_km", "--faults", "nothing.yaml", "--without-bus"], "Leave out --without-bus"),
        (["bag", "info", "nothing"], "does not exist"),
        (["bag", "info", __file__], "is not an MCAP file"),
        (["bag", "play", "nothing", "--start", "inf"], "--start"),
        (["demo", "--bag", str(Path(__file__).parent)], "is there already"),
        (["bag", "play", "nothing", "--rate", "0"], "--rate must be above zero"),
    ],
)
def test_bad_input_gets_a_clear_answer(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 1
    assert message in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_bag_without_imu_leaves_no_model(falls: Falls, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with BagWriter(tmp_path / "poor") as writer:
        for message in read_bag(falls[0]):
            if not message.topic.endswith("imu/data"):
                writer.write(message.topic, message.type, message.time_ns, message.data)
    models = tmp_path / "models"
    assert main(["adapt", "run", "fibo_km", str(tmp_path / "poor"), "--models", str(models)]) == 1
    assert "has no topic /real/imu/data" in capsys.readouterr().err
    assert not models.exists()


def spoilt(bag: Path, folder: Path, how: str) -> Path:
    """A bag of fall tests with which something is wrong."""
    messages = list(read_bag(bag))
    if how == "cut short":
        (folder.with_suffix(".mcap")).write_bytes(next(bag.glob("*.mcap")).read_bytes()[:-300])
        return folder.with_suffix(".mcap")
    told = {
        phase: [m.time_ns for m in messages if m.topic.endswith("state") and phase in m.data]
        for phase in (b"ramp", b"help")
    }
    ends = [*told[b"help"], messages[-1].time_ns]
    with BagWriter(folder) as writer:
        for message in messages:
            time_ns = message.time_ns
            begin = max((ramp for ramp in told[b"ramp"] if ramp <= time_ns), default=None)
            end = min((time for time in ends if time > time_ns), default=time_ns)
            measured = message.topic.endswith("joint_states") and begin is not None
            if measured and how == "nobody fell" and time_ns > begin + 10**9:
                continue
            if measured and how == "was caught" and time_ns > end - 12 * 10**7:
                continue
            if measured and how == "time goes backwards" and time_ns < begin + 10**8:
                time_ns += 5 * 10**8
            writer.write(message.topic, message.type, time_ns, message.data)
    return folder


@pytest.mark.parametrize("how", ["cut short", "nobody fell", "was caught", "time goes backwards"])
def test_tests_that_say_nothing_leave_no_model(
    how: str, falls: Falls, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bag, models = spoilt(falls[0], tmp_path / "spoilt", how), tmp_path / "models"
    assert main(["adapt", "run", "fibo_km", str(bag), "--models", str(models)]) == 1
    assert how in capsys.readouterr().err
    assert not models.exists()


def test_bag_info_and_repair(falls: Falls, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bag", "info", str(falls[0])]) == 0
    assert "/real/joint_states" in capsys.readouterr().out
    assert main(["bag", "info", str(falls[0]), "--json"]) == 0
    topics = {row["topic"]: row["count"] for row in json.loads(capsys.readouterr().out)["topics"]}
    file = next(falls[0].glob("*.mcap"))
    (tmp_path / "cut.mcap").write_bytes(file.read_bytes()[:-500])
    assert main(["bag", "repair", str(tmp_path / "cut.mcap"), str(tmp_path / "whole")]) == 0
    assert f"{sum(topics.values())} messages saved" in capsys.readouterr().out


def test_report_is_one_page(falls: Falls, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", "fibo_km", str(falls[0]), "--out", str(tmp_path)]) == 1
    assert f"--out {tmp_path}: cannot be written" in capsys.readouterr().err
    out = tmp_path / "report.html"
    assert main(["report", "fibo_km", str(falls[0]), "--out", str(out)]) == 0
    assert capsys.readouterr().out.strip() == str(out)
    assert out.read_text().count("data:image/png;base64,") == 5
