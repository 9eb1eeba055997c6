"""What every engine is given to do, and the clock and the verdict that are the same for all."""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from humanoid_description import Robot
from humanoid_description.parameters import Servo
from humanoid_gait.primitives import JointReference
from humanoid_sim.scene import height_on_soles
from humanoid_sim.simulation import FALLEN_TILT

Array = NDArray[np.float64]
LOOK_EVERY = 0.1
"""s of simulated time between two looks at whether the robot has fallen."""


@dataclass(frozen=True)
class Outcome:
    """What became of a task, and what it cost."""

    fell: bool
    steps: int
    """Until the end of the task or the fall."""
    dt: float
    """s."""
    cpu_times: tuple[float, ...]
    """s that the processor worked, over all threads, between two looks."""
    base_in_world: Array
    """Where the base came to, m."""

    @property
    def cpu_time(self) -> float:
        """Over the whole task, s."""
        return sum(self.cpu_times)

    @property
    def seconds(self) -> float:
        """Simulated, s."""
        return self.steps * self.dt

    @property
    def us_per_step(self) -> float:
        """Cost of a step, microseconds."""
        return 1e6 * self.cpu_time / self.steps

    @property
    def real_time_factor(self) -> float:
        """How many times faster than reality."""
        return self.seconds / self.cpu_time


Simulate = Callable[[Robot, JointReference], Outcome]
"""Let a robot follow joint references on flat ground from the first posture on; every engine has such a function."""


def follow(
    reference: JointReference, advance: Callable[[int, int], None], T_world_base: Callable[[], Array]
) -> Outcome:
    """Let an engine follow a reference until its end or the fall, and take the time of the engine alone.

    Args:
        reference: What the joints shall do.
        advance: Simulates with the references from one index to before another, a step each.
        T_world_base: 4 x 4 pose of the base as the engine has it now; with NaN if its motion grew beyond all bounds.
    """
    steps = len(reference.position)
    stride = max(1, round(LOOK_EVERY / reference.dt))
    cpu_times: list[float] = []
    done, fell = 0, False
    while done < steps and not fell:
        stop = min(done + stride, steps)
        started = time.process_time()
        advance(done, stop)
        cpu_times.append(time.process_time() - started)
        done = stop
        pose = T_world_base()
        fell = not pose[2, 2] >= math.cos(FALLEN_TILT)  # NaN is a fall too
    return Outcome(fell, done, reference.dt, tuple(cpu_times), pose[:3, 3])


def pose(rotation: Array, translation: Array) -> Array:
    """4 x 4 pose."""
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = rotation, translation
    return T


def start_height(robot: Robot, posture: Array) -> float:
    """Height (m) of the base above the ground with which the lower sole touches it."""
    return height_on_soles(robot, dict(zip(robot.joint_names, posture, strict=True)))


def servo_gains(servo: Servo) -> tuple[float, float, float]:
    """Stiffness (N m/rad), damping (N m s/rad) and torque limit (N m) of the PD servo that engines have of their own.

    A Dynamixel is stiff by its compliance slope and damped by its motor; margin, punch and count are left out.
    """
    if servo.law == "pd":
        return servo.stiffness, servo.damping, math.inf
    stiffness = servo.stall_torque * (1 / servo.compliance_slope if servo.law == "dynamixel_rx" else servo.gain_p)
    return stiffness, servo.stall_torque / servo.no_load_speed, servo.stall_torque


def gains(robot: Robot, joint_names: Sequence[str]) -> tuple[Array, Array, Array]:
    """The servo_gains of some joints."""
    stiffness, damping, limit = np.array([servo_gains(servo) for servo in servos(robot, joint_names)]).T
    return stiffness, damping, limit


def armatures(robot: Robot, joint_names: Sequence[str]) -> Array:
    """Inertia (kg m^2) of the servos' rotors behind their gears."""
    return np.array([servo.armature for servo in servos(robot, joint_names)])


def servos(robot: Robot, joint_names: Sequence[str]) -> list[Servo]:
    """The servo of each joint."""
    return [robot.parameters.servos[robot.parameters.joints[name].servo] for name in joint_names]


def in_order(robot: Robot, reference: JointReference, joint_names: Sequence[str]) -> JointReference:
    """A reference in the order in which an engine has the joints."""
    columns = [robot.joint_names.index(name) for name in joint_names]
    return dataclasses.replace(
        reference, position=reference.position[:, columns], velocity=reference.velocity[:, columns]
    )
