"""The simulation as a shadow of robots that another engine moves: Gazebo's state in, forces for its next step out.

At every step the state of the other engine replaces the shadow's. The shadow then takes the common step, contact and
servos solved together with MuJoCo's rigid bodies; of the result only the forces are used, which the other engine
applies in the same step. So the forces are those of the implicit step, and stay stable where an explicit
spring-damper would not. Where the other engine moved is compared with where the shadow's step led to: what it would
have taken beside the known forces is the unexplained force, which tells when the two models are not the same.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from humanoid_description import Robot, RobotError
from humanoid_description.inertial import GRAVITY
from humanoid_sim.simulation import DEFAULT_DT, Noise, Simulation

Array = NDArray[np.float64]
Start = tuple[float, float, float]
MEMORY = 1.0
"""s over which unexplained forces are averaged; an impact is soon forgotten, a wrong mass is not."""
TOLERANCE = 0.02
"""Unexplained force over the robot's weight beyond which the two models disagree."""


@dataclass(frozen=True)
class Motion:
    """Where a robot is in the other engine, and how it moves."""

    base_position: Array
    """Of the base link's origin in the world, m."""
    base_quaternion_wxyz: Array
    linear_velocity: Array
    """Of the base link's origin, in world axes, m/s."""
    angular_velocity: Array
    """Of the base link, in world axes, rad/s."""
    joint_position: Array
    """rad, in the order of Robot.joint_names."""
    joint_velocity: Array
    """rad/s."""


@dataclass(frozen=True)
class Efforts:
    """What moves a robot during one step."""

    torque: Array
    """On each joint, N m, in the order of Robot.joint_names, what the rotor's inertia takes subtracted."""
    wrench: Mapping[str, Array]
    """Force (N) and torque (N m) on links, at the link's origin, in world axes."""


class Shadow(Simulation):
    """Several robots of another engine; commands, pushes and sensors are those of the simulation."""

    adapts = "by a new model that stands where the old one was, as Gazebo cannot change inertials in place"

    def __init__(
        self,
        robots: Mapping[str, Robot] | Robot,
        seed: int = 0,
        *,
        dt: float = DEFAULT_DT,
        torque_share: float = 1.0,
        command_delay: float = 0.0,
        noise: Noise | None = None,
    ) -> None:
        """Make a shadow of robots that are yet to be seen; arguments are those of the simulation."""
        super().__init__(robots, seed=seed, dt=dt, torque_share=torque_share, command_delay=command_delay, noise=noise)
        for name, robot in self.robots.items():
            if robot.parameters.base != "free":
                raise RobotError(f"robot '{name}': is held in a plane, which its model in Gazebo cannot be.")
        self.postures = {name: dict(robot.parameters.stand) for name, robot in self.robots.items()}
        """How each robot stands when it is put into the world, rad."""
        model = self.scene.model
        self.replacements: dict[str, Start] = {}
        """Robots whose model in the other engine must be made anew, standing at x, y (m) and yaw (rad)."""
        self._homes = {part.namespace: part.start for part in self.scene.parts}
        self._link_of_body = {
            body: model.body(body).name.partition("/")[2] for part in self.scene.parts for body in part.bodies.values()
        }
        self._armature = model.dof_armature[self.scene.plant.joint_dof]
        self._R_before = self.scene.data.xmat.copy()
        self._velocity_before = self.scene.data.qvel.copy()
        self._pushes_now: dict[int, Array] = {}
        self._unexplained = np.zeros(model.nv)
        self._predicted = False

    def take(self, time: float, motions: Mapping[str, Motion]) -> None:
        """Take over the state of the other engine at a time (s); robots that it does not have go on by themselves."""
        data, plant, predicted = self.scene.data, self.scene.plant, self.scene.data.qvel.copy()
        for namespace, motion in motions.items():
            part = self._part(namespace)
            q, v = part.base_qpos, part.base_dof
            data.qpos[q : q + 3], data.qpos[q + 3 : q + 7] = motion.base_position, motion.base_quaternion_wxyz
            data.qvel[v : v + 3] = motion.linear_velocity
            data.qvel[v + 3 : v + 6] = _rotation(motion.base_quaternion_wxyz).T @ motion.angular_velocity
            data.qpos[plant.joint_qpos[part.joints]] = motion.joint_position
            data.qvel[plant.joint_dof[part.joints]] = motion.joint_velocity
            if not math.isfinite(data.qpos.sum() + data.qvel.sum()):
                raise RobotError(f"robot '{namespace}': its state in Gazebo is not finite. Reset it.")
        # What the accelerometer feels is what happened, not what was predicted.
        data.qacc[:] = (data.qvel - self._velocity_before) / self.dt
        if self._predicted:
            self._weigh((data.qvel - predicted) / self.dt)
            self._predicted = False
        self._steps = round(time / self.dt)
        self.scene.refresh()

    def _weigh(self, surprise: Array) -> None:
        """Turn accelerations that were not foreseen into forces, and average them."""
        # The step left its implicit terms in MuJoCo's matrix, which the next one computes anew.
        self.scene.data.M[:] = self.scene.buffers.plain_mass
        force = np.zeros(surprise.size)
        mujoco.mj_mulM(self.scene.model, self.scene.data, force, surprise)
        self._unexplained += min(1.0, self.dt / MEMORY) * (force - self._unexplained)

    def solve(self) -> None:
        """Take the common step, of which only the forces count."""
        self._R_before[:] = self.scene.data.xmat
        self._velocity_before[:] = self.scene.data.qvel
        pushed = self.scene.buffers.pushed
        self._pushes_now = {int(body): self.scene.buffers.push[body].copy() for body in pushed[1 : 1 + pushed[0]]}
        super().step()
        self._predicted = True

    def efforts(self, namespace: str) -> Efforts:
        """What the other engine shall apply to a robot in the step that was just solved."""
        part, plant, buffers = self._part(namespace), self.scene.plant, self.scene.buffers
        dofs = plant.joint_dof[part.joints]
        torque = buffers.torque[part.joints] - self._armature[part.joints] * buffers.qacc[dofs]
        wrench: dict[str, Array] = {}
        for foot in part.feet.values():
            points = slice(plant.foot_points[foot], plant.foot_points[foot + 1])
            body = int(plant.foot_body[foot])
            arms, forces = plant.point_in_foot[points], buffers.point_force[points]
            wrench[self._link_of_body[body]] = _wrench(self._R_before[body], arms, forces)
        for body in self._pushes_now.keys() & part.bodies.values():
            push, link = self._pushes_now[body], self._link_of_body[body]
            pushed = _wrench(self._R_before[body], push[None, 6:9], push[None, :3])
            pushed[3:] += push[3:6]
            wrench[link] = wrench.get(link, np.zeros(6)) + pushed
        return Efforts(torque, wrench)

    def unexplained(self, namespace: str) -> tuple[float, float]:
        """Force (N) and torque (N m) on the base that neither contact nor servos explain, over the last second."""
        base = self._part(namespace).base_dof
        force, torque = self._unexplained[base : base + 3], self._unexplained[base + 3 : base + 6]
        return float(np.linalg.norm(force)), float(np.linalg.norm(torque))

    def disagreement(self, namespace: str) -> str | None:
        """What to tell the user if the other engine does not move a robot as its model says."""
        robot, (force, torque) = self.robots[namespace], self.unexplained(namespace)
        limit = TOLERANCE * robot.mass * GRAVITY
        if force <= limit and torque <= limit * robot.height / 2:
            return None
        return (
            f"Gazebo moves {namespace} otherwise than its model: {force:.2f} N and {torque:.3f} N m on its base are "
            "unexplained over the last second. Something touches it, or its model in Gazebo has other masses."
        )

    def stand(self, namespace: str, start: Start) -> Mapping[str, float]:
        """Let a robot stand at x, y (m) and yaw (rad), at rest; returns the posture, rad."""
        part, posture = self._part(namespace), self.postures[namespace]
        part.start = start
        self.scene.place(part, posture)
        dofs = [*range(part.base_dof, part.base_dof + 6), *self.scene.plant.joint_dof[part.joints]]
        for array in (self.scene.data.qvel, self.scene.data.qacc, self._velocity_before, self._unexplained):
            array[dofs] = 0.0
        self.scene.refresh()
        return posture

    def present_start(self, namespace: str) -> Start:
        """Where a robot is now: x, y (m) and yaw (rad)."""
        part = self._part(namespace)
        x, y, _ = self.scene.data.xpos[part.base_body]
        R = self.scene.data.xmat[part.base_body].reshape(3, 3)
        return float(x), float(y), math.atan2(R[1, 0], R[0, 0])

    def set_home(self, namespace: str, start: Start) -> None:
        """Where a robot goes back to when it is reset: x, y (m) and yaw (rad)."""
        self._homes[namespace] = start

    def adapt(self, namespace: str, robot: Robot) -> None:
        """Take over other inertials; the other engine must make its model anew, where it is and standing."""
        super().adapt(namespace, robot)
        self.replacements[namespace] = self.present_start(namespace)

    def reset(self) -> None:
        """Put every robot back to its start, standing; time goes on, as the other engine's does."""
        steps = self._steps
        self.forget()
        self._steps = steps
        self.replacements.update(self._homes)

    def forget(self) -> None:
        """Clear commands, pushes and the memory of servos and contacts; what is seen next is the state."""
        for part in self.scene.parts:
            part.start = self._homes[part.namespace]
        super().reset()
        self._velocity_before[:] = 0.0
        self._unexplained[:] = 0.0


def _rotation(quaternion_wxyz: Array) -> Array:
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, np.asarray(quaternion_wxyz, dtype=float))
    return R.reshape(3, 3)


def _wrench(R_world_body: Array, arms_in_body: Array, forces: Array) -> Array:
    """Force (N) and torque (N m) at a body's origin of forces in world axes at points in the body's frame (m)."""
    moments = (arms_in_body @ R_world_body.reshape(3, 3).T).T @ forces
    (_, xy, xz), (yx, _, yz), (zx, zy, _) = moments.tolist()
    return np.array([*forces.sum(axis=0).tolist(), yz - zy, zx - xz, xy - yx])
