"""A simulated robot that was pushed over gets up and walks on."""

from __future__ import annotations

import pytest

from humanoid_description import load_robot
from humanoid_gait.gait_control import FALLEN, READY, GaitControl
from humanoid_gait.walker import Sensed
from humanoid_sim.simulation import Noise, Simulation

NOISE = Noise(gyro=0.02, accelerometer=0.3)


class Life:
    """A robot and what controls it."""

    def __init__(self) -> None:
        self.robot = load_robot("fibo_km")
        self.simulation = Simulation(self.robot, noise=NOISE, command_delay=0.01)
        self.control = GaitControl(self.robot)

    def live(self, seconds: float, speed: float = 0.0) -> None:
        name = self.robot.name
        for _ in range(round(seconds / 0.01)):
            seen = self.simulation.observe(name)
            self.control.command((speed, 0.0, 0.0), self.simulation.time)
            sensed = Sensed(seen.joint_position, seen.angular_velocity, seen.linear_acceleration)
            command = self.control.update(self.simulation.time, sensed)
            if command is not None:
                self.simulation.command(name, command.position, command.velocity)
            self.simulation.step(10)


@pytest.mark.parametrize("force", [25.0, -25.0])
def test_it_gets_up_and_walks_on(force: float) -> None:
    life = Life()
    life.control.switch(True)
    life.live(3.0)
    assert life.control.state == READY
    life.simulation.push("fibo_km", "torso", (force, 0.0, 0.0), 0.3)
    life.live(3.0)
    assert life.control.state == FALLEN
    assert life.simulation.fallen("fibo_km")
    life.control.switch(True)
    life.live(20.0)
    assert life.control.state == READY
    assert not life.simulation.fallen("fibo_km")
    start = life.simulation.observe("fibo_km").base_position
    life.live(4.0, speed=0.2)
    end = life.simulation.observe("fibo_km").base_position
    assert not life.simulation.fallen("fibo_km")
    assert ((end - start)[:2] ** 2).sum() > 0.3**2
