"""One robot's model in Gazebo: its motion read and efforts applied, step by step.

Gazebo forgets forces after one step. Positions are unknown in the first step of a model's life.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from humanoid_description import Robot, RobotError
from humanoid_sim.exchange import Motion
from humanoid_sim.gz_modules import GzModules
from humanoid_sim.shadow import Efforts


class GzBody:
    """Handles to the joints and links of a model; they die with the model."""

    def __init__(self, gz: GzModules, ecm: Any, entity: int, robot: Robot) -> None:
        """Find a robot's joints and links in a model.

        Args:
            gz: Gazebo's modules.
            ecm: Gazebo's entity component manager.
            entity: The model.
            robot: Whose joints and links it has.
        """
        self._model = gz.sim.Model(entity)
        self._vector = gz.math.Vector3d
        name = self._model.name(ecm)
        self._joints = []
        for joint in robot.joint_names:
            found = self._model.joint_by_name(ecm, joint)
            if found == gz.sim.K_NULL_ENTITY:
                raise RobotError(f"model '{name}': has no joint '{joint}'. Make it with the SDF of {robot.name}.")
            self._joints.append(gz.sim.Joint(found))
        self._links = {}
        for link in robot.inertials:
            found = self._model.link_by_name(ecm, link)
            if found == gz.sim.K_NULL_ENTITY:
                raise RobotError(f"model '{name}': has no link '{link}'. Make it with the SDF of {robot.name}.")
            self._links[link] = gz.sim.Link(found)
        for handle in self._joints:
            handle.enable_position_check(ecm)
            handle.enable_velocity_check(ecm)
        self._get_position = [handle.position for handle in self._joints]
        self._get_velocity = [handle.velocity for handle in self._joints]
        self._set_force = [handle.set_force for handle in self._joints]
        self._joint_names = robot.joint_names
        self._base = self._links[robot.base_model.root]
        # Gazebo tells of a link only when it has moved by 1e-6, so pose and velocity of one that nearly rests are many
        # steps old. Of what is fixed to a link it tells at every step.
        fixed = [*self._base.collisions(ecm), *self._base.visuals(ecm)]
        self._frame = gz.sim.Link(fixed[0]) if fixed else self._base
        self._T_frame_base = gz.sim.Sensor(fixed[0]).pose(ecm).inverse() if fixed else gz.math.Pose3d()
        self._frame.enable_velocity_checks(ecm)

    def is_there(self, ecm: Any) -> bool:
        """Whether the model still exists."""
        return bool(self._model.valid(ecm))

    def put_joints(self, ecm: Any, posture: Mapping[str, float]) -> None:
        """Set joint angles (rad) at rest, at once."""
        for name, joint in zip(self._joint_names, self._joints, strict=True):
            joint.reset_position(ecm, [posture.get(name, 0.0)])
            joint.reset_velocity(ecm, [0.0])

    def base_start(self, ecm: Any) -> tuple[float, float, float]:
        """x, y (m) and yaw (rad) of the base link."""
        pose = self._base.world_pose(ecm)
        return pose.pos().x(), pose.pos().y(), pose.rot().yaw()

    def motion(self, ecm: Any) -> Motion | None:
        """How the robot moves; None until Gazebo has moved it for the first time."""
        frame, linear = self._frame.world_pose(ecm), self._frame.world_linear_velocity(ecm)
        angular = self._frame.world_angular_velocity(ecm)
        try:
            # Each is a list of one, an empty one, or None; asked so often that to ask and then look would show.
            position = np.array([get(ecm)[0] for get in self._get_position])
            velocity = np.array([get(ecm)[0] for get in self._get_velocity])
        except (IndexError, TypeError):
            return None
        if frame is None or linear is None or angular is None:
            return None
        base = frame * self._T_frame_base
        place, turn, arm = base.pos(), base.rot(), base.pos() - frame.pos()
        linear = linear + angular.cross(arm)
        return Motion(
            np.array((place.x(), place.y(), place.z())),
            np.array((turn.w(), turn.x(), turn.y(), turn.z())),
            np.array((linear.x(), linear.y(), linear.z())),
            np.array((angular.x(), angular.y(), angular.z())),
            position,
            velocity,
        )

    def apply(self, ecm: Any, efforts: Efforts) -> None:
        """Let the efforts act during the step that begins."""
        for set_force, torque in zip(self._set_force, efforts.torque.tolist(), strict=True):
            set_force(ecm, [torque])
        for link, wrench in efforts.wrench.items():
            fx, fy, fz, tx, ty, tz = wrench.tolist()
            self._links[link].add_world_wrench(ecm, self._vector(fx, fy, fz), self._vector(tx, ty, tz))
