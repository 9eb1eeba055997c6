"""The same robot in Gazebo's stand-in and in the embedded engine."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest

from humanoid_description import RobotError, load_robot
from humanoid_gait.gait_parameters import load_gait
from humanoid_gait.primitives import PrimitiveParameters, forward_walk
from humanoid_gait.walker import Sensed, Walker
from humanoid_sim.gz_simulation import GzSimulation
from humanoid_sim.simulation import Simulation

ROW_1 = PrimitiveParameters(0.1, 0.1, 0.85, 0.5, 1.0)


@pytest.mark.usefixtures("gazebo")
def test_row_1_of_table_4_is_walked_as_in_the_embedded_engine() -> None:
    robot = load_robot("ar601m")
    reference = forward_walk(robot, ROW_1, 3, 1e-3)
    ways = []
    for make in (Simulation, GzSimulation):
        simulation = make(robot, torque_share=np.inf)
        simulation.place("ar601m", reference.position[0])
        torso = simulation.scene.data.xpos[simulation.scene.parts[0].base_body]
        way = []
        for position, velocity in zip(reference.position[:4000], reference.velocity[:4000], strict=True):
            simulation.command("ar601m", position, velocity)
            simulation.step()
            way.append(torso.copy())
        ways.append(np.array(way))
        assert not simulation.fallen("ar601m")
    embedded, other = ways
    assert np.linalg.norm(other - embedded, axis=1).max() < 2e-3
    assert embedded[-1, 0] > 0.1


@pytest.mark.usefixtures("gazebo")
def test_it_walks() -> None:
    robot = load_robot("fibo_km")
    walker = Walker(robot, load_gait(robot))
    simulation = GzSimulation(robot)
    simulation.place("fibo_km", walker.placed.position)
    for tick in range(200):
        seen = simulation.observe("fibo_km")
        walker.walk((0.1, 0.0, 0.0))
        command = walker.tick(Sensed(seen.joint_position, seen.angular_velocity, seen.linear_acceleration))
        simulation.command("fibo_km", command.position, command.velocity)
        simulation.step(round(walker.period / simulation.dt))
        assert not simulation.fallen("fibo_km"), tick
    assert simulation.observe("fibo_km").base_position[0] == pytest.approx(0.1 * 200 * walker.period, abs=0.08)
    assert simulation.disagreement("fibo_km") is None


@pytest.mark.usefixtures("gazebo")
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_it_tips_at_the_same_angle(sign: float) -> None:
    """Both ankles lean slowly, 3 degrees/s, until the robot falls."""
    robot = load_robot("fibo_km")
    ankles = [robot.joint_names.index(f"{side}_ankle_pitch") for side in ("left", "right")]
    tipped = []
    for make in (Simulation, GzSimulation):
        simulation = make(robot)
        posture = simulation.observe("fibo_km").joint_position
        lean = 0.0
        while not simulation.fallen("fibo_km"):
            lean += np.radians(3.0) * 0.01
            posture[ankles] = sign * lean
            simulation.command("fibo_km", posture)
            simulation.step(10)
            assert lean < np.radians(45)
        tipped.append(np.degrees(lean))
    assert tipped[0] == pytest.approx(tipped[1], abs=0.3)


def test_robots_are_placed_before_the_first_step(gazebo: ModuleType) -> None:
    del gazebo
    robot = load_robot("fibo_km")
    simulation = GzSimulation({"a": robot})
    bent = np.zeros(robot.dof)
    bent[robot.joint_names.index("left_elbow")] = -0.5
    simulation.place("a", bent)
    simulation.step(10)
    assert simulation.observe("a").joint_position == pytest.approx(bent, abs=0.02)
    with pytest.raises(RobotError, match="Gazebo is running"):
        simulation.place("a", bent)


def test_what_goes_wrong_inside_comes_out(gazebo: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gazebo.Joint, "set_force", lambda *arguments: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        GzSimulation(load_robot("fibo_km")).step()


def test_the_shadow_does_not_pass_for_gazebo(gazebo: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gazebo.Joint, "position", lambda *arguments: [])
    with pytest.raises(RobotError, match="Gazebo does not tell how it moves fibo_km"):
        GzSimulation(load_robot("fibo_km")).step()


def test_without_gazebo_it_says_so() -> None:
    with pytest.raises(RobotError, match="Install Gazebo"):
        GzSimulation(load_robot("fibo_km"))
