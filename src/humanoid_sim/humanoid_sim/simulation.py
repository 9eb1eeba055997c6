"""Robots in a world, simulated: the Python face of the engine, without ROS."""

from __future__ import annotations

import contextlib
import copy
import math
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from humanoid_description import Robot, RobotError
from humanoid_description.command import checked_push
from humanoid_description.errors import did_you_mean
from humanoid_description.inertial import Inertial, moved
from humanoid_sim.engine import EXPLICIT, IMPLICIT, advance
from humanoid_sim.exchange import add_wrench
from humanoid_sim.plant import RobotPart
from humanoid_sim.scene import Scene, World, height_on_soles
from humanoid_sim.servo import LIMIT

Array = NDArray[np.float64]
DEFAULT_DT = 1e-3
"""s: the implicit step gives the same verdicts as the explicit one at 1e-4."""
LONGEST_EXPLICIT, LONGEST_IMPLICIT = 1e-4, 5e-3
"""s: beyond the first the contact's damper makes the explicit step diverge."""
FALLEN_TILT = np.radians(50)
"""Tilt of the base from upright beyond which a robot counts as fallen."""
FALLEN_HEIGHT = 0.4
"""Height of the base over that of standing below which it counts as fallen too: no robot squats as low as that."""


@dataclass(frozen=True)
class Noise:
    """Standard deviations of the sensors' noise."""

    gyro: float = 0.0
    """rad/s."""
    accelerometer: float = 0.0
    """m/s^2."""
    foot_force: float = 0.0
    """N."""

    def __post_init__(self) -> None:
        """Refuse what is no spread."""
        if not all(0 <= value < math.inf for value in (self.gyro, self.accelerometer, self.foot_force)):
            raise RobotError(f"noise: {self}. Give finite numbers not below zero.")


@dataclass(frozen=True)
class Observation:
    """What a robot's sensors say, and the truth beside it. Joint arrays are in the order of Robot.joint_names."""

    time: float
    """s."""
    joint_position: Array
    """rad, in whole encoder counts where the servo has them."""
    joint_velocity: Array
    """rad/s."""
    joint_torque: Array
    """N m."""
    angular_velocity: Array
    """Of the IMU in its own axes, rad/s; zero about an axis it does not measure."""
    linear_acceleration: Array
    """Of the IMU in its own axes, without gravity taken out, m/s^2."""
    foot_force: Mapping[str, Array]
    """Force (N) and torque (N m) of the ground on each foot, at the origin and along the axes of its link."""
    base_position: Array
    """True place of the base in the world, m."""
    base_orientation_xyzw: Array
    """True attitude of the base."""
    fallen: bool


def check_step(dt: float, explicit: bool) -> None:
    """Refuse a time step (s) that cannot work."""
    longest = LONGEST_EXPLICIT if explicit else LONGEST_IMPLICIT
    if not 0 < dt <= longest:
        kind = "explicit" if explicit else "implicit"
        raise RobotError(f"dt: is {dt} s. The {kind} step is good from above zero to {longest} s.")


def has_fallen(upright: Array, height: Array, standing_height: float) -> NDArray[np.bool_]:
    """Whether a robot has fallen.

    Args:
        upright: Cosine of the tilt of its base.
        height: Of its base above the ground, m.
        standing_height: The same when it stands, m.
    """
    return (upright < math.cos(FALLEN_TILT)) | (height < FALLEN_HEIGHT * standing_height)


def beyond_bounds(time: float) -> RobotError:
    """The error of a motion that stopped being finite at a time (s)."""
    return RobotError(
        f"simulation: the motion grew beyond all bounds at {time:.3f} s. Take a smaller dt, or a softer contact."
    )


class Simulation:
    """Several robots in one world; the same seed gives the same run."""

    adapts = "while it moves"
    """How a robot takes over other inertials."""

    def __init__(
        self,
        robots: Mapping[str, Robot] | Robot,
        world: World | None = None,
        seed: int = 0,
        *,
        dt: float = DEFAULT_DT,
        explicit: bool = False,
        starts: Mapping[str, tuple[float, float, float]] | None = None,
        torque_share: float = 1.0,
        voltage_share: float = 1.0,
        points_per_foot: int = 4,
        command_delay: float = 0.0,
        noise: Noise | None = None,
    ) -> None:
        """Put robots into a world.

        Args:
            robots: By namespace; a single robot gets its own name as namespace.
            world: What is around them.
            seed: Of the sensors' noise.
            dt: Time step, s.
            explicit: Take the explicit step, the reference, for which dt must be 1e-4 or less.
            starts: x, y (m) and yaw (rad) of each robot; side by side 1 m apart if not given.
            torque_share: Torque limit over the servos' stall torque; infinite for servos without limit.
            voltage_share: Supply voltage over the one at which the servos' stall torque and no-load speed hold.
            points_per_foot: Contact points along the rim of each sole.
            command_delay: From a command to its effect, s.
            noise: Of the sensors.
        """
        check_step(dt, explicit)
        if not 0 <= command_delay < math.inf:
            raise RobotError(f"command_delay: is {command_delay} s. Give a finite time, zero or more.")
        if seed < 0:
            raise RobotError(f"seed: is {seed}. Give a whole number, zero or more.")
        named = {robots.name: robots} if isinstance(robots, Robot) else dict(robots)
        starts = starts or {name: (0.0, float(index), 0.0) for index, name in enumerate(named)}
        if set(starts) != set(named):
            raise RobotError(f"starts: name {sorted(starts)}, the robots are {sorted(named)}. Give one for each.")
        parts = [RobotPart(name, robot, starts[name]) for name, robot in named.items()]
        self.dt = dt
        self.scene = Scene(parts, world or World(), torque_share, points_per_foot, voltage_share)
        self._weights = EXPLICIT if explicit else IMPLICIT
        self._parts = {part.namespace: part for part in parts}
        self._delay_steps = round(command_delay / dt)
        self._waiting: deque[tuple[int, slice, Array, Array]] = deque()
        self._pushes: list[tuple[int, int]] = []
        self._steps = 0
        self._noise = noise or Noise()
        self._seed = seed
        self._random = np.random.default_rng(seed)
        self._torque_limits = self.scene.plant.servo_parameters[:, LIMIT].copy()
        self._counts = {name: _encoder_counts(robot) for name, robot in named.items()}
        self._standing_heights = {name: height_on_soles(robot, robot.parameters.stand) for name, robot in named.items()}

    @property
    def time(self) -> float:
        """S."""
        return self._steps * self.dt

    @property
    def robots(self) -> dict[str, Robot]:
        """The robots as they are now, by namespace."""
        return {name: part.robot for name, part in self._parts.items()}

    def _part(self, namespace: str) -> RobotPart:
        if namespace not in self._parts:
            raise RobotError(f"robot '{namespace}': is not in this world. {did_you_mean(namespace, self._parts)}")
        return self._parts[namespace]

    def command(
        self, namespace: str, position: Sequence[float] | Array, velocity: Sequence[float] | Array | None = None
    ) -> None:
        """Command joint angles (rad) and speeds (rad/s, zero if not given) in the order of Robot.joint_names."""
        part = self._part(namespace)
        angles = _numbers(namespace, position)
        speeds = np.zeros_like(angles) if velocity is None else _numbers(namespace, velocity)
        if angles.shape != (part.robot.dof,) or speeds.shape != angles.shape:
            raise RobotError(f"command to {namespace}: give {part.robot.dof} angles, and as many speeds or none.")
        if not np.isfinite(angles).all() or not np.isfinite(speeds).all():
            raise RobotError(f"command to {namespace}: holds a value that is not finite. Give numbers only.")
        self._waiting.append((self._steps + self._delay_steps, part.joints, angles, speeds))

    def push(
        self, namespace: str, link: str, force: Sequence[float], seconds: float, torque: Sequence[float] = (0, 0, 0)
    ) -> None:
        """Push a link at its centre of mass for a while; force (N) and torque (N m) in world axes.

        A push replaces the one before on the same link, or on one that is fixed to it.
        """
        part = self._part(namespace)
        push = checked_push(part.robot.inertials, link, force, torque)
        if not 0 < seconds < math.inf:
            raise RobotError(f"push on {link}: lasts {seconds} s. Give a time above zero.")
        body = part.bodies[link]
        place = moved(part.robot.inertials[link], part.T_body_link[link]).com_in_link
        self.scene.buffers.push[body] = [*push.force, *push.torque, *place]
        self._pushes = [(end, other) for end, other in self._pushes if other != body]
        self._pushes.append((self._steps + max(1, round(seconds / self.dt)), body))
        self._note_pushes()

    def _note_pushes(self) -> None:
        pushed = self.scene.buffers.pushed
        pushed[0] = len(self._pushes)
        pushed[1 : 1 + len(self._pushes)] = [body for _, body in self._pushes]

    def set_torque(self, namespace: str, enabled: bool) -> None:
        """Switch a robot's servos on, or off so that only their friction is left."""
        part = self._part(namespace)
        self.scene.plant.servo_parameters[part.joints, LIMIT] = self._torque_limits[part.joints] if enabled else 0.0

    def adapt(self, namespace: str, robot: Robot) -> None:
        """Take over another description of the same robot, whose inertials were checked when it was made."""
        if robot.base_model.joints != self._part(namespace).robot.base_model.joints:
            raise RobotError(f"adapt {namespace}: {robot.name} is another robot. Nothing was changed.")
        self.scene.set_inertials(self._part(namespace), robot)
        self.scene.refresh()

    def reset(self) -> None:
        """Put every robot back to its start, standing with its servos on, at time zero; only inertials stay."""
        self.scene.plant.servo_parameters[:, LIMIT] = self._torque_limits
        self._waiting.clear()
        self._pushes.clear()
        self._steps = 0
        self._random = np.random.default_rng(self._seed)
        self.scene.reset()

    def place(self, namespace: str, position: Sequence[float] | Array) -> None:
        """Put a robot at its start, at rest, its base level, in a posture (rad, in the order of Robot.joint_names)."""
        part = self._part(namespace)
        angles = _numbers(namespace, position)
        if angles.shape != (part.robot.dof,) or not np.isfinite(angles).all():
            raise RobotError(f"place {namespace}: give {part.robot.dof} finite angles in rad.")
        self.scene.place(part, dict(zip(part.robot.joint_names, angles.tolist(), strict=True)))

    def set_inertials(self, namespace: str, inertials: Mapping[str, Inertial]) -> None:
        """Replace inertials of a robot between two steps, all or none; posture and motion stay."""
        self.adapt(namespace, self._part(namespace).robot.with_inertials(inertials))

    def step(self, count: int = 1) -> None:
        """Advance by a number of time steps."""
        if count < 0:
            raise RobotError(f"step: {count} steps. Time goes forward only.")
        for _ in range(count):
            self._advance()
        self.scene.refresh()
        self._check_bounds()

    def _advance(self) -> None:
        """One time step, which leaves places and velocities of bodies as they were at its beginning."""
        buffers = self.scene.buffers
        while self._waiting and self._waiting[0][0] <= self._steps:
            _, joints, angles, speeds = self._waiting.popleft()
            buffers.target[joints], buffers.target_speed[joints] = angles, speeds
        advance(self.scene.plant, buffers, self._weights, self.dt)
        self._steps += 1
        if self._pushes:
            for end, body in self._pushes:
                if end <= self._steps:
                    buffers.push[body] = 0.0
            self._pushes = [(end, body) for end, body in self._pushes if end > self._steps]
            self._note_pushes()

    def _check_bounds(self) -> None:
        if not math.isfinite(self.scene.buffers.qvel.sum()):
            raise beyond_bounds(self.time)

    def run(self, controller: Callable[[Simulation], None], seconds: float, control_period: float = 0.01) -> None:
        """Call a controller once every control period (s) for a time (s)."""
        steps = max(1, round(control_period / self.dt))
        for _ in range(round(seconds / (steps * self.dt))):
            controller(self)
            self.step(steps)

    def observe(self, namespace: str) -> Observation:
        """What a robot's sensors say now."""
        part = self._part(namespace)
        buffers, plant, (counted, count) = self.scene.buffers, self.scene.plant, self._counts[namespace]
        position = buffers.qpos[plant.joint_qpos[part.joints]]
        position[counted] = count * np.round(position[counted] / count)
        angular_velocity, acceleration, orientation = self.imu(namespace)
        return Observation(
            time=self.time,
            joint_position=position,
            joint_velocity=buffers.qvel[plant.joint_dof[part.joints]].copy(),
            joint_torque=buffers.torque[part.joints].copy(),
            angular_velocity=angular_velocity,
            linear_acceleration=acceleration,
            foot_force={side: self._foot_wrench(part, side) for side in part.feet},
            base_position=buffers.xpos[part.base_body].copy(),
            base_orientation_xyzw=orientation,
            fallen=self.fallen(namespace),
        )

    def fallen(self, namespace: str) -> bool:
        """Whether a robot's base is tilted beyond recovery, or has come down."""
        part, data = self._part(namespace), self.scene.data
        upright, height = data.xmat[part.base_body][8], data.xpos[part.base_body][2]
        return bool(has_fallen(upright, height, self._standing_heights[namespace]))

    def base_twist(self, namespace: str) -> tuple[Array, Array]:
        """True linear (m/s) and angular velocity (rad/s) of a robot's base, along its own axes."""
        twist = np.zeros(6)
        body = self._part(namespace).base_body
        mujoco.mj_objectVelocity(self.scene.model, self.scene.data, mujoco.mjtObj.mjOBJ_XBODY, body, twist, 1)
        return twist[3:], twist[:3]

    def com(self, namespace: str) -> Array:
        """True centre of mass of a robot in the world, m."""
        return np.array(self.scene.data.subtree_com[self._part(namespace).base_body])

    def imu(self, namespace: str) -> tuple[Array, Array, Array]:
        """Turning rate (rad/s) and acceleration (m/s^2) as in Observation, and the base's true attitude (xyzw)."""
        part = self._part(namespace)
        model, data, imu = self.scene.model, self.scene.data, part.robot.parameters.imu
        mujoco.mj_rnePostConstraint(model, data)
        body = part.bodies[imu.link]
        motion, change = np.zeros(6), np.zeros(6)
        mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_XBODY, body, motion, 1)
        mujoco.mj_objectAcceleration(model, data, mujoco.mjtObj.mjOBJ_XBODY, body, change, 1)
        T_body_imu = part.T_body_link[imu.link]
        offset = T_body_imu[:3, :3] @ imu.position_in_link + T_body_imu[:3, 3]
        turning, acceleration = motion[:3], change[3:] + _cross(change[:3], offset)
        acceleration = acceleration + _cross(turning, _cross(turning, offset))
        measured = np.array([axis in imu.gyro_axes for axis in "xyz"])
        turning = T_body_imu[:3, :3].T @ turning + self._random.normal(0, self._noise.gyro, 3)
        acceleration = T_body_imu[:3, :3].T @ acceleration + self._random.normal(0, self._noise.accelerometer, 3)
        return np.where(measured, turning, 0.0), acceleration, data.xquat[part.base_body][[1, 2, 3, 0]]

    def _foot_wrench(self, part: RobotPart, side: str) -> Array:
        plant, buffers, foot = self.scene.plant, self.scene.buffers, part.feet[side]
        T_body_foot = part.T_body_link[part.robot.parameters.feet[side].link]
        R_world_body = buffers.xmat[plant.foot_body[foot]]
        points = slice(plant.foot_points[foot], plant.foot_points[foot + 1])
        in_world = np.zeros(6)
        arms_in_body = plant.point_in_foot[points] - T_body_foot[:3, 3]
        add_wrench(R_world_body, arms_in_body, buffers.point_force[points], in_world)
        wrench: Array = (in_world.reshape(2, 3) @ R_world_body.reshape(3, 3) @ T_body_foot[:3, :3]).ravel()
        return wrench + self._random.normal(0, self._noise.foot_force, 6)

    @property
    def _state(self) -> tuple[NDArray[Any], ...]:
        """The arrays that, with what save adds, decide how the run goes on and what is observed."""
        b = self.scene.buffers
        motion = (b.qpos, b.qvel, b.qacc, b.qacc_warmstart)
        return (*motion, b.servo_state, b.target, b.target_speed, b.push, b.pushed, b.torque, b.point_force)

    def save(self) -> dict[str, Any]:
        """The whole state: a run that is restored from it goes on bit for bit as this one."""
        return {
            "arrays": [array.copy() for array in self._state],
            "steps": self._steps,
            "waiting": list(self._waiting),
            "pushes": list(self._pushes),
            "random": copy.deepcopy(self._random.bit_generator.state),
            "robots": self.robots,
            "torque_limits": self.scene.plant.servo_parameters[:, LIMIT].copy(),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go back to a state that this simulation saved."""
        for array, saved in zip(self._state, state["arrays"], strict=True):
            array[:] = saved
        self.scene.plant.servo_parameters[:, LIMIT] = state["torque_limits"]
        self._steps = state["steps"]
        self._waiting = deque(state["waiting"])
        self._pushes = list(state["pushes"])
        self._random.bit_generator.state = copy.deepcopy(state["random"])
        for name, robot in state["robots"].items():
            if robot is not self._parts[name].robot:
                self.scene.set_inertials(self._parts[name], robot)
        self.scene.refresh()


def _encoder_counts(robot: Robot) -> tuple[NDArray[np.bool_], Array]:
    """Which joints tell their angle in whole counts, and one count of these (rad)."""
    parameters = robot.parameters
    counts = np.array([parameters.servos[joint.servo].resolution or 0.0 for joint in parameters.joints.values()])
    return counts > 0, counts[counts > 0]


def _cross(a: Array, b: Array) -> Array:
    """Cross product of two vectors, a tenth of the time of NumPy's general one."""
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def _numbers(namespace: str, values: Sequence[float] | Array) -> Array:
    """Values of a command as an array; NumPy would read numbers out of texts."""
    with contextlib.suppress(ValueError):  # rows of different length
        array = np.asarray(values)
        if array.dtype.kind in "fiu":
            return array.astype(float)
    raise RobotError(
        f"command to {namespace}: {values!r:.60} is not a row of numbers. Give angles and speeds as numbers."
    )
