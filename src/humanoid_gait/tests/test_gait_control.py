"""When a robot may walk."""

from __future__ import annotations

import numpy as np
import pytest

from humanoid_description import RobotError, load_robot
from humanoid_gait.gait_control import FALLEN, GETTING_UP, OFF, READY, RISING, GaitControl, checked_velocity
from humanoid_gait.walker import Sensed

ROBOT = load_robot("fibo_km")
UP = np.array([0.0, 0.0, 9.81])


class Body:
    """A robot that does at once what it is told."""

    def __init__(self) -> None:
        self.control = GaitControl(ROBOT)
        self.position = np.zeros(ROBOT.dof)
        self.time = 10.0
        self.commands = 0
        self.fastest = 0.0

    def live(self, seconds: float, turning: tuple[float, float, float] = (0, 0, 0), pull: np.ndarray = UP) -> None:
        for _ in range(round(seconds / 0.01)):
            self.time += 0.01
            command = self.control.update(self.time, Sensed(self.position, np.array(turning), pull))
            if command is not None:
                self.commands += 1
                self.fastest = max(self.fastest, float(np.abs(command.position - self.position).max()) / 0.01)
                self.position = command.position


def ready() -> Body:
    body = Body()
    body.control.switch(True)
    body.live(4.0)
    assert body.control.state == READY
    return body


def test_nothing_moves_before_it_is_switched_on() -> None:
    body = Body()
    body.control.command((0.2, 0.0, 0.0), body.time)
    body.live(2.0)
    assert body.commands == 0
    assert body.control.state == OFF


def test_it_rises_slowly_from_where_it_is() -> None:
    body = Body()
    body.control.switch(True)
    body.live(0.5)
    assert body.control.state == RISING
    body.live(4.0)
    assert body.control.state == READY
    assert body.fastest < 2.0  # rad/s
    assert np.abs(body.position - body.control.walker.placed.position).max() < 0.1


def test_a_velocity_that_is_not_repeated_ends_on_both_feet() -> None:
    body = ready()
    for _ in range(20):
        body.control.command((0.2, 0.0, 0.0), body.time)
        body.live(0.1)
    assert not body.control.walker.standing
    body.live(3.0)
    assert body.control.walker.standing
    assert body.control.state == READY


def test_switching_off_stops_first() -> None:
    body = ready()
    for _ in range(20):
        body.control.command((0.2, 0.0, 0.0), body.time)
        body.live(0.1)
    body.control.switch(False)
    body.live(0.05)
    assert body.control.state == READY
    body.live(3.0)
    assert body.control.state == OFF
    before = body.commands
    body.live(1.0)
    assert body.commands == before


def test_a_fallen_robot_is_left_alone_until_it_is_set_up() -> None:
    body = ready()
    body.live(0.6, turning=(3.0, 0.0, 0.0))
    assert body.control.state == FALLEN
    before = body.commands
    body.control.switch(True)
    body.live(1.0, pull=np.array([0.0, 9.81, 0.0]))  # on its side, from where it cannot get up
    assert body.commands == before
    assert "feet" in body.control.reason
    body.control.switch(True)
    body.live(4.0)
    assert body.control.state == READY


@pytest.mark.parametrize("jump", [0.5, -3.0])
def test_silence_and_time_going_back_switch_it_off(jump: float) -> None:
    body = ready()
    body.time += jump
    body.live(0.05)
    assert body.control.state == OFF


def test_a_lost_message_is_made_up_for() -> None:
    whole, gappy = ready(), ready()
    for body in (whole, gappy):
        body.control.command((0.2, 0.0, 0.0), body.time)
    whole.live(0.3)
    gappy.live(0.1)
    gappy.time += 0.02
    gappy.live(0.18)
    assert gappy.time == pytest.approx(whole.time)
    assert gappy.position == pytest.approx(whole.position, abs=1e-2)


def test_a_twist_must_be_finite() -> None:
    assert checked_velocity((0.1, 0.2, 9.0), (0.0, 0.0, 0.3)) == (0.1, 0.2, 0.3)
    for bad in (float("nan"), float("inf")):
        with pytest.raises(RobotError, match="cmd_vel"):
            checked_velocity((0.1, 0.0, bad), (0.0, 0.0, 0.0))


@pytest.mark.parametrize(("forward", "side"), [(9.81, "back"), (-9.81, "front")])
def test_a_robot_that_lies_gets_up_if_it_knows_how(forward: float, side: str) -> None:
    body = Body()
    body.control.switch(True)
    lying = np.array([forward, 0.0, 0.0])
    body.live(0.5, pull=lying)
    assert body.control.state == GETTING_UP
    assert side in body.control.reason
    body.live(30.0, pull=lying)
    assert body.control.state == FALLEN  # it still lies there
    body.control.switch(True)
    body.live(0.1, pull=lying)
    body.live(30.0)
    assert body.control.state == READY


def test_an_imu_may_be_mounted_in_any_way(monkeypatch: pytest.MonkeyPatch) -> None:
    # x up, y forward, z to the left.
    T_base_imu = np.eye(4)
    T_base_imu[:3, :3] = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
    poses = type(ROBOT).poses
    link = ROBOT.parameters.imu.link
    monkeypatch.setattr(type(ROBOT), "poses", lambda self, joints: {**poses(self, joints), link: T_base_imu})
    for pull, state in (((9.81, 0, 0), RISING), ((0, 9.81, 0), GETTING_UP), ((0, -9.81, 0), GETTING_UP)):
        body = Body()
        body.control.switch(True)
        body.live(0.05, pull=np.array(pull))
        assert body.control.state == state
    body.live(30.0, pull=np.array([9.81, 0.0, 0.0]))
    assert body.control.state == READY


def test_what_is_halted_stays_so() -> None:
    body = ready()
    body.control.halt("somebody wants it so")
    before = body.commands
    body.live(1.0)
    assert (body.commands, body.control.state, body.control.reason) == (before, OFF, "somebody wants it so")


def test_a_robot_without_such_a_motion_asks_for_help() -> None:
    control = GaitControl(load_robot("nao"))
    control.switch(True)
    lying = Sensed(np.zeros(22), np.zeros(3), np.array([9.81, 0.0, 0.0]))
    assert control.update(1.0, lying) is None
    assert control.state == OFF
    assert "feet" in control.reason
