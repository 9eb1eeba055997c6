"""Electrical energy of joint motions.

A motor behind its gear with stall torque t_s and no-load speed w_0 takes the power
torque * speed + (w_0 / t_s) torque^2: the work it does and the heat of its winding. What a braking motor would give
back is not counted, as a servo's supply does not take it.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from humanoid_description import Robot

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Motion:
    """Joint angles over time with their derivatives, in the order of Robot.joint_names."""

    time: Array
    """s, shape (samples,)."""
    position: Array
    """rad, shape (samples, joints)."""
    velocity: Array
    """rad/s, same shape."""
    acceleration: Array
    """rad/s^2, same shape."""


@dataclass(frozen=True)
class Energy:
    """What each joint's motor needs for a motion, in the order of Robot.joint_names."""

    work: Array
    """Mechanical work it puts in, J."""
    heat: Array
    """Lost in its winding, J."""
    electrical: Array
    """Taken from the supply, J; less than work and heat together where braking heats the winding."""

    @property
    def total(self) -> float:
        """Of all joints, J."""
        return float(self.electrical.sum())


def motor_torque(robot: Robot, motion: Motion) -> Array:
    """Torque (N m) of every motor on its joint while the base is held upright: rigid bodies, rotor and friction."""
    model = robot.kinematics.model
    data = mujoco.MjData(model)
    address = [int(model.joint(name).qposadr[0]) for name in robot.joint_names]
    dofs = [int(model.joint(name).dofadr[0]) for name in robot.joint_names]
    needed, result = np.empty_like(motion.position), np.zeros(model.nv)
    for sample in range(len(motion.time)):
        data.qpos[address] = motion.position[sample]
        data.qvel[dofs] = motion.velocity[sample]
        data.qacc[dofs] = motion.acceleration[sample]
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_comVel(model, data)
        mujoco.mj_rne(model, data, 1, result)
        needed[sample] = result[dofs]
    servos = [robot.parameters.servos[joint.servo] for joint in robot.parameters.joints.values()]
    rotor, coulomb, viscous = (
        np.array([getattr(servo, name) for servo in servos])
        for name in ("armature", "coulomb_friction", "viscous_friction")
    )
    friction = coulomb * np.sign(motion.velocity) + viscous * motion.velocity
    return needed + rotor * motion.acceleration + friction


def energy(robot: Robot, time: Array, torque: Array, velocity: Array) -> Energy:
    """What motors need that give torques (N m) at speeds (rad/s), both of shape (samples, joints), at times (s)."""
    servos = [robot.parameters.servos[joint.servo] for joint in robot.parameters.joints.values()]
    slope = np.array([servo.no_load_speed / servo.stall_torque for servo in servos])
    work, heat = torque * velocity, slope * torque**2
    parts = (np.maximum(work, 0), heat, np.maximum(work + heat, 0))
    return Energy(*(np.asarray(np.trapezoid(part, time, axis=0)) for part in parts))
