"""Pinocchio's articulated-body algorithm with our laws."""

from __future__ import annotations

import numpy as np
import pinocchio

from humanoid_bringup.bench.own_laws import OwnLaws
from humanoid_bringup.bench.task import Outcome, armatures, follow, in_order, start_height
from humanoid_description import Robot
from humanoid_description.inertial import GRAVITY
from humanoid_gait.primitives import JointReference

BASE_Q, BASE_V = 7, 6
"""Places of the free base in positions and velocities, before those of the joints."""


def simulate(robot: Robot, reference: JointReference) -> Outcome:
    """Let a robot follow joint references on flat ground, with our contact and servo laws."""
    model = pinocchio.buildModelFromXML(robot.urdf, pinocchio.JointModelFreeFlyer())
    model.gravity.linear = np.array([0, 0, -GRAVITY])
    names = list(model.names)[2:]  # before them the universe and the free base
    model.armature[BASE_V:] = armatures(robot, names)
    reference = in_order(robot, reference, names)
    laws = OwnLaws(robot, names, reference.position[0], reference.dt)
    # A foot's frame is that of the joint that carries it.
    feet = [model.frames[model.getFrameId(foot.link)].parentJoint for foot in robot.parameters.feet.values()]
    data = model.createData()
    q, v, torque = pinocchio.neutral(model), np.zeros(model.nv), np.zeros(model.nv)
    q[2] = start_height(robot, reference.position[0])
    q[BASE_Q:] = reference.position[0]
    forces = pinocchio.StdVec_Force()
    forces.extend([pinocchio.Force.Zero() for _ in range(model.njoints)])

    def advance(start: int, stop: int) -> None:
        nonlocal q, v
        for i in range(start, stop):
            pinocchio.forwardKinematics(model, data, q, v)
            torque[BASE_V:] = laws.torque(q[BASE_Q:], v[BASE_V:], reference.position[i], reference.velocity[i])
            for index, joint in enumerate(feet):
                place, twist = data.oMi[joint], data.v[joint]
                wrench = laws.wrench(index, place.rotation, place.translation, twist.linear, twist.angular)
                forces[joint] = pinocchio.Force(wrench)
            v = v + reference.dt * pinocchio.aba(model, data, q, v, torque, forces)
            q = pinocchio.integrate(model, q, reference.dt * v)

    return follow(reference, advance, lambda: pinocchio.XYZQUATToSE3(q[:BASE_Q]).homogeneous)
