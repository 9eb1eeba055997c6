"""MuJoCo with its own contact and position servos, in its own compiled loop."""

from __future__ import annotations

import math

import mujoco
import mujoco.rollout
import numpy as np

from humanoid_bringup.bench.task import Outcome, follow, gains, pose, servos, start_height
from humanoid_description import Robot
from humanoid_description.inertial import GRAVITY
from humanoid_gait.primitives import JointReference


def simulate(robot: Robot, reference: JointReference) -> Outcome:
    """Let a robot follow joint references on flat ground."""
    model = model_of(robot, reference.dt)
    data = mujoco.MjData(model)
    data.qpos[2] = start_height(robot, reference.position[0])
    for name, angle in zip(robot.joint_names, reference.position[0], strict=True):
        data.joint(name).qpos = angle
    control = np.concatenate([reference.position, reference.velocity], axis=1)
    size = mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    state = np.zeros((1, size))
    mujoco.mj_getState(model, data, state[0], mujoco.mjtState.mjSTATE_FULLPHYSICS)
    warm_start = np.zeros((1, model.nv))
    rollout = mujoco.rollout.Rollout(nthread=0)

    def advance(start: int, stop: int) -> None:
        nonlocal state
        states, _ = rollout.rollout(model, data, state, control[start:stop], initial_warmstart=warm_start)
        state = states[:, -1]
        warm_start[0] = data.qacc_warmstart

    base = data.body(robot.base_model.root)
    with rollout:
        return follow(reference, advance, lambda: pose(base.xmat.reshape(3, 3), base.xpos))


def model_of(robot: Robot, dt: float) -> mujoco.MjModel:
    """The robot of the URDF above a plane, its joints driven by a position and a velocity servo each."""
    spec = mujoco.MjSpec.from_string(robot.urdf)
    spec.option.timestep = dt
    spec.option.gravity = [0, 0, -GRAVITY]
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    # In pyramids a friction as high as that of seed 003 makes the ground soft, and the robot sinks in.
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.worldbody.first_body().add_freejoint()
    friction = robot.parameters.contact.friction
    for geom in spec.geoms:
        geom.contype, geom.conaffinity = 0, 1
        geom.friction[0] = friction
    ground = spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[20, 20, 0.1])
    ground.contype, ground.conaffinity = 1, 0
    ground.friction[0] = friction
    stiffness, damping, limit = gains(robot, robot.joint_names)
    for index, (name, servo) in enumerate(zip(robot.joint_names, servos(robot, robot.joint_names), strict=True)):
        joint = spec.joint(name)
        joint.armature = servo.armature
        joint.frictionloss = servo.coulomb_friction
        if limit[index] == math.inf:  # otherwise it is the URDF's
            joint.actfrclimited = mujoco.mjtLimited.mjLIMITED_FALSE
        spec.add_actuator(name=name, target=name, trntype=mujoco.mjtTrn.mjTRN_JOINT).set_to_position(stiffness[index])
    for name, damper in zip(robot.joint_names, damping, strict=True):
        actuator = spec.add_actuator(name=f"{name}_speed", target=name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
        actuator.set_to_velocity(damper)
    return spec.compile()
