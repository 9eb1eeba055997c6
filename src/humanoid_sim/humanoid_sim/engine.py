"""One time step of the whole scene, compiled: MuJoCo's rigid bodies, our contact and servos, solved together.

The step is linearly implicit in what is stiff. With the velocity change dv = v' - v, the mass matrix M, bias forces c,
the points' Jacobian J, contact forces f and servo torques t at the start of the step,

    (M + h D_servo + J' diag(h C) J) dv = h (-c + J' f + t),      v' = v + dv,  q' = q + h v'

where D_servo and C are the derivatives of torque and force by velocity, weighted: the normal spring and damper fully,
friction of the ground and the servo's damper by half (more would add inertia to the joints), the servo's spring not at
all. With all weights zero this is the explicit step. The added terms couple only degrees of freedom that the tree of
bodies couples anyway, so they are added to MuJoCo's own sparse mass matrix; its constraint solver then works with the
same matrix, and joint limits, ball, obstacles and the body of a fallen robot are solved together with feet and servos.
"""

from __future__ import annotations

import ctypes
import math
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import mujoco
import numpy as np
from numba import types
from numpy.typing import NDArray

from humanoid_sim.compiling import compiled_loosely
from humanoid_sim.contact import FRICTION, point_law
from humanoid_sim.plant import (
    ACTIVE,
    BRAKE,
    DRAG,
    FULL,
    GAIN,
    NORMAL,
    RUB,
    RX,
    RY,
    RZ,
    TORQUE,
    VX,
    VY,
    Buffers,
    Plant,
)
from humanoid_sim.servo import LIMIT, servo_torque

LIBRARY = str(next(Path(mujoco.__file__).parent.glob("libmujoco.so*")))
llvm.load_library_permanently(LIBRARY)
# MuJoCo's Python package lets its functions time themselves, which takes as long as the shorter of them.
ctypes.c_void_p.in_dll(ctypes.CDLL(LIBRARY), "mjcb_time").value = None


def _c_function(name: str, *more: Any) -> Any:
    """A function of MuJoCo, of model, data and more; called by name, so that compiled code can be kept on disk."""
    return types.ExternalFunction(name, types.void(types.intp, types.intp, *more))


_mj_kinematics = _c_function("mj_kinematics")
_mj_com_pos = _c_function("mj_comPos")
_mj_make_m = _c_function("mj_makeM")
_mj_com_vel = _c_function("mj_comVel")
_mj_factor_m = _c_function("mj_factorM")
_mj_collision = _c_function("mj_collision")
_mj_make_constraint = _c_function("mj_makeConstraint")
_mj_project_constraint = _c_function("mj_projectConstraint")
_mj_reference_constraint = _c_function("mj_referenceConstraint")
_mj_fwd_constraint = _c_function("mj_fwdConstraint")
_mj_rne = _c_function("mj_rne", types.int32, types.intp)
_mj_solve_m = _c_function("mj_solveM", types.intp, types.intp, types.int32)
_mj_integrate_pos = _c_function("mj_integratePos", types.intp, types.float64)

# Weights of the implicit terms: contact spring and damper, ground friction, servo spring and damper, servo friction.
IMPLICIT = np.array([1.0, 1.0, 0.5, 0.0, 0.5, 1.0])
EXPLICIT = np.zeros(6)
MAX_SOLVES = 8
"""Solves per step, at most, until no point pulls or slides beyond its limit and no servo exceeds its torque."""
GUARD = 0.005
"""How near to the ground (m) or to a joint's limit (rad) MuJoCo's constraints are asked."""

Array = NDArray[np.float64]


@compiled_loosely
def _copy(target: Array, source: Array) -> None:
    """Copy element by element: numba spends half a microsecond on an assignment of slices."""
    for i in range(target.size):
        target[i] = source[i]


@compiled_loosely
def _measure_points(plant: Plant, b: Buffers, weights: Array, h: float) -> None:
    """Where the points are, how they move, and the law at that state."""
    state = b.point_state
    for foot in range(plant.foot_body.size):
        body, root = plant.foot_body[foot], plant.foot_root[foot]
        b.foot_active[foot] = False
        for i in range(plant.foot_points[foot], plant.foot_points[foot + 1]):
            px, py, pz = plant.point_in_foot[i, 0], plant.point_in_foot[i, 1], plant.point_in_foot[i, 2]
            z = b.xpos[body, 2] + b.xmat[body, 6] * px + b.xmat[body, 7] * py + b.xmat[body, 8] * pz
            state[i, ACTIVE] = 0.0
            if z >= 0.0:
                continue
            rx = b.xpos[body, 0] + b.xmat[body, 0] * px + b.xmat[body, 1] * py + b.xmat[body, 2] * pz
            ry = b.xpos[body, 1] + b.xmat[body, 3] * px + b.xmat[body, 4] * py + b.xmat[body, 5] * pz
            rx, ry, rz = rx - b.subtree_com[root, 0], ry - b.subtree_com[root, 1], z - b.subtree_com[root, 2]
            wx, wy, wz = b.cvel[body, 0], b.cvel[body, 1], b.cvel[body, 2]
            vz = b.cvel[body, 5] + wx * ry - wy * rx
            force, stiffness, damping, tangential = point_law(plant.point_parameters, i, -z, -vz)
            # Hunt-Crossley gets softer with depth where the point leaves fast; implicitly, that would make energy.
            stiffness = max(stiffness, 0.0)
            state[i, RX], state[i, RY], state[i, RZ] = rx, ry, rz
            state[i, VX] = b.cvel[body, 3] + wy * rz - wz * ry
            state[i, VY] = b.cvel[body, 4] + wz * rx - wx * rz
            state[i, NORMAL] = force - weights[0] * h * stiffness * vz
            state[i, GAIN] = weights[1] * damping + weights[0] * h * stiffness
            state[i, DRAG] = tangential
            # Explicit: the law itself says whether the point would pull.
            if weights[1] != 0.0 or state[i, NORMAL] > 0.0:
                state[i, ACTIVE] = 1.0
                b.foot_active[foot] = True


@compiled_loosely
def _add_foot(plant: Plant, b: Buffers, foot: int, weights: Array, h: float) -> None:
    """Add the forces of a foot's active points to the right side, and their derivatives to the matrix.

    W = sum of G' diag(dt, dt, dn) G, for the G that maps a twist (rotation, translation) to a point's velocity; written
    out in scalars, as numba cannot know that arrays do not overlap.
    """
    state = b.point_state
    t0 = t1 = t2 = f0 = f1 = f2 = 0.0
    w00 = w01 = w02 = w11 = w12 = w22 = w04 = w05 = w13 = w15 = w23 = w24 = w33 = w55 = 0.0
    for i in range(plant.foot_points[foot], plant.foot_points[foot + 1]):
        if state[i, ACTIVE] == 0.0:
            continue
        rx, ry, rz = state[i, RX], state[i, RY], state[i, RZ]
        fx, fy, fz = -state[i, DRAG] * state[i, VX], -state[i, DRAG] * state[i, VY], state[i, NORMAL]
        t0 += ry * fz - rz * fy
        t1 += rz * fx - rx * fz
        t2 += rx * fy - ry * fx
        f0 += fx
        f1 += fy
        f2 += fz
        dt, dn = h * weights[2] * state[i, DRAG], h * state[i, GAIN]
        w00 += dn * ry * ry + dt * rz * rz
        w11 += dn * rx * rx + dt * rz * rz
        w22 += dt * (rx * rx + ry * ry)
        w01 -= dn * rx * ry
        w02 -= dt * rx * rz
        w12 -= dt * ry * rz
        w04 -= dt * rz
        w05 += dn * ry
        w13 += dt * rz
        w15 -= dn * rx
        w23 -= dt * ry
        w24 += dt * rx
        w33 += dt
        w55 += dn
    last, chain = plant.foot_dof[foot], b.chain
    start = plant.row_start[last]
    for n in range(plant.row_size[last]):
        dof = plant.column[start + n]
        s0, s1, s2 = b.cdof[dof, 0], b.cdof[dof, 1], b.cdof[dof, 2]
        s3, s4, s5 = b.cdof[dof, 3], b.cdof[dof, 4], b.cdof[dof, 5]
        chain[n, 0], chain[n, 1], chain[n, 2], chain[n, 3], chain[n, 4], chain[n, 5] = s0, s1, s2, s3, s4, s5
        b.qfrc_smooth[dof] += s0 * t0 + s1 * t1 + s2 * t2 + s3 * f0 + s4 * f1 + s5 * f2
        if weights[1] == 0.0:
            continue
        v0 = w00 * s0 + w01 * s1 + w02 * s2 + w04 * s4 + w05 * s5
        v1 = w01 * s0 + w11 * s1 + w12 * s2 + w13 * s3 + w15 * s5
        v2 = w02 * s0 + w12 * s1 + w22 * s2 + w23 * s3 + w24 * s4
        v3 = w13 * s1 + w23 * s2 + w33 * s3
        v4 = w04 * s0 + w24 * s2 + w33 * s4
        v5 = w05 * s0 + w15 * s1 + w55 * s5
        # The row of this degree of freedom is the beginning of the chain.
        row = plant.row_start[dof]
        for c in range(n + 1):
            b.mass[row + c] += (
                v0 * chain[c, 0]
                + v1 * chain[c, 1]
                + v2 * chain[c, 2]
                + v3 * chain[c, 3]
                + v4 * chain[c, 4]
                + v5 * chain[c, 5]
            )


@compiled_loosely
def _correct_points(plant: Plant, b: Buffers, weights: Array, h: float) -> bool:
    """Release points that would pull and weaken friction beyond its limit; returns whether anything had to change."""
    changed = False
    state, force = b.point_state, b.point_force
    for foot in range(plant.foot_body.size):
        w0 = w1 = w2 = u0 = u1 = u2 = 0.0  # change of the foot's twist: rotation, translation
        if b.foot_active[foot]:
            last = plant.foot_dof[foot]
            for n in range(plant.row_start[last], plant.row_start[last] + plant.row_size[last]):
                dof = plant.column[n]
                change = h * b.qacc[dof]
                w0 += b.cdof[dof, 0] * change
                w1 += b.cdof[dof, 1] * change
                w2 += b.cdof[dof, 2] * change
                u0 += b.cdof[dof, 3] * change
                u1 += b.cdof[dof, 4] * change
                u2 += b.cdof[dof, 5] * change
        for i in range(plant.foot_points[foot], plant.foot_points[foot + 1]):
            if state[i, ACTIVE] == 0.0:
                force[i, 0] = force[i, 1] = force[i, 2] = 0.0
                continue
            rx, ry, rz = state[i, RX], state[i, RY], state[i, RZ]
            normal = state[i, NORMAL] - state[i, GAIN] * (u2 + w0 * ry - w1 * rx)
            if normal < 0.0:
                state[i, ACTIVE] = 0.0
                changed = True
                continue
            vx = state[i, VX] + weights[2] * (u0 + w1 * rz - w2 * ry)
            vy = state[i, VY] + weights[2] * (u1 + w2 * rx - w0 * rz)
            speed = math.sqrt(vx * vx + vy * vy)
            limit = plant.point_parameters[i, FRICTION] * normal
            if state[i, DRAG] * speed > limit * (1.0 + 1e-6):
                state[i, DRAG] = limit / speed
                changed = True
            force[i, 0], force[i, 1], force[i, 2] = -state[i, DRAG] * vx, -state[i, DRAG] * vy, normal
    return changed


@compiled_loosely
def _measure_servos(plant: Plant, b: Buffers, weights: Array, h: float) -> None:
    parameters, servo_state, state = plant.servo_parameters, b.servo_state, b.joint_state
    for j in range(plant.joint_dof.size):
        q, v = b.qpos[plant.joint_qpos[j]], b.qvel[plant.joint_dof[j]]
        torque, stiffness, damping, friction = servo_torque(
            parameters, servo_state, j, q, v, b.target[j], b.target_speed[j], h
        )
        state[j, TORQUE] = torque + friction * v - weights[3] * h * stiffness * v
        state[j, BRAKE] = weights[4] * damping + weights[3] * h * stiffness
        state[j, FULL] = 0.0
        state[j, RUB] = friction


@compiled_loosely
def _correct_servos(plant: Plant, b: Buffers, weights: Array, h: float) -> bool:
    """Hold servos at their torque limit where the step would take them beyond it."""
    changed = False
    state = b.joint_state
    for j in range(plant.joint_dof.size):
        dof = plant.joint_dof[j]
        change = h * b.qacc[dof]
        driven = state[j, TORQUE] - state[j, BRAKE] * change
        b.torque[j] = driven - state[j, RUB] * (b.qvel[dof] + weights[5] * change)
        limit = plant.servo_parameters[j, LIMIT]
        if abs(driven) > limit * (1.0 + 1e-9) and state[j, FULL] == 0.0:
            state[j, TORQUE], state[j, BRAKE], state[j, FULL] = math.copysign(limit, driven), 0.0, 1.0
            changed = True
    return changed


@compiled_loosely
def _constraints_near(plant: Plant, b: Buffers) -> bool:
    """Whether anything but feet may touch, or a joint is at its limit; if not, MuJoCo need not be asked."""
    if plant.crowded:
        return True
    for i in range(plant.guard_geom.size):
        geom = plant.guard_geom[i]
        if b.geom_xpos[geom, 2] - plant.guard_reach[i] < GUARD:
            reach = 0.0
            for k in range(3):
                reach += abs(b.geom_xmat[geom, 6 + k]) * plant.guard_half[i, k]
            if b.geom_xpos[geom, 2] - reach < GUARD:
                return True
    for j in range(plant.joint_dof.size):
        q = b.qpos[plant.joint_qpos[j]]
        if q < plant.joint_range[j, 0] + GUARD or q > plant.joint_range[j, 1] - GUARD:
            return True
    return False


@compiled_loosely
def _assemble_and_solve(plant: Plant, b: Buffers, weights: Array, h: float, constrained: bool) -> None:
    """Accelerations with the present set of active points and limits; the mass matrix comes without implicit terms."""
    for i in range(b.qfrc_smooth.size):
        b.qfrc_smooth[i] = -b.qfrc_bias[i]
    for j in range(plant.joint_dof.size):
        dof = plant.joint_dof[j]
        rub = b.joint_state[j, RUB]
        b.qfrc_smooth[dof] += b.joint_state[j, TORQUE] - rub * b.qvel[dof]
        b.mass[plant.row_start[dof] + plant.row_size[dof] - 1] += h * (b.joint_state[j, BRAKE] + weights[5] * rub)
    for index in range(b.pushed[0]):
        body = b.pushed[1 + index]
        f, R, root, last = b.push[body], b.xmat[body], plant.body_root[body], plant.body_dof[body]
        rx = b.xpos[body, 0] + R[0] * f[6] + R[1] * f[7] + R[2] * f[8] - b.subtree_com[root, 0]
        ry = b.xpos[body, 1] + R[3] * f[6] + R[4] * f[7] + R[5] * f[8] - b.subtree_com[root, 1]
        rz = b.xpos[body, 2] + R[6] * f[6] + R[7] * f[7] + R[8] * f[8] - b.subtree_com[root, 2]
        for a in range(plant.row_size[last]):
            dof = plant.column[plant.row_start[last] + a]
            S = b.cdof[dof]
            b.qfrc_smooth[dof] += (
                S[0] * (f[3] + ry * f[2] - rz * f[1])
                + S[1] * (f[4] + rz * f[0] - rx * f[2])
                + S[2] * (f[5] + rx * f[1] - ry * f[0])
                + S[3] * f[0]
                + S[4] * f[1]
                + S[5] * f[2]
            )
    for foot in range(plant.foot_body.size):
        if b.foot_active[foot]:
            _add_foot(plant, b, foot, weights, h)
    _mj_factor_m(plant.model, b.data)
    _mj_solve_m(plant.model, b.data, b.qacc_smooth.ctypes.data, b.qfrc_smooth.ctypes.data, 1)
    if constrained:
        _mj_project_constraint(plant.model, b.data)
        _mj_reference_constraint(plant.model, b.data)
        _mj_fwd_constraint(plant.model, b.data)
    else:
        _copy(b.qacc, b.qacc_smooth)


@compiled_loosely
def advance(plant: Plant, b: Buffers, weights: Array, h: float) -> None:
    """Advance the scene by one step of h seconds."""
    _mj_kinematics(plant.model, b.data)
    _mj_com_pos(plant.model, b.data)
    _mj_make_m(plant.model, b.data)
    _copy(b.plain_mass, b.mass)
    _mj_com_vel(plant.model, b.data)
    _mj_rne(plant.model, b.data, 0, b.qfrc_bias.ctypes.data)
    _measure_servos(plant, b, weights, h)
    _measure_points(plant, b, weights, h)
    constrained = _constraints_near(plant, b)
    if constrained:
        _mj_collision(plant.model, b.data)
        _mj_make_constraint(plant.model, b.data)
    for _ in range(MAX_SOLVES):
        _assemble_and_solve(plant, b, weights, h, constrained)
        points_changed = _correct_points(plant, b, weights, h)
        servos_changed = _correct_servos(plant, b, weights, h)
        if not (points_changed or servos_changed):
            break
        _copy(b.mass, b.plain_mass)
    for i in range(b.qvel.size):
        b.qvel[i] += h * b.qacc[i]
        b.qacc_warmstart[i] = b.qacc[i]
    _mj_integrate_pos(plant.model, b.qpos.ctypes.data, b.qvel.ctypes.data, h)


@compiled_loosely
def advance_many(
    plant: Plant, b: Buffers, weights: Array, h: float, steps: int, targets: Array, target_speeds: Array, trace: Array
) -> int:
    """Advance along precomputed references, one row per step, and note qpos and torque after each.

    Args:
        plant: The scene.
        b: Its state.
        weights: IMPLICIT or EXPLICIT.
        h: Step, s.
        steps: How many.
        targets: Joint angles, rad, shape (steps, joints).
        target_speeds: Joint speeds, rad/s, shape (steps, joints).
        trace: Filled with qpos and servo torques, shape (steps, nq + joints); may have no rows.

    Returns:
        Steps done: fewer than asked for if the state stopped being finite.
    """
    nq = b.qpos.size
    for i in range(steps):
        for j in range(b.target.size):
            b.target[j], b.target_speed[j] = targets[i, j], target_speeds[i, j]
        advance(plant, b, weights, h)
        if trace.shape[0] > i:
            for j in range(nq):
                trace[i, j] = b.qpos[j]
            for j in range(b.torque.size):
                trace[i, nq + j] = b.torque[j]
        if not np.isfinite(b.qvel[0]):
            return i
    return steps
