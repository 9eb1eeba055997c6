"""What servos give way."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from humanoid_adapt.bag_log import BagLog
from humanoid_adapt.compliance import Statics, droop, fit_stiffness, identify, stiffness
from humanoid_adapt.routine import Routine
from humanoid_adapt.tip import tips_of
from humanoid_description import Robot, load_robot
from humanoid_sim.servo import STATE_SIZE, servo_torque, servo_vector


@pytest.mark.parametrize(("name", "servo"), [("fibo_km", "rx28"), ("fibo_km", "rx64"), ("ar601m", "hip")])
@pytest.mark.parametrize("share", [-0.5, 0.2, 0.7])
def test_the_droop_is_the_servo_law_turned_round(name: str, servo: str, share: float) -> None:
    """At rest, with the commanded angle ahead by the droop, the simulator's servo gives the torque."""
    law = load_robot(name).parameters.servos[servo]
    torque = share * law.stall_torque
    parameters = servo_vector(law)[None].copy()
    ahead = droop(law, torque)
    given, *_ = servo_torque(parameters, np.zeros((1, STATE_SIZE)), 0, 0.0, 0.0, ahead, 0.0, 1e-3)
    assert given == pytest.approx(torque, rel=1e-9)


def test_an_rx28_at_slope_32_has_about_20_newton_metres_per_radian(fibo: Robot) -> None:
    assert stiffness(fibo.parameters.servos["rx28"]) == pytest.approx(20.2, abs=0.2)


def test_holding_torques_balance_the_weight(fibo: Robot) -> None:
    """Leaning on both feet, the two ankles together hold the weight times its lever."""
    angles = np.zeros(fibo.dof)
    ankles = [fibo.joint_names.index(f"{side}_ankle_pitch") for side in ("left", "right")]
    angles[ankles] = -0.1
    posture = dict(zip(fibo.joint_names, angles.tolist(), strict=True))
    torques = Statics(fibo).torques(0.5, angles)
    foot = np.linalg.inv(fibo.poses(posture)["left_foot"])
    above = [link for link in fibo.inertials if "foot" not in link and "ankle" not in link]
    poses = fibo.poses(posture)
    lever = sum(
        fibo.inertials[link].mass * (foot @ poses[link] @ [*fibo.inertials[link].com_in_link, 1.0])[0] for link in above
    )
    assert abs(torques[ankles].sum()) == pytest.approx(9.81 * abs(lever), rel=0.03)


def test_the_stiffness_comes_back_from_commands_and_angles() -> None:
    torques = np.linspace(-2, 2, 21)
    torques = torques[torques != 0]
    errors = torques / 20.0 + 0.005 * np.sign(torques) + 1e-4 * np.sin(np.arange(torques.size))
    found = fit_stiffness(torques, errors, 1e-4)
    assert found is not None
    assert found.stiffness == pytest.approx(20.0, abs=4 * found.stiffness_sd)
    assert found.offset == pytest.approx(0.005, abs=1e-4)
    assert fit_stiffness(np.ones(5), np.ones(5), 1e-4) is None
    assert fit_stiffness(torques, 1e-3 * np.cos(37 * torques), 1e-3) is None


def test_a_servo_with_an_integral_holds_exactly(fibo: Robot) -> None:
    import dataclasses

    exact = dataclasses.replace(fibo.parameters.servos["rx28"], law="dynamixel_pid", gain_p=5.0, gain_i=1.0)
    assert droop(exact, 1.0) == 0.0
    assert stiffness(exact) == math.inf


def test_the_servos_of_a_simulated_robot_are_identified(
    run: tuple[Routine, BagLog, Path], fibo: Robot, loaded: Robot
) -> None:
    found = identify(loaded, tips_of(run[0].recordings, fibo)[0])
    for kind, fit in found.items():
        assert fit.stiffness == pytest.approx(stiffness(fibo.parameters.servos[kind]), rel=0.2)
    assert "rx28" in found


def test_servos_that_carry_nothing_tell_nothing(fibo: Robot) -> None:
    assert identify(fibo, []) == {}
