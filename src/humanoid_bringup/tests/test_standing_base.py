"""The base of a robot whose pose nobody tells."""

from __future__ import annotations

import numpy as np
import pytest

from humanoid_bringup.standing_base import StandingBase
from humanoid_description import load_robot
from humanoid_sim.simulation import Simulation


@pytest.mark.parametrize("name", ["fibo_km", "nao"])
@pytest.mark.parametrize("feet_feel", [True, False])
def test_a_leaning_robot_is_where_it_is(name: str, feet_feel: bool) -> None:
    robot = load_robot(name)
    simulation = Simulation(robot)
    ankles = [joint for joint in robot.joint_names if "ankle_pitch" in joint]
    lean = np.array([robot.parameters.stand.get(joint, 0.0) for joint in robot.joint_names])
    lean[[robot.joint_names.index(joint) for joint in ankles]] += 0.03
    simulation.command(name, lean)
    simulation.step(2000)  # a jolt would be taken for the vertical at first
    base = StandingBase(robot)
    assert base.move(robot.joint_names, lean) is None  # which way is up?
    found = None
    for _ in range(100):
        simulation.step(5)
        seen = simulation.observe(name)
        base.feel(seen.time, seen.angular_velocity, seen.linear_acceleration)
        if feet_feel:
            for side, wrench in seen.foot_force.items():
                base.load(side, float(wrench[2]))
        found = base.move(robot.joint_names, seen.joint_position.tolist())
    assert found is not None
    x, y, z, w = seen.base_orientation_xyzw
    up_in_base = np.array([2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)])
    assert found[2, :3] == pytest.approx(up_in_base, abs=0.01)
    assert found[2, 3] == pytest.approx(seen.base_position[2], abs=0.005)
