"""A model in Gazebo, read and moved."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import mujoco
import numpy as np
import pytest

from humanoid_description import RobotError, load_robot
from humanoid_sim.gz_body import GzBody
from humanoid_sim.gz_modules import load_gz
from humanoid_sim.gz_world import GzRobot, GzSettings, write_world
from humanoid_sim.shadow import Efforts


@pytest.fixture
def server(gazebo: ModuleType) -> Any:
    """FIBO-KM alone in a world without our system."""
    text = write_world("empty", GzSettings({"a": GzRobot("fibo_km")}), {"a": (1.0, 2.0, 0.5)})
    return gazebo.load_world(text, systems=False)


def make_body(server: Any, name: str = "fibo_km") -> GzBody:
    gz = load_gz()
    return GzBody(gz, server.ecm, gz.sim.World(1).model_by_name(server.ecm, "a"), load_robot(name))


def test_nothing_is_known_before_the_first_step(server: Any) -> None:
    body = make_body(server)
    assert body.motion(server.ecm) is None
    assert body.base_start(server.ecm) == pytest.approx((1.0, 2.0, 0.5))
    server.iterate()
    motion = body.motion(server.ecm)
    assert motion is not None
    assert motion.base_position[:2] == pytest.approx([1.0, 2.0])
    assert motion.linear_velocity == pytest.approx([0.0, 0.0, -9.81e-3], abs=1e-9)  # nobody carries it yet
    assert motion.joint_position.shape == (20,)


def test_a_base_that_nearly_rests_is_known_at_every_step(server: Any) -> None:
    """Gazebo tells of a link only when it has moved by 1e-6."""
    body = make_body(server)
    for _ in range(20):
        server.iterate()  # it falls
    data, base = server.ecm.data, server.ecm.model.body("a/torso").id
    for speed in (1e-4, 2e-4, 3e-4):
        data.qvel[:] = 0.0
        data.qvel[2], data.qvel[5] = speed, 5 * speed
        mujoco.mj_integratePos(server.ecm.model, data.qpos, data.qvel, 1e-3)
        mujoco.mj_forward(server.ecm.model, data)
        motion = body.motion(server.ecm)
        assert motion is not None
        assert motion.linear_velocity == pytest.approx([0.0, 0.0, speed], abs=1e-12)
        assert motion.angular_velocity == pytest.approx([0.0, 0.0, 5 * speed], abs=1e-12)
        assert motion.base_position == pytest.approx(data.xpos[base], abs=1e-12)
        assert motion.base_quaternion_wxyz == pytest.approx(data.xquat[base], abs=1e-12)


def test_joints_are_put_where_they_shall_be(server: Any) -> None:
    body = make_body(server)
    robot = load_robot("fibo_km")
    body.put_joints(server.ecm, {"left_knee": 0.5})
    server.iterate()
    motion = body.motion(server.ecm)
    assert motion is not None
    assert motion.joint_position[robot.joint_names.index("left_knee")] == pytest.approx(0.5, abs=1e-3)


def test_efforts_last_one_step(server: Any) -> None:
    body, robot = make_body(server), load_robot("fibo_km")
    torque = np.zeros(20)
    torque[robot.joint_names.index("head_yaw")] = 0.01
    lift = np.array([0.0, 0.0, robot.mass * 9.81, 0.0, 0.0, 0.0])
    body.apply(server.ecm, Efforts(torque, {"torso": lift}))
    server.iterate()
    first = body.motion(server.ecm)
    server.iterate()
    second = body.motion(server.ecm)
    assert first is not None
    assert second is not None
    j = robot.joint_names.index("head_yaw")
    assert first.joint_velocity[j] > 1e-3
    assert second.joint_velocity[j] == pytest.approx(first.joint_velocity[j], rel=0.05)
    assert second.linear_velocity[2] - first.linear_velocity[2] < -5e-3  # it falls again


def test_it_notices_that_the_model_is_gone(server: Any) -> None:
    body = make_body(server)
    assert body.is_there(server.ecm)
    server.ecm.remove("a")
    assert not body.is_there(server.ecm)


def test_a_model_of_another_robot_is_refused(server: Any) -> None:
    with pytest.raises(RobotError, match=r"model 'a': has no joint 'left_shoulder_yaw'\. Make it with the SDF of nao"):
        make_body(server, "nao")
