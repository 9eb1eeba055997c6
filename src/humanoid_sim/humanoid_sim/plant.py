"""The arrays that the engine works on, gathered from a MuJoCo model and the robots in it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import mujoco
import numpy as np
from numpy.typing import NDArray

from humanoid_description import Robot, RobotError
from humanoid_sim.contact import contact_vector
from humanoid_sim.servo import PARAMETER_SIZE, STATE_SIZE, servo_vector

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

# Columns of the scratch per point: position from the centre of mass of its robot, sliding velocity, normal force at
# the start of the step, what of it a change of velocity takes away, tangential damping, whether it pushes.
RX, RY, RZ, VX, VY, NORMAL, GAIN, DRAG, ACTIVE = range(9)
# Columns of the scratch per joint: the servo's torque at the start of the step, what of it a change of speed takes
# away, whether it is at its limit; and the damping of the friction, which the limit does not concern.
TORQUE, BRAKE, FULL, RUB = range(4)


@dataclass
class RobotPart:
    """One robot's share of a scene."""

    namespace: str
    robot: Robot
    start: tuple[float, float, float]
    """x, y (m) and yaw (rad) at which it starts."""
    joints: slice = field(default_factory=lambda: slice(0))
    """Its joints among all of the scene, in the order of Robot.joint_names."""
    base_body: int = 0
    base_qpos: int = 0
    base_dof: int = 0
    bodies: dict[str, int] = field(default_factory=dict)
    """Body of every link; links that are fixed to each other share one."""
    T_body_link: dict[str, NDArray[np.float64]] = field(default_factory=dict)
    feet: dict[str, int] = field(default_factory=dict)
    """Index of each foot ('left', 'right') among all feet of the scene."""


class Plant(NamedTuple):
    """What does not change while the scene runs, but for inertials and parameters."""

    model: int
    """Address of the mjModel."""
    row_start: Indices
    row_size: Indices
    column: Indices
    """Sparse rows of the mass matrix: row i holds i and the degrees of freedom it hangs on."""
    foot_body: Indices
    foot_root: Indices
    foot_dof: Indices
    """Last degree of freedom above each foot; its row is the foot's chain."""
    foot_points: Indices
    """Foot i has the points foot_points[i] to foot_points[i + 1]."""
    point_in_foot: Array
    """Contact points in the frame of the body that is or carries the foot, m."""
    point_parameters: Array
    joint_dof: Indices
    joint_qpos: Indices
    joint_range: Array
    servo_parameters: Array
    body_root: Indices
    body_dof: Indices
    guard_geom: Indices
    guard_reach: Array
    guard_half: Array
    """Geoms that touch the ground through MuJoCo, the radius around each, and the half sides of a box around it."""
    crowded: bool
    """Whether there are things that may touch at any time: ball, obstacles, other robots."""


class Buffers(NamedTuple):
    """What changes: views into an mjData, servo states, commands and results."""

    data: int
    """Address of the mjData."""
    qpos: Array
    qvel: Array
    qacc: Array
    qacc_smooth: Array
    qacc_warmstart: Array
    qfrc_smooth: Array
    qfrc_bias: Array
    mass: Array
    cdof: Array
    cvel: Array
    subtree_com: Array
    xpos: Array
    xmat: Array
    geom_xpos: Array
    geom_xmat: Array
    servo_state: Array
    target: Array
    """Commanded joint angles, rad."""
    target_speed: Array
    """Commanded joint speeds, rad/s."""
    push: Array
    """Force (N) and torque (N m) on each body in world axes, and where in the body's frame the force acts (m)."""
    pushed: Indices
    """How many bodies are pushed, then which."""
    torque: Array
    """Of each servo over the last step, N m."""
    point_force: Array
    """Of the ground on each point over the last step, in world axes, N."""
    plain_mass: Array
    """The mass matrix without the implicit terms."""
    point_state: Array
    """Scratch per point, see RX and so on."""
    joint_state: Array
    """Scratch per joint, see TORQUE and so on."""
    foot_active: NDArray[np.bool_]
    """Whether any point of a foot is below ground."""
    chain: Array
    """Scratch: rows of cdof that move a foot, side by side."""


def make_plant(
    model: mujoco.MjModel,
    parts: list[RobotPart],
    things: bool,
    torque_share: float,
    points_per_foot: int,
    voltage_share: float,
) -> Plant:
    """Gather from a compiled model what the engine needs; notes in each part which joints and feet are its own.

    Args:
        model: Of all robots and their surroundings.
        parts: The robots.
        things: Whether there is anything beside them and the ground.
        torque_share: Torque limit over the servos' stall torque.
        points_per_foot: Contact points along the rim of each sole.
        voltage_share: Supply voltage over the servos' rated one.
    """
    joint_dof: list[int] = []
    joint_qpos: list[int] = []
    joint_range: list[tuple[float, float]] = []
    servos: list[NDArray[np.float64]] = []
    foot_body: list[int] = []
    points: list[NDArray[np.float64]] = []
    point_parameters: list[NDArray[np.float64]] = []
    counts = [0]
    for part in parts:
        parameters = part.robot.parameters
        first = len(joint_dof)
        for name, joint in parameters.joints.items():
            mj = model.joint(f"{part.namespace}/{name}")
            joint_dof.append(int(mj.dofadr[0]))
            joint_qpos.append(int(mj.qposadr[0]))
            joint_range.append((joint.lower, joint.upper))
            servos.append(servo_vector(parameters.servos[joint.servo], voltage_share, torque_share))
        part.joints = slice(first, len(joint_dof))
        for side, foot in parameters.feet.items():
            part.feet[side] = len(foot_body)
            foot_body.append(part.bodies[foot.link])
            rim = _points(foot.corners_in_foot, points_per_foot)
            T_body_foot = part.T_body_link[foot.link]
            points.extend(T_body_foot[:3, :3] @ point + T_body_foot[:3, 3] for point in rim)
            counts.append(len(points))
            vector = contact_vector(parameters.contact, part.robot.mass, len(rim))
            point_parameters.extend([vector] * len(rim))
    guard = np.flatnonzero(model.geom_conaffinity & model.geom("ground").contype)
    body_dof = [_last_dof(model, body) for body in range(model.nbody)]
    return Plant(
        model=model._address,
        row_start=model.M_rowadr.astype(np.int64),
        row_size=model.M_rownnz.astype(np.int64),
        column=model.M_colind.astype(np.int64),
        foot_body=np.array(foot_body, dtype=np.int64),
        foot_root=model.body_rootid[foot_body].astype(np.int64),
        foot_dof=np.array([body_dof[body] for body in foot_body], dtype=np.int64),
        foot_points=np.array(counts, dtype=np.int64),
        point_in_foot=np.array(points, dtype=float).reshape(-1, 3),
        point_parameters=np.array(point_parameters, dtype=float).reshape(-1, 6),
        joint_dof=np.array(joint_dof, dtype=np.int64),
        joint_qpos=np.array(joint_qpos, dtype=np.int64),
        joint_range=np.array(joint_range, dtype=float).reshape(-1, 2),
        servo_parameters=np.array(servos, dtype=float).reshape(-1, PARAMETER_SIZE),
        body_root=model.body_rootid.astype(np.int64),
        body_dof=np.array(body_dof, dtype=np.int64),
        guard_geom=guard.astype(np.int64),
        guard_reach=model.geom_rbound[guard].astype(float),
        guard_half=model.geom_aabb[guard, 3:].astype(float).reshape(-1, 3),
        crowded=things or len(parts) > 1,
    )


def _last_dof(model: mujoco.MjModel, body: int) -> int:
    """Last degree of freedom that moves a body; 0 for the world, which nothing moves."""
    while body and not model.body_dofnum[body]:
        body = int(model.body_parentid[body])
    return int(model.body_dofadr[body] + model.body_dofnum[body] - 1) if body else 0


def _points(corners: tuple[tuple[float, float, float], ...], count: int) -> list[NDArray[np.float64]]:
    """Contact points along the rim of a sole: its corners, and as many more, evenly, as asked for."""
    if not isinstance(count, int) or count < 4 or count % 4:
        raise RobotError(f"{count} contact points per foot: the rim has four sides. Ask for 4, 8, 12 or so.")
    per_side = count // 4
    rim = []
    for one, other in zip(corners, corners[1:] + corners[:1], strict=True):
        rim += [np.array(one) + step / per_side * np.subtract(other, one) for step in range(per_side)]
    return rim


def make_buffers(model: mujoco.MjModel, data: mujoco.MjData, plant: Plant) -> Buffers:
    """Views into MuJoCo's state, and the arrays of our own beside them."""
    joints, points = plant.joint_dof.size, plant.point_in_foot.shape[0]
    return Buffers(
        data=data._address,
        qpos=data.qpos,
        qvel=data.qvel,
        qacc=data.qacc,
        qacc_smooth=data.qacc_smooth,
        qacc_warmstart=data.qacc_warmstart,
        qfrc_smooth=data.qfrc_smooth,
        qfrc_bias=data.qfrc_bias,
        mass=data.M,
        cdof=data.cdof,
        cvel=data.cvel,
        subtree_com=data.subtree_com,
        xpos=data.xpos,
        xmat=data.xmat,
        geom_xpos=data.geom_xpos,
        geom_xmat=data.geom_xmat,
        servo_state=np.zeros((joints, STATE_SIZE)),
        target=np.zeros(joints),
        target_speed=np.zeros(joints),
        push=np.zeros((model.nbody, 9)),
        pushed=np.zeros(1 + model.nbody, dtype=np.int64),
        torque=np.zeros(joints),
        point_force=np.zeros((points, 3)),
        plain_mass=np.zeros(data.M.size),
        point_state=np.zeros((points, 9)),
        joint_state=np.zeros((joints, 4)),
        foot_active=np.zeros(plant.foot_body.size, dtype=np.bool_),
        chain=np.zeros((model.nv, 6)),
    )
