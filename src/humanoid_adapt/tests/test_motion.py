"""Motions from bags."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from humanoid_adapt.bag import BagWriter, encode, read_bag
from humanoid_adapt.bag_log import BagLog
from humanoid_adapt.motion import Motion, is_motion, motion_from_bag
from humanoid_adapt.routine import Routine
from humanoid_description import Robot, RobotError, load_robot

Run = tuple[Routine, BagLog, Path]


@pytest.fixture(scope="module")
def bag(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The first seconds of the fall tests, without the word of what they are."""
    folder = tmp_path_factory.mktemp("motion") / "bag"
    with BagWriter(folder) as writer:
        for message in read_bag(run[2]):
            if message.time_ns < 3 * 10**9 and not message.topic.endswith("fall_test/state"):
                writer.write(message.topic, message.type, message.time_ns, message.data)
    return folder


def without(bag: Path, folder: Path, end: str) -> Path:
    with BagWriter(folder) as writer:
        for message in read_bag(bag):
            if not message.topic.endswith(end):
                writer.write(message.topic, message.type, message.time_ns, message.data)
    return folder


def test_a_bag_gives_joints_and_forces_by_their_stamps(bag: Path, run: Run, fibo: Robot, loaded: Robot) -> None:
    assert is_motion(bag)
    assert not is_motion(run[2])
    motion = motion_from_bag(fibo, bag)
    assert motion.position.shape == (motion.time.size, fibo.dof)
    weight = sum(force[:, 2] for force in motion.foot_force.values())
    assert np.median(weight) == pytest.approx(9.81 * loaded.mass, rel=0.02)


def test_answers_that_servos_left_out_are_bridged(bag: Path, fibo: Robot, tmp_path: Path) -> None:
    with BagWriter(tmp_path / "lossy") as writer:
        for count, message in enumerate(read_bag(bag)):
            data = message.data
            if message.topic.endswith("joint_states") and count % 7 == 0:
                states = message.decode()
                states.name, states.position = states.name[1:], states.position[1:]
                data = encode(states)
            writer.write(message.topic, message.type, message.time_ns, data)
    lossy, whole = (motion_from_bag(fibo, path) for path in (tmp_path / "lossy", bag))
    np.testing.assert_array_equal(lossy.time, whole.time)
    np.testing.assert_allclose(lossy.position, whole.position, atol=np.radians(1.0))


def test_a_bag_that_is_not_of_a_motion_is_refused(bag: Path, fibo: Robot, tmp_path: Path) -> None:
    with pytest.raises(RobotError, match="another robot than nao"):
        motion_from_bag(load_robot("nao"), bag)
    with pytest.raises(RobotError, match="no foot/left/wrench"):
        motion_from_bag(fibo, without(bag, tmp_path / "numb", "wrench"))
    with pytest.raises(RobotError, match="joint_states of 0 robots"):
        motion_from_bag(fibo, without(bag, tmp_path / "still", "joint_states"))


@pytest.mark.parametrize(
    ("time", "angle", "message"),
    [
        ([0.0, 0.01, 0.005], 0.0, "time goes backwards"),
        ([0.0, 0.01, 0.5], 0.0, "nothing was measured for 0.49 s"),
        ([0.0, 0.01, 0.02], np.nan, "not finite"),
        ([0.0], 0.0, "has 1 samples"),
    ],
)
def test_a_motion_that_says_nothing_is_refused(time: list[float], angle: float, message: str) -> None:
    force = np.ones((len(time), 6))
    with pytest.raises(RobotError, match=message):
        Motion("m", np.array(time), np.full((len(time), 20), angle), {"left": force, "right": force})


def test_one_foot_is_not_enough() -> None:
    with pytest.raises(RobotError, match="under both feet"):
        Motion("m", np.array([0.0, 0.01]), np.zeros((2, 20)), {"left": np.ones((2, 6))})
