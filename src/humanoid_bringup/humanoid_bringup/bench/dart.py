"""DART: with its own contact and joint springs, and with our laws."""

from __future__ import annotations

from typing import Any

import dartpy
import numpy as np
from numpy.typing import NDArray

from humanoid_bringup.bench.own_laws import OwnLaws
from humanoid_bringup.bench.task import Outcome, armatures, follow, gains, in_order, start_height
from humanoid_description import Robot
from humanoid_description.inertial import GRAVITY
from humanoid_gait.primitives import JointReference

Array = NDArray[np.float64]
BASE = 6
"""Degrees of freedom of the free base, which come before the joints."""


def native(robot: Robot, reference: JointReference) -> Outcome:
    """Let a robot follow joint references on flat ground."""
    skeleton, names = _skeleton(robot, reference)
    world = _world(skeleton, robot.parameters.contact.friction)
    reference = in_order(robot, reference, names)
    stiffness, damping, _ = gains(robot, names)
    inertia = _add_armature(robot, skeleton, names, reference.dt, damping)
    for dof, spring in zip(skeleton.getDofs()[BASE:], stiffness, strict=True):
        dof.setSpringStiffness(spring)
    # Together with springs that rest at zero it pulls to the target.
    pull = np.zeros((len(reference.position), skeleton.getNumDofs()))
    pull[:, BASE:] = stiffness * reference.position + damping * reference.velocity

    def advance(start: int, stop: int) -> None:
        for i in range(start, stop):
            skeleton.setForces(pull[i] + inertia * skeleton.getVelocities())
            world.step()

    return follow(reference, advance, lambda: skeleton.getRootBodyNode().getWorldTransform().matrix())


def own_laws(robot: Robot, reference: JointReference) -> Outcome:
    """Let a robot follow joint references on flat ground, with our contact and servo laws."""
    skeleton, names = _skeleton(robot, reference)
    reference = in_order(robot, reference, names)
    inertia = _add_armature(robot, skeleton, names, reference.dt, np.zeros(robot.dof))
    laws = OwnLaws(robot, names, reference.position[0], reference.dt)
    feet = [skeleton.getBodyNode(foot.link) for foot in robot.parameters.feet.values()]
    origin = np.zeros(3)

    def advance(start: int, stop: int) -> None:
        for i in range(start, stop):
            q, v = skeleton.getPositions(), skeleton.getVelocities()
            force = inertia * v
            force[BASE:] += laws.torque(q[BASE:], v[BASE:], reference.position[i], reference.velocity[i])
            skeleton.setForces(force)
            for index, foot in enumerate(feet):
                T_world_foot = foot.getWorldTransform().matrix()
                twist = foot.getSpatialVelocity()
                wrench = laws.wrench(index, T_world_foot[:3, :3], T_world_foot[:3, 3], twist[3:], twist[:3])
                foot.setExtForce(wrench[:3], origin, True)
                foot.setExtTorque(wrench[3:], True)
            # What World.step does, without its search for contacts.
            skeleton.computeForwardDynamics()
            skeleton.integrateVelocities(reference.dt)
            skeleton.integratePositions(reference.dt)

    return follow(reference, advance, lambda: skeleton.getRootBodyNode().getWorldTransform().matrix())


def _skeleton(robot: Robot, reference: JointReference) -> tuple[Any, list[str]]:
    """The robot of the URDF in its first posture, and the names of its joints in DART's order."""
    skeleton = dartpy.utils.DartLoader().parseSkeletonString(robot.urdf, dartpy.common.Uri(""))
    names = [dof.getName() for dof in skeleton.getDofs()[BASE:]]
    posture = np.zeros(skeleton.getNumDofs())
    posture[BASE - 1] = start_height(robot, reference.position[0])
    posture[BASE:] = in_order(robot, reference, names).position[0]
    skeleton.setPositions(posture)
    skeleton.setGravity([0, 0, -GRAVITY])
    skeleton.setTimeStep(reference.dt)
    return skeleton, names


def _world(skeleton: Any, friction: float) -> Any:
    """A world with the robot on the ground."""
    ground = dartpy.dynamics.Skeleton("ground")
    _, body = ground.createWeldJointAndBodyNodePair()
    shape = body.createShapeNode(dartpy.dynamics.BoxShape([40, 40, 1]))
    shape.createCollisionAspect()
    shape.createDynamicsAspect()
    shape.setRelativeTranslation([0, 0, -0.5])
    for node in [*skeleton.getBodyNodes(), body]:
        for touched in node.getShapeNodes():
            if touched.hasDynamicsAspect():
                touched.getDynamicsAspect().setFrictionCoeff(friction)
    world = dartpy.simulation.World()
    world.setGravity([0, 0, -GRAVITY])
    world.setTimeStep(skeleton.getTimeStep())
    world.setCollisionDetector(dartpy.collision.DARTCollisionDetector())
    options = world.getDeactivationOptions()
    options.mEnabled = False  # a robot at rest would be left out
    world.setDeactivationOptions(options)
    world.addSkeleton(ground)
    world.addSkeleton(skeleton)
    return world


def _add_armature(robot: Robot, skeleton: Any, names: list[str], dt: float, damping: Array) -> Array:
    """Give the joints dampers and armature; returns the force per velocity (N m s/rad) that is to be added.

    DART knows no armature. But it treats dampers implicitly, so that one of armature / dt is armature, if its force is
    taken away again.
    """
    inertia = np.zeros(skeleton.getNumDofs())
    inertia[BASE:] = armatures(robot, names) / dt
    for dof, damper in zip(skeleton.getDofs()[BASE:], damping + inertia[BASE:], strict=True):
        dof.setDampingCoefficient(damper)
    return inertia
