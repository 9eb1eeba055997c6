"""A simulated robot that takes fall tests as a real one does: encoder counts, wrong zeros, noise, a hand that helps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from humanoid_adapt.bag_log import BagLog
from humanoid_adapt.fall_test import FallTest
from humanoid_adapt.recording import Sample
from humanoid_adapt.routine import Routine, Settings
from humanoid_description import Robot
from humanoid_sim.simulation import Noise, Simulation

Array = NDArray[np.float64]
SENSORS = Noise(gyro=0.005, accelerometer=0.05, foot_force=0.2)
"""Of a cheap IMU at 100 Hz (rad/s, m/s^2), and of foot sensors (N)."""
PERIOD = 0.01
"""s between samples."""


class SimulatedBody:
    """One robot in a simulation, seen only through its sensors."""

    def __init__(
        self,
        robot: Robot,
        seed: int,
        joint_zeros: Array | None = None,
        force_scale: float = 1.0,
        cop_offsets: Mapping[str, Array] | None = None,
        dt: float = 2e-3,
        make: Callable[..., Simulation] = Simulation,
    ) -> None:
        """Stand a robot on flat ground.

        Args:
            robot: The truth.
            seed: Of the sensors' noise.
            joint_zeros: What each encoder says too much, rad.
            force_scale: What the foot sensors say over the force.
            cop_offsets: How far each foot's sensors are off their place along x and y, m.
            dt: Time step, s.
            make: Gives the simulation.
        """
        self._simulation = make({"body": robot}, seed=seed, dt=dt, noise=SENSORS)
        joints, servos = robot.parameters.joints.values(), robot.parameters.servos
        self._counts = np.array([servos[joint.servo].resolution or 0.0 for joint in joints])
        self._zeros = np.zeros(robot.dof) if joint_zeros is None else joint_zeros
        self._force_scale = force_scale
        self._cop_offsets = cop_offsets or {}
        self._steps = round(PERIOD / dt)
        self._elapsed = 0.0
        self._command = self._simulation.observe("body").joint_position + self._zeros

    def sample(self) -> Sample:
        """What the sensors say now."""
        seen = self._simulation.observe("body")
        return Sample(
            time=self._elapsed + seen.time,
            position=seen.joint_position + self._zeros,
            command=self._command,
            angular_velocity=seen.angular_velocity,
            linear_acceleration=seen.linear_acceleration,
            foot_force={side: self._sensed(side, force) for side, force in seen.foot_force.items()},
        )

    def _sensed(self, side: str, wrench: Array) -> Array:
        """What a foot's sensors make of force and torque: they are off in scale and place."""
        sensed = self._force_scale * wrench
        x, y = self._cop_offsets.get(side, np.zeros(2))
        sensed[3:5] += sensed[2] * np.array([y, -x])
        return sensed

    def command(self, angles: Array, torque: bool) -> None:
        """Send the servos to angles (rad), which they take in whole counts, and let a sample period pass."""
        grid = np.where(self._counts > 0, self._counts, 1.0)
        self._command = np.where(self._counts > 0, grid * np.round(angles / grid), angles)
        self._simulation.set_torque("body", torque)
        self._simulation.command("body", (self._command - self._zeros).tolist())
        self._simulation.step(self._steps)

    def pick_up(self) -> None:
        """A hand puts the robot back on its feet."""
        self._elapsed += self._simulation.time + PERIOD
        self._simulation.reset()
        self._command = self._simulation.observe("body").joint_position + self._zeros


def run_tests(
    body: SimulatedBody,
    model: Robot,
    tests: Sequence[FallTest],
    settings: Settings | None = None,
    log: BagLog | None = None,
    progress: Callable[[str], None] = lambda text: None,
) -> Routine:
    """Do tests on a simulated robot of which `model` is known; what happens is logged if asked for."""
    routine = Routine(model, tests, settings)
    while not routine.done:
        sample = body.sample()
        if log is not None:
            log.state(sample.time, routine.test, routine.phase)
            log.sample(sample)
        action = routine.update(sample)
        if action.ask:
            progress(f"test {routine.number} of {len(tests)}: {routine.test.name}")
            body.pick_up()
            routine.confirm()
        else:
            body.command(action.command, action.torque)
    if log is not None:
        log.state(body.sample().time, routine.test, "done")
        log.assembler.close()
    return routine
