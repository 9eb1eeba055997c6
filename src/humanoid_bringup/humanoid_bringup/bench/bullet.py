"""Bullet with its own contact and position motors."""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pybullet
from numpy.typing import NDArray

from humanoid_bringup.bench.task import Outcome, follow, gains, in_order, pose, start_height
from humanoid_description import Robot
from humanoid_description.inertial import GRAVITY
from humanoid_gait.primitives import JointReference

BASE = -1
"""The link with which a body begins."""


class Client:
    """A world of its own; its attributes are the functions of pybullet in it."""

    def __init__(self) -> None:
        self._client = pybullet.connect(pybullet.DIRECT)

    def __getattr__(self, name: str) -> Any:
        return functools.partial(getattr(pybullet, name), physicsClientId=self._client)


def simulate(robot: Robot, reference: JointReference) -> Outcome:
    """Let a robot follow joint references on flat ground."""
    bullet = Client()
    bullet.setGravity(0, 0, -GRAVITY)
    bullet.setTimeStep(reference.dt)
    ground = bullet.createMultiBody(0, bullet.createCollisionShape(pybullet.GEOM_PLANE))
    body = _load(bullet, robot, start_height(robot, reference.position[0]))
    joints = {bullet.getJointInfo(body, index)[1].decode(): index for index in range(bullet.getNumJoints(body))}
    names, indices = list(joints), list(joints.values())
    reference = in_order(robot, reference, names)
    for index, angle in zip(indices, reference.position[0], strict=True):
        bullet.resetJointState(body, index, angle)
    # The coefficients of the two that touch are multiplied.
    friction = np.sqrt(robot.parameters.contact.friction)
    for thing, link in [(ground, BASE), (body, BASE), *((body, index) for index in indices)]:
        bullet.changeDynamics(thing, link, lateralFriction=friction, linearDamping=0, angularDamping=0)
    stiffness, damping, limit = gains(robot, names)
    # The part of its error that a motor corrects in a step, so that the error fades as fast as with the servo's PD.
    shares = list(reference.dt * stiffness / (damping + reference.dt * stiffness))
    targets, speeds = reference.position.tolist(), reference.velocity.tolist()
    drive = functools.partial(
        bullet.setJointMotorControlArray,
        body,
        indices,
        pybullet.POSITION_CONTROL,
        positionGains=shares,
        velocityGains=[1.0] * robot.dof,
        forces=list(limit),
    )
    step = bullet.stepSimulation

    def advance(start: int, stop: int) -> None:
        for i in range(start, stop):
            drive(targetPositions=targets[i], targetVelocities=speeds[i])
            step()

    def T_world_base() -> NDArray[np.float64]:
        # Bullet moves the centre of mass.
        com_in_base, attitude = bullet.getDynamicsInfo(body, BASE)[3:5]
        inverse = pybullet.invertTransform(com_in_base, attitude)
        position, orientation = pybullet.multiplyTransforms(*bullet.getBasePositionAndOrientation(body), *inverse)
        return pose(np.reshape(pybullet.getMatrixFromQuaternion(orientation), (3, 3)), np.array(position))

    try:
        return follow(reference, advance, T_world_base)
    finally:
        bullet.disconnect()


def _load(bullet: Client, robot: Robot, height: float) -> int:
    """Put the robot of the URDF at a height (m)."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "robot.urdf"
        file.write_text(robot.urdf)
        flags = pybullet.URDF_USE_INERTIA_FROM_FILE | pybullet.URDF_MERGE_FIXED_LINKS
        body: int = bullet.loadURDF(str(file), [0, 0, height], flags=flags)
        return body
