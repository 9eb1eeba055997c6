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

import numpy as np
from numpy.typing import NDArray

from humanoid_description import Robot, RobotError
from humanoid_description.inertial import GRAVITY
from humanoid_sim.exchange import Motion, add_wrench, take_state, weigh_surprise
from humanoid_sim.simulation import DEFAULT_DT, Noise, Simulation

Array = NDArray[np.float64]
Start = tuple[float, float, float]
MEMORY = 1.0
"""s over which unexplained forces are averaged; an impact is soon forgotten, a wrong mass is not."""
TOLERANCE = 0.02
"""Unexplained force over the robot's weight beyond which the two models disagree."""


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
        plant = self.scene.plant
        self._armature = model.dof_armature[plant.joint_dof]
        self._dofs = {part.namespace: plant.joint_dof[part.joints] for part in self.scene.parts}
        self._qpos = {part.namespace: plant.joint_qpos[part.joints] for part in self.scene.parts}
        self._velocity_before = self.scene.data.qvel.copy()
        self._pushes_now: dict[int, Array] = {}
        self._unexplained = np.zeros(model.nv)
        self._scratch = np.zeros((2, model.nv))
        self._predicted = False

    def take(self, time: float, motions: Mapping[str, Motion]) -> None:
        """Take over the state of the other engine at a time (s); robots that it does not have go on by themselves."""
        buffers = self.scene.buffers
        predicted = buffers.qvel.copy()
        for namespace, motion in motions.items():
            part, indices = self._part(namespace), (self._qpos[namespace], self._dofs[namespace])
            if not take_state(buffers.qpos, buffers.qvel, part.base_qpos, part.base_dof, *indices, motion):
                raise RobotError(f"robot '{namespace}': its state in Gazebo is not finite. Reset it.")
        # What the accelerometer feels is what happened, not what was predicted.
        buffers.qacc[:] = (buffers.qvel - self._velocity_before) / self.dt
        if self._predicted:
            share = min(1.0, self.dt / MEMORY)
            weigh_surprise(self.scene.plant, buffers, predicted, self._unexplained, self._scratch, self.dt, share)
            self._predicted = False
        self._steps = round(time / self.dt)
        self.scene.refresh()

    def solve(self) -> None:
        """Take the common step, of which only the forces count."""
        buffers = self.scene.buffers
        self._velocity_before[:] = buffers.qvel
        count = int(buffers.pushed[0])
        self._pushes_now = {int(body): buffers.push[body].copy() for body in buffers.pushed[1 : 1 + count]}
        self._advance()
        self._check_bounds()
        self._predicted = True

    def efforts(self, namespace: str) -> Efforts:
        """What the other engine shall apply to a robot in the step that was just solved."""
        part, plant, buffers = self._part(namespace), self.scene.plant, self.scene.buffers
        torque = buffers.torque[part.joints] - self._armature[part.joints] * buffers.qacc[self._dofs[namespace]]
        wrench: dict[str, Array] = {}
        # The step leaves the bodies' rotations as they were at its beginning.
        for foot in part.feet.values():
            first, last, body = plant.foot_points[foot], plant.foot_points[foot + 1], plant.foot_body[foot]
            wrench[self._link_of_body[body]] = gathered = np.zeros(6)
            arms, forces = plant.point_in_foot[first:last], buffers.point_force[first:last]
            add_wrench(buffers.xmat[body], arms, forces, gathered)
        for body in self._pushes_now.keys() & part.bodies.values():
            push = self._pushes_now[body]
            gathered = wrench.setdefault(self._link_of_body[body], np.zeros(6))
            add_wrench(buffers.xmat[body], push[None, 6:], push[None, :3], gathered)
            gathered[3:] += push[3:6]
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
