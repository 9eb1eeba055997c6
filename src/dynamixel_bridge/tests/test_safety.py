"""When a robot may move, how fast, and when it goes soft or limp."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynamixel_bridge.safety import Limits, Safety, Seen
from humanoid_description.command import CommandRefused

NAMES = ("hip", "knee")
LIMITS = Limits(lower=np.array([-1.0, -0.5]), upper=np.array([1.0, 2.0]), max_speed=np.array([5.0, 5.0]))
DT = 0.01


def seen(position: tuple[float, float] = (0.1, 0.2), **others: object) -> Seen:
    known = Seen(np.array(position), np.zeros(2), np.array([40.0, 40.0]), np.array([14.8, 14.8]), [(), ()], 1.0)
    return dataclasses.replace(known, **others)


def enabled(position: tuple[float, float] = (0.1, 0.2), limits: Limits = LIMITS) -> Safety:
    safety = Safety(NAMES, limits)
    safety.enable(seen(position), 0.0)
    return safety


def following(limits: Limits = LIMITS) -> Safety:
    safety = enabled(limits=limits)
    safety.commanded(0.0)
    run(safety, (0.1, 0.2), seen(), 0.1)
    assert safety.mode == "following"
    return safety


def run(
    safety: Safety, wanted: tuple[float, float], what: Seen, seconds: float, start: float = 0.0
) -> list[np.ndarray]:
    goals = []
    for number in range(round(seconds / DT)):
        goal = safety.step(np.array(wanted), what, start + DT * (number + 1), DT)
        if goal is not None:
            goals.append(goal)
    return goals


def test_nothing_is_sent_before_it_is_enabled() -> None:
    safety = Safety(NAMES, LIMITS)
    assert safety.step(np.ones(2), seen(), 1.0, DT) is None
    with pytest.raises(CommandRefused, match="robot is passive"):
        safety.commanded(0.0)
    assert not safety.powered


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"age": np.array([0.0, 0.1])}, "knee does not answer"),
        ({"errors": [("overload",), ()]}, "hip reports overload"),
        ({"position": np.array([0.0, -0.6])}, r"knee is 5\.7 degrees beyond its limits"),
        ({"temperature": np.array([40.0, 71.0])}, "knee has 71 degC"),
        ({"temperature": np.array([np.nan, 40.0])}, "hip has not told its temperature and voltage yet"),
        ({"voltage": np.array([14.8, np.nan])}, "knee has not told its temperature and voltage yet"),
        ({"voltage": np.array([14.8, 101.0])}, r"knee has 101\.0 V, not 0 to 100"),
        ({"upright_age": 0.1}, "the inertial sensor does not answer"),
    ],
)
def test_it_is_not_enabled_on_a_fault(changes: dict[str, object], message: str) -> None:
    safety = Safety(NAMES, LIMITS)
    with pytest.raises(CommandRefused, match=message):
        safety.enable(seen(**changes), 0.0)
    assert safety.mode == "passive"


@given(
    st.tuples(st.floats(-1, 1), st.floats(-0.5, 2)),
    st.lists(st.tuples(st.floats(-9, 9), st.floats(-9, 9)), min_size=1, max_size=30),
)
def test_goals_start_where_the_joints_are_and_never_leave_limits_or_speed(
    start: tuple[float, float], wishes: list[tuple[float, float]]
) -> None:
    safety = enabled(start)
    safety.commanded(0.0)
    last = np.array(start)
    for number, wish in enumerate(wishes * 5):
        goal = safety.step(np.array(wish), seen(start), DT * (number + 1), DT)
        assert goal is not None
        assert (goal >= LIMITS.lower).all()
        assert (goal <= LIMITS.upper).all()
        assert (np.abs(goal - last) <= LIMITS.max_speed * DT + 1e-12).all()
        if number < 3:
            assert (goal == start).all()
        last = goal


def test_it_ramps_to_the_first_command_and_then_follows_at_full_speed() -> None:
    safety = enabled()
    run(safety, (0.1, 0.2), seen(), 0.3)
    assert safety.mode == "ramping"  # nothing has been commanded yet
    safety.commanded(0.3)
    goals = run(safety, (0.6, 0.2), seen(), 0.9)
    assert safety.mode == "ramping"
    steps = np.abs(np.diff([goal[0] for goal in goals]))
    assert steps.max() == pytest.approx(LIMITS.ramp_speed * DT)
    goals += run(safety, (0.6, 0.2), seen(), 0.2)
    assert safety.mode == "following"
    assert goals[-1] == pytest.approx([0.6, 0.2])
    assert run(safety, (-0.4, 0.2), seen(), 0.1)[-1] == pytest.approx([0.1, 0.2])


def test_a_pose_slightly_beyond_the_limits_is_taken_back_to_them() -> None:
    safety = enabled((1.01, 0.0))
    assert run(safety, (1.01, 0.0), seen((1.01, 0.0)), 0.05)[0][0] == 1.0


def test_a_lost_joint_waits_and_is_taken_up_from_where_it_is_found() -> None:
    safety = following()
    lost = seen(age=np.array([0.3, 0.0]))
    goals = run(safety, (0.9, 0.9), lost, 0.5)
    assert goals[-1][0] == pytest.approx(0.1)
    assert goals[-1][1] == pytest.approx(0.9)
    assert safety.lost.tolist() == [True, False]
    found = run(safety, (0.9, 0.9), seen((-0.5, 0.9)), 0.05)
    assert found[0][0] == pytest.approx(-0.5 + LIMITS.ramp_speed * DT)
    assert found[-1][0] == pytest.approx(-0.5 + LIMITS.ramp_speed * 0.05)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"upright": 0.5}, "has fallen"),
        ({"errors": [(), ("overload",)]}, "knee reports overload"),
        ({"temperature": np.array([75.0, 40.0])}, "hip is hotter than 70"),
    ],
)
def test_it_goes_soft_and_stays_so_until_enabled_again(changes: dict[str, object], reason: str) -> None:
    safety = following()
    goals = run(safety, (0.9, 0.9), seen(**changes), 0.2)
    assert (safety.mode, safety.torque_share) == ("soft", 0.2)
    assert reason in safety.reason
    assert goals[-1] == pytest.approx([0.1, 0.2])
    run(safety, (0.9, 0.9), seen(age=np.array([0.3, 0.0])), 0.2)
    run(safety, (0.9, 0.9), seen(), 0.2)
    assert safety.mode == "soft"
    with pytest.raises(CommandRefused, match="robot is soft"):
        safety.commanded(1.0)
    safety.enable(seen(), 1.0)
    assert (safety.mode, safety.torque_share) == ("starting", 1.0)


def test_a_silent_inertial_sensor_makes_it_soft_unless_the_whole_bus_is_silent() -> None:
    safety = following()
    gone = seen(upright_age=9.0, age=np.array([9.0, 9.0]))
    run(safety, (0.1, 0.2), gone, 1.0)
    run(safety, (0.1, 0.2), seen(upright_age=9.0), 0.4, start=1.0)
    assert safety.mode in ("ramping", "following")
    run(safety, (0.1, 0.2), seen(upright_age=9.0), 0.2, start=1.4)
    assert safety.mode == "soft"


def test_a_robot_that_lies_can_be_enabled_to_get_up() -> None:
    safety = Safety(NAMES, LIMITS)
    safety.enable(seen(upright=0.0), 0.0)
    safety.commanded(0.0)
    run(safety, (0.1, 0.2), seen(upright=0.0), 0.2)
    assert safety.mode == "following"
    run(safety, (0.1, 0.2), seen(upright=1.0), 0.1, start=0.2)
    run(safety, (0.1, 0.2), seen(upright=0.0), 0.1, start=0.3)
    assert safety.mode == "soft"


def test_voltage_may_sag_for_a_moment_but_not_for_long() -> None:
    limits = dataclasses.replace(LIMITS, lowest_voltage=12.0)
    safety = following(limits=limits)
    low = seen(voltage=np.array([11.0, 14.0]), errors=[("voltage",), ()])
    run(safety, (0.1, 0.2), low, 0.5)
    run(safety, (0.1, 0.2), seen(), 0.1, start=0.5)
    run(safety, (0.1, 0.2), low, 0.9, start=0.6)
    assert safety.mode == "following"
    run(safety, (0.1, 0.2), low, 0.3, start=1.5)
    assert "11.0 V at hip" in safety.reason


def test_it_holds_when_commands_stop_and_then_relaxes() -> None:
    safety = enabled(limits=dataclasses.replace(LIMITS, relax_after=1.0))
    assert len(run(safety, (0.1, 0.2), seen(), 1.0)) == 100
    safety.commanded(1.0)
    assert len(run(safety, (0.1, 0.2), seen(), 2.0, start=1.0)) == 100
    assert (safety.mode, safety.reason) == ("relaxed", "no command for 1 s")
