"""Limbs found from the kinematic tree."""

from __future__ import annotations

import numpy as np
import pytest

from humanoid_adapt.limbs import as_array, chain, leg_joint, limb_joint, ramp_vector, segments, sign
from humanoid_description import Robot, RobotError, load_robot


@pytest.mark.parametrize("name", ["fibo_km", "nao", "ar601m"])
@pytest.mark.parametrize("part", ["ankle_roll", "ankle_pitch", "knee", "hip_pitch", "hip_roll"])
def test_leg_joints_are_found_without_their_names(name: str, part: str) -> None:
    for side in ("left", "right"):
        assert leg_joint(load_robot(name), side, part) == f"{side}_{part}"


def test_segments_are_six_and_hold_every_link_once(fibo: Robot) -> None:
    found = segments(fibo)
    assert set(found) == {"torso", "head", "left_arm", "right_arm", "left_leg", "right_leg"}
    assert sorted(link for links in found.values() for link in links) == sorted(fibo.inertials)
    assert set(found["left_leg"]) == set(fibo.parameters.legs["left_leg"])


def test_signs_follow_the_axes() -> None:
    assert sign(load_robot("fibo_km"), "left_knee", "pitch") == 1.0
    assert sign(load_robot("nao"), "left_knee", "pitch") == -1.0


def test_a_planar_robot_has_no_roll() -> None:
    with pytest.raises(RobotError, match="no ankle roll"):
        leg_joint(load_robot("ar601m_planar"), "left", "ankle_roll")


def test_arms_and_ramps(fibo: Robot) -> None:
    assert limb_joint(fibo, "left_arm", "roll") == "left_shoulder_roll"
    assert limb_joint(fibo, "right_leg", "yaw") == "right_hip_yaw"
    assert limb_joint(fibo, "head", "yaw") == "head_yaw"
    assert limb_joint(load_robot("ar601m"), "left_arm", "roll") is None
    assert chain(fibo, "head") == ["head_pitch", "head_yaw"]
    forward = ramp_vector(fibo, ("left", "right"), "forward")
    assert forward[fibo.joint_names.index("left_ankle_pitch")] == -1.0
    np.testing.assert_array_equal(forward, -ramp_vector(fibo, ("left", "right"), "backward"))
    assert as_array(fibo, {"head_yaw": 0.5})[0] == 0.5
