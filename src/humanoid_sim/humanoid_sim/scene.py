"""Robots and their surroundings as one MuJoCo model, with the arrays that the engine works on."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from humanoid_description import Robot, RobotError
from humanoid_description.inertial import GRAVITY, Inertial, combined, moved
from humanoid_sim.compiling import announce
from humanoid_sim.field import Box, goals
from humanoid_sim.plant import RobotPart, make_buffers, make_plant

# MuJoCo would write its warnings into a file in whatever folder the program runs.
mujoco.set_mju_user_warning(logging.getLogger(__name__).warning)

# Collision groups: who touches whom through the engine's own contact. Feet meet the ground through contact.py instead.
GROUND, THINGS, FIRST_ROBOT = 1, 2, 4
MAX_ROBOTS = 28
BALL_RADIUS = 0.07
"""m: FIFA size 1, as in RoboCup's kid-size league."""


@dataclass(frozen=True)
class World:
    """What is around the robots."""

    field: bool = False
    """RoboCup kid-size field: goals and lines."""
    ball: bool = False
    """A size-1 ball at the centre."""
    obstacles: tuple[Box, ...] = ()
    """Boxes: position of the centre and size, m."""

    @property
    def boxes(self) -> dict[str, Box]:
        """All boxes by name: obstacles, and the goals of the field."""
        obstacles = {f"obstacle_{index}": box for index, box in enumerate(self.obstacles)}
        return obstacles | (goals() if self.field else {})

    @property
    def has_things(self) -> bool:
        """Whether there is anything beside the ground."""
        return self.field or self.ball or bool(self.obstacles)


WORLDS = {
    "empty": World(),
    "robocup": World(field=True, ball=True),
    "obstacles": World(
        obstacles=(
            ((0.5, 0.0, 0.005), (0.3, 1.0, 0.01)),
            ((1.2, 0.4, 0.1), (0.2, 0.2, 0.2)),
            ((1.2, -0.4, 0.1), (0.2, 0.2, 0.2)),
            ((2.0, 0.0, 0.25), (0.1, 1.0, 0.5)),
        )
    ),
}
"""Worlds by name; the files in worlds/ are the same for Gazebo."""


def height_on_soles(robot: Robot, posture: Mapping[str, float]) -> float:
    """Height (m) of a level base above the ground on which its lower sole stands."""
    poses = robot.poses(posture)
    return -min(float(poses[foot.link][2, 3]) - foot.depth for foot in robot.parameters.feet.values())


class Scene:
    """MuJoCo model and data of robots and world, and the engine's view of them."""

    def __init__(
        self,
        parts: list[RobotPart],
        world: World,
        torque_share: float = 1.0,
        points_per_foot: int = 4,
        voltage_share: float = 1.0,
    ) -> None:
        if not 0 < len(parts) <= MAX_ROBOTS:
            raise RobotError(f"{len(parts)} robots: one to {MAX_ROBOTS} fit in one world.")
        for part in parts:
            if len(part.start) != 3 or not np.isfinite(part.start).all():
                raise RobotError(f"start of {part.namespace}: is {part.start}. Give x and y in m and yaw in rad.")
            if part.robot.parameters.base != "free" and part.start[2] != 0.0:
                raise RobotError(f"start of {part.namespace}: a robot held in the sagittal plane cannot be turned.")
        if not torque_share > 0:
            raise RobotError(f"torque_share: is {torque_share}. Give a number above zero, or infinity for no limit.")
        if not 0 < voltage_share < np.inf:
            raise RobotError(f"voltage_share: is {voltage_share}. Give a number above zero, 1 for a full supply.")
        for position, size in world.obstacles:
            if len(position) != 3 or len(size) != 3 or not np.isfinite([*position, *size]).all() or min(size) <= 0:
                raise RobotError(
                    f"obstacle: at {position} of size {size}. Give three numbers each, sizes above zero, in m."
                )
        announce()
        self.parts = parts
        self.world = world
        spec = mujoco.MjSpec()
        spec.option.gravity = [0, 0, -GRAVITY]
        _add_world(spec, world)
        for index, part in enumerate(parts):
            _add_robot(spec, part, FIRST_ROBOT << index)
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        # MuJoCo sets inertials from the URDF text; from here on they are set in one way only.
        for part in parts:
            _index_part(self.model, part)
        for part in parts:
            self.set_inertials(part, part.robot)
        self.plant = make_plant(self.model, parts, world.has_things, torque_share, points_per_foot, voltage_share)
        self.buffers = make_buffers(self.model, self.data, self.plant)
        self.reset()
        self._check_starts()

    def _check_starts(self) -> None:
        """Refuse a box where a robot starts: it would be thrown into the air."""
        standing = mujoco.MjData(self.model)
        standing.qpos[:] = self.data.qpos
        mujoco.mj_kinematics(self.model, standing)
        mujoco.mj_collision(self.model, standing)
        robots = {part.base_body: part.namespace for part in self.parts}
        for pair in standing.contact.geom:
            for thing, other in (pair, pair[::-1]):
                box = self.world.boxes.get(self.model.geom(thing).name)
                robot = robots.get(int(self.model.body_rootid[self.model.geom_bodyid[other]]))
                if box is not None and robot is not None:
                    position, size = box
                    raise RobotError(f"box at {position} of size {size}: {robot} starts there. Move one of them.")

    def reset(self) -> None:
        """Every robot stands at its start, soles on the ground."""
        mujoco.mj_resetData(self.model, self.data)
        b = self.buffers
        for array in (b.servo_state, b.target_speed, b.push, b.pushed, b.torque, b.point_force):
            array[:] = 0.0
        for part in self.parts:
            self.place(part, dict(part.robot.parameters.stand))
        self.refresh()

    def refresh(self) -> None:
        """Bring places and velocities of all bodies up to the state; a step leaves those that it began with."""
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_comPos(self.model, self.data)
        mujoco.mj_comVel(self.model, self.data)

    def place(self, part: RobotPart, posture: Mapping[str, float], sink: float = 0.0) -> None:
        """Put a robot at its start in a posture, its lowest sole `sink` metres below ground, at rest."""
        x, y, yaw = part.start
        height = height_on_soles(part.robot, posture) - sink
        q, v = self.data.qpos, self.data.qvel
        free = part.robot.parameters.base == "free"
        v[part.base_dof : part.base_dof + (6 if free else 3)] = 0.0
        v[self.plant.joint_dof[part.joints]] = 0.0
        if free:
            q[part.base_qpos : part.base_qpos + 3] = x, y, height
            q[part.base_qpos + 3 : part.base_qpos + 7] = np.cos(yaw / 2), 0, 0, np.sin(yaw / 2)
        else:
            q[part.base_qpos : part.base_qpos + 3] = x, height, 0.0
        angles = np.array([posture.get(joint, 0.0) for joint in part.robot.joint_names])
        q[self.plant.joint_qpos[part.joints]] = angles
        self.buffers.target[part.joints] = angles
        self.buffers.target_speed[part.joints] = 0.0
        self.buffers.servo_state[part.joints] = 0.0
        self.buffers.servo_state[part.joints, 0] = angles
        self.refresh()

    def set_inertials(self, part: RobotPart, robot: Robot) -> None:
        """Give a robot the inertials of another description of it; pose and motion stay."""
        members: dict[int, list[Inertial]] = {}
        for link, body in part.bodies.items():
            members.setdefault(body, []).append(moved(robot.inertials[link], part.T_body_link[link]))
        for body, links in members.items():
            whole = combined(links)
            moments, axes = _principal_axes(whole.inertia_about_com)
            quaternion = np.zeros(4)
            mujoco.mju_mat2Quat(quaternion, axes.ravel())
            self.model.body_mass[body] = whole.mass
            self.model.body_ipos[body] = whole.com_in_link
            self.model.body_iquat[body] = quaternion
            self.model.body_inertia[body] = moments
        # It computes masses of subtrees and the like, and overwrites the state of the data it is given.
        mujoco.mj_setConst(self.model, mujoco.MjData(self.model))
        part.robot = robot


def _principal_axes(inertia: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Principal moments (kg m^2) and right-handed axes: the body's own where they are, which costs MuJoCo less."""
    if np.array_equal(inertia, np.diag(np.diag(inertia))):
        return np.diag(inertia), np.eye(3)
    moments, axes = np.linalg.eigh(inertia)
    if np.linalg.det(axes) < 0:
        axes[:, 0] = -axes[:, 0]
    return moments, axes


def _add_world(spec: mujoco.MjSpec, world: World) -> None:
    ground = spec.worldbody.add_geom(name="ground", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[20, 20, 0.1])
    ground.contype, ground.conaffinity = GROUND, 0
    for name, (position, size) in world.boxes.items():
        thing = spec.worldbody.add_geom(name=name, type=mujoco.mjtGeom.mjGEOM_BOX, pos=position)
        thing.size = [side / 2 for side in size]
        thing.contype, thing.conaffinity = THINGS, 0
    if world.ball:
        # RoboCup kid-size: about 0.2 kg.
        body = spec.worldbody.add_body(name="ball", pos=[0, 0, BALL_RADIUS])
        body.add_freejoint()
        ball = body.add_geom(name="ball", type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[BALL_RADIUS, 0, 0], mass=0.2)
        ball.contype, ball.conaffinity = THINGS, GROUND | THINGS
        ball.condim = 6
        ball.friction = [0.7, 0.005, 0.002]


def _add_robot(spec: mujoco.MjSpec, part: RobotPart, group: int) -> None:
    child = mujoco.MjSpec.from_string(part.robot.urdf)
    base = child.worldbody.first_body()
    if part.robot.parameters.base == "free":
        base.add_freejoint(name="base")
    else:
        for name, kind, axis in (
            ("base", "SLIDE", [1, 0, 0]),
            ("base_z", "SLIDE", [0, 0, 1]),
            ("base_pitch", "HINGE", [0, 1, 0]),
        ):
            base.add_joint(name=name, type=getattr(mujoco.mjtJoint, f"mjJNT_{kind}"), axis=axis)
    parameters = part.robot.parameters
    for joint in child.joints:
        if joint.name in parameters.joints:
            joint.armature = parameters.servos[parameters.joints[joint.name].servo].armature
    feet = {foot.link for foot in parameters.feet.values()}
    for geom in child.geoms:
        geom.contype = group
        touches_ground = geom.parent.name not in feet
        geom.conaffinity = THINGS | (GROUND if touches_ground else 0) | (~(group | GROUND) & 0x7FFFFFFF)
    child.fuse_static()  # links that are fixed to each other become one body, which is as much less to compute
    # A robot that is held in a plane cannot leave it: the plane is put where it starts.
    across = 0.0 if part.robot.parameters.base == "free" else part.start[1]
    frame = spec.worldbody.add_frame(pos=[0.0, across, 0.0])
    spec.attach(child, prefix=f"{part.namespace}/", frame=frame)


def _index_part(model: mujoco.MjModel, part: RobotPart) -> None:
    prefix = f"{part.namespace}/"
    base = model.joint(prefix + "base")
    part.base_body = int(base.bodyid[0])
    part.base_qpos, part.base_dof = int(base.qposadr[0]), int(base.dofadr[0])
    poses = part.robot.poses({})
    moving = {model.body(index).name: index for index in range(1, model.nbody)}
    carrier = {joint.child: joint.parent for joint in part.robot.base_model.joints.values()}
    for link in part.robot.inertials:
        holder = link
        while prefix + holder not in moving:
            holder = carrier[holder]
        part.bodies[link] = moving[prefix + holder]
        part.T_body_link[link] = np.linalg.inv(poses[holder]) @ poses[link]
