"""Finding the tip in a recording."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path

import numpy as np
import pytest

from humanoid_adapt.bag_log import BagLog
from humanoid_adapt.protocol import protocol
from humanoid_adapt.recording import Recording, TestRefused
from humanoid_adapt.routine import Routine
from humanoid_adapt.simulated_body import SimulatedBody, run_tests
from humanoid_adapt.tip import EARLY, _Fall, _lean_in_balance, find_tip, gyro_is_coarse, tips_of, vertical_over_time
from humanoid_adapt.tipping import Tipping
from humanoid_description import Robot

Run = tuple[Routine, BagLog, Path]


def cut(recording: Recording, end: int) -> Recording:
    arrays = ("time", "position", "command", "angular_velocity", "linear_acceleration")
    feet = {side: force[:end] for side, force in recording.foot_force.items()}
    return dataclasses.replace(recording, **{name: getattr(recording, name)[:end] for name in arrays}, foot_force=feet)


@pytest.mark.parametrize("rate", [4.5, 5.0, 5.5])
def test_a_pendulums_balance_comes_back_from_its_fall(rate: float) -> None:
    time = np.arange(0.0, 0.5, 0.01)
    lean = -0.02 + 0.003 * np.exp(rate * time) + 0.004 * np.exp(-rate * time)
    assert _lean_in_balance(time, lean, rate) == pytest.approx(-0.02, abs=1e-6)


def test_tips_of_the_simulated_robot_are_near_the_exact_condition(run: Run, fibo: Robot, loaded: Robot) -> None:
    routine, _, _ = run
    tips, refused = tips_of(routine.recordings, fibo)
    assert refused == {}
    truth = Tipping(loaded)
    off = np.array([truth.beyond_edge(tip.test, tip.angles) for tip in tips])
    assert np.abs(off).max() < 4e-3
    assert abs(off.mean()) < 2e-3
    assert all(tip.weight == pytest.approx(9.81 * loaded.mass, rel=0.02) for tip in tips)


def test_a_test_where_nobody_fell_is_refused(run: Run, fibo: Robot) -> None:
    recording = run[0].recordings[0]
    with pytest.raises(TestRefused, match="nobody fell"):
        find_tip(cut(recording, int(np.argmax(recording.time > recording.ramp_start)) + 100), Tipping(fibo))


def test_a_robot_that_was_caught_early_is_refused(run: Run, fibo: Robot) -> None:
    with pytest.raises(TestRefused, match="was caught at"):
        find_tip(cut(run[0].recordings[0], -22), Tipping(fibo))


def test_a_swing_foot_that_touched_is_refused(run: Run, fibo: Robot) -> None:
    recording = next(one for one in run[0].recordings if one.test.support == "left")
    force = recording.foot_force["right"].copy()
    force[60:90, 2] = 5.0
    touched = dataclasses.replace(recording, foot_force={**recording.foot_force, "right": force})
    with pytest.raises(TestRefused, match="right foot touched the ground with 5"):
        find_tip(touched, Tipping(fibo))


def test_without_foot_sensors_there_is_no_weight_but_a_tip(run: Run, fibo: Robot) -> None:
    recording = run[0].recordings[1]
    tip = find_tip(dataclasses.replace(recording, foot_force={}), Tipping(fibo))
    assert tip.weight is None
    np.testing.assert_array_equal(tip.angles, find_tip(recording, Tipping(fibo)).angles)
    ankle = fibo.joint_names.index("left_ankle_pitch")
    assert math.degrees(tip.angles[ankle]) == pytest.approx(19.0, abs=1.0)


def test_a_coarse_gyroscope_costs_little(run: Run, fibo: Robot, loaded: Robot) -> None:
    """A count of 3.1 degrees/s, as on the bus of the robot, is more than it leans with."""
    truth, count = Tipping(loaded), math.radians(3.125)
    coarse = [
        dataclasses.replace(one, angular_velocity=count * np.round(one.angular_velocity / count))
        for one in run[0].recordings
    ]
    assert all(map(gyro_is_coarse, coarse))
    assert not any(map(gyro_is_coarse, run[0].recordings))
    tips, refused = tips_of(coarse, fibo)
    assert refused == {}
    off = np.array([truth.beyond_edge(tip.test, tip.angles) for tip in tips])
    assert np.abs(off).max() < 4e-3
    assert all(tip.more_sd > 0.0 for tip in tips)


def test_a_foot_that_is_on_its_edge_before_the_other_is_no_tip_yet(fibo: Robot) -> None:
    """Joint zeros that turn the left foot: it stands on its heel seconds before the robot tips."""
    zeros = np.zeros(fibo.dof)
    zeros[fibo.joint_names.index("left_ankle_pitch")] = math.radians(1.5)
    zeros[fibo.joint_names.index("right_ankle_pitch")] = math.radians(-1.5)
    routine = run_tests(SimulatedBody(fibo, 5, zeros), fibo, protocol(fibo, "6")[:2])
    tips, refused = tips_of(routine.recordings, fibo)
    assert refused == {}
    for recording, tip in zip(routine.recordings, tips, strict=True):
        tilts = _Fall(recording, Tipping(fibo)).tilts(vertical_over_time(recording))
        assert np.degrees(np.ptp(tilts, axis=0).max()) > 2.0
        off = Tipping(fibo).beyond_edge(tip.test, tip.angles - zeros) + EARLY["both"]
        assert abs(off) < 3 * math.hypot(0.0009, tip.more_sd)
    assert max(tip.more_sd for tip in tips) > 0.001
