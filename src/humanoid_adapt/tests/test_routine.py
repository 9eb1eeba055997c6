"""The fall-test routine."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from humanoid_adapt.bag_log import BagLog
from humanoid_adapt.protocol import protocol
from humanoid_adapt.recording import Sample
from humanoid_adapt.routine import Action, Routine, Settings
from humanoid_adapt.simulated_body import SimulatedBody
from humanoid_description import Robot, RobotError

Run = tuple[Routine, BagLog, Path]


def standing(robot: Robot, time: float) -> Sample:
    return Sample(time, np.zeros(robot.dof), np.zeros(robot.dof), np.zeros(3), np.array([0.0, 0.0, 9.81]), {})


def test_all_tests_were_done_and_recorded(run: Run) -> None:
    routine, _, _ = run
    assert routine.done
    assert routine.failures == {}
    assert [one.test.name for one in routine.recordings] == [test.name for test in routine.tests]


def test_commands_stay_within_the_joints_limits_and_the_ramp_has_its_rate(run: Run, fibo: Robot) -> None:
    lower, upper = (np.array([getattr(j, end) for j in fibo.parameters.joints.values()]) for end in ("lower", "upper"))
    for recording in run[0].recordings:
        half_count = np.radians(0.15)
        assert (recording.command >= lower - half_count).all()
        assert (recording.command <= upper + half_count).all()
    forward = run[0].recordings[0]
    ankle = forward.command[:, fibo.joint_names.index("left_ankle_pitch")]
    ramp = forward.time > forward.ramp_start
    slope = np.polyfit(forward.time[ramp], ankle[ramp], 1)[0]
    assert np.degrees(slope) == pytest.approx(-1.36, abs=0.05)


def test_a_fallen_robot_asks_for_help_and_goes_on_when_confirmed(fibo: Robot) -> None:
    routine = Routine(fibo, protocol(fibo, "paper"))
    lying = Sample(0.0, np.zeros(20), np.zeros(20), np.zeros(3), np.array([9.81, 0.0, 0.0]), {})
    for step in range(100):
        action = routine.update(Sample(0.01 * step, *(getattr(lying, name) for name in SIGNALS)))
    assert routine.phase == "help"
    assert "on its feet" in action.ask
    routine.confirm()
    assert routine.update(standing(fibo, 2.0)).ask == ""
    assert routine.phase == "stand"


SIGNALS = ("position", "command", "angular_velocity", "linear_acceleration", "foot_force")


def test_pause_stands_still_and_begins_the_test_anew(fibo: Robot) -> None:
    routine = Routine(fibo, protocol(fibo, "paper"))
    for step in range(80):
        routine.update(standing(fibo, 0.01 * step))
    assert routine.phase == "move"
    routine.pause()
    assert "resume" in routine.update(standing(fibo, 1.0)).ask
    routine.resume()
    assert routine.phase == "stand"


class Rock:
    """A body that takes every command at once and never tilts."""

    def __init__(self, robot: Robot) -> None:
        self.angles, self.time, self.largest_step = np.zeros(robot.dof), 0.0, 0.0

    def go(self, routine: Routine, up: tuple[float, float, float] = (0.0, 0.0, 1.0)) -> Action:
        still = 9.81 * np.array(up)
        action = routine.update(Sample(self.time, self.angles, self.angles, np.zeros(3), still, {}))
        self.largest_step = max(self.largest_step, float(np.abs(action.command - self.angles).max()))
        self.angles, self.time = action.command, self.time + 0.01
        return action


def test_no_command_jumps_when_a_test_is_paused_resumed_or_begun_anew(fibo: Robot) -> None:
    tests = [test for test in protocol(fibo, "12") if test.support == "left"][:1]
    body, routine = Rock(fibo), Routine(fibo, tests)
    while routine.phase != "ramp":
        body.go(routine)
    far = np.abs(body.angles).max()
    assert far > np.radians(20.0)
    routine.pause()
    body.go(routine)
    routine.resume()
    while routine.phase != "move":
        body.go(routine)
    for _ in range(100):
        body.go(routine)
    routine = Routine(fibo, tests)  # fall_test/run after an abort
    while routine.phase != "move":
        body.go(routine)
    # What droop is foreseen for comes and goes with the weight, beside the speed.
    assert body.largest_step <= 0.01 * routine.settings.speed + np.radians(3.0)


@pytest.mark.parametrize("lying", [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0)])
def test_a_robot_that_falls_while_paused_or_after_the_end_goes_soft(
    fibo: Robot, lying: tuple[float, float, float]
) -> None:
    body, routine = Rock(fibo), Routine(fibo, protocol(fibo, "paper"))
    while routine.phase != "ramp":
        body.go(routine)
    routine.pause()
    for _ in range(200):
        assert body.go(routine).torque
    soft = [not body.go(routine, lying).torque for _ in range(300)]
    assert any(soft)
    assert routine.phase == "help"
    routine.resume()
    assert "on its feet" in body.go(routine, lying).ask
    routine.confirm()
    body.go(routine)
    routine.abort("smoke")
    assert body.go(routine).torque
    for _ in range(300):
        action = body.go(routine, lying)
    assert not action.torque


def test_abort_ends_it_at_once(fibo: Robot) -> None:
    routine = Routine(fibo, protocol(fibo, "paper"))
    routine.update(standing(fibo, 0.0))
    routine.abort("smoke")
    assert routine.done
    held = routine.update(standing(fibo, 0.1))
    np.testing.assert_array_equal(held.command, np.zeros(fibo.dof))
    assert held.torque


def test_a_robot_that_does_not_fall_ends_its_test_at_the_farthest_angle(fibo: Robot) -> None:
    """The body here is a rock: it takes commands but its foot never tilts."""
    settings = Settings(farthest=np.radians(2.0), settle_seconds=0.1, rest_seconds=0.1)
    routine = Routine(fibo, protocol(fibo, "paper")[:1], settings)
    time = 0.0
    while not routine.done:
        routine.update(standing(fibo, time))
        time += 0.01
        assert time < 10.0
    assert routine.recordings[0].time[-1] - routine.recordings[0].ramp_start == pytest.approx(2.0 / 1.36, abs=0.05)


def test_settings_that_cannot_work_are_refused() -> None:
    with pytest.raises(RobotError, match="deg/s"):
        Settings(rate=0.0)


def test_servos_go_soft_when_the_robot_falls(fibo: Robot) -> None:
    routine = Routine(fibo, protocol(fibo, "6")[:1], Settings(fall_seconds=0.2))
    body = SimulatedBody(fibo, seed=0)
    soft = 0
    while not routine.done:
        action = routine.update(body.sample())
        body.command(action.command, action.torque)
        soft += not action.torque
    assert soft >= 20
