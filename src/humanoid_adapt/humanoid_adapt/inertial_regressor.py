"""What a motion says of a robot's masses: the wrench of the ground is linear in masses and first moments.

Seen from a foot that stands still, with origin p_i and axes R_i of link i, first moment s_i = m_i c_i, inertia I_i
about its origin, turning w_i, and gravity g against the upward direction u,

    F = sum_i m_i (p_i'' + g u) + R_i'' s_i
    M = sum_i p_i x [m_i (p_i'' + g u) + R_i'' s_i] + (R_i s_i) x (p_i'' + g u) + (R_i I_i R_i' w_i)'

At rest this is the static case: weight and centre of pressure.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.signal import savgol_filter

from humanoid_adapt.belief import Belief, Layout, Uncertainty
from humanoid_adapt.foot_frame import FootFrame
from humanoid_adapt.motion import Motion
from humanoid_adapt.static_cop import foot_cop
from humanoid_description import Robot, RobotError
from humanoid_description.inertial import GRAVITY

Array = NDArray[np.float64]
WINDOW = 0.5
"""s over which positions are smoothed to tell accelerations; motions must be slower."""
BLOCK = 0.25
"""s over which everything is averaged to one measurement."""
LOADED = 0.3
"""Share of the weight that a foot must carry to count as standing still."""
BOTH = 0.1
"""Share of the weight from which on a foot counts as one of two that carry."""
INSIDE = 0.004
"""m by which its centre of pressure must be inside its sole: a foot on its edge may roll."""
LOAD, LOAD_REACH = 0.3, 0.1
"""kg and m: scales of what may be found."""
SAYS_NOTHING = 0.05
"""Standard deviations by which a combination of measurements would change for all that may be found."""
FORCE_SD = 0.3
"""N, of the force on all feet in a block."""


@dataclass(frozen=True)
class WrenchRows:
    """Measurements of a motion: six per block, force (N) and moment (N m) about the foot that stands still."""

    name: str
    rows: Array
    """Derivatives with respect to the parameters, shape (6 blocks, parameters)."""
    values: Array
    """Measured less what the links' own turning takes."""
    noise: Array
    """Covariance, shape (6 blocks, 6 blocks)."""
    height: float
    """Of the centre of mass above the soles, m, on average."""

    def condensed(self, belief: Belief) -> tuple[Array, Array, Array]:
        """Rows, residuals and noise of the few combinations that tell anything, in units of their noise."""
        whiten = np.linalg.inv(np.linalg.cholesky(self.noise))
        rows, residual = whiten @ self.rows, whiten @ (self.values - self.rows @ belief.mean)
        scale = np.sqrt(np.diag(belief.covariance))
        scale[belief.layout.masses], scale[belief.layout.moments] = LOAD, LOAD * LOAD_REACH
        left, size, _ = np.linalg.svd(rows * scale, full_matrices=False)
        told = left[:, size > SAYS_NOTHING].T
        return told @ rows, told @ residual, np.eye(len(told))


class _SeenFromFoot:
    """Poses of all links over time in the frame of one foot, and how they change."""

    def __init__(self, robot: Robot, side: str, motion: Motion) -> None:
        self.frame = FootFrame(robot, side)
        poses = [self.frame.link_poses(angles) for angles in motion.position]
        rotations, origins = np.array([pose[0] for pose in poses]), np.array([pose[1] for pose in poses])
        self.rotations, self.origins = _change(motion.time, rotations, 0), _change(motion.time, origins, 0)
        self.rotations_dd, self.origins_dd = _change(motion.time, rotations, 2), _change(motion.time, origins, 2)
        spin = _change(motion.time, rotations, 1) @ self.rotations.swapaxes(-1, -2)
        turning = np.stack([spin[..., 2, 1], spin[..., 0, 2], spin[..., 1, 0]], axis=-1)
        inertia = np.array(
            [_about_origin(body.mass, body.com_in_link, body.inertia_about_com) for body in robot.inertials.values()]
        )
        momentum = np.einsum("tlij,ljk,tlmk,tlm->ti", self.rotations, inertia, self.rotations, turning)
        self.own_turning = _change(motion.time, momentum, 1)
        """Moment that the links' own turning takes, N m, shape (samples, 3)."""


def _about_origin(mass: float, com: Array, inertia_about_com: Array) -> Array:
    return np.asarray(inertia_about_com + mass * (com @ com * np.eye(3) - np.outer(com, com)))


def _change(time: Array, values: Array, order: int) -> Array:
    """Values smoothed over a window, or their first or second derivative."""
    step = float(np.median(np.diff(time)))
    length = min(2 * round(WINDOW / step / 2) + 1, time.size - (1 - time.size % 2))
    return np.asarray(savgol_filter(values, length, 3, deriv=order, delta=step, axis=0))


def wrench_rows(robot: Robot, motion: Motion, belief: Belief, uncertainty: Uncertainty) -> WrenchRows:
    """Everything that a motion says; RobotError if no foot ever stood still."""
    if motion.time[-1] - motion.time[0] < 2 * WINDOW:
        raise RobotError(f"motion {motion.name}: is shorter than {2 * WINDOW:g} s. Record a longer one.")
    layout = belief.layout
    still = {side: _stands_still(robot, motion, side) for side in motion.foot_force}
    seen = {side: _SeenFromFoot(robot, side, motion) for side in still if still[side].any()}
    rows, values, own_noise = [], [], []
    heights = []
    for begin in np.arange(motion.time[0], motion.time[-1] - BLOCK, BLOCK):
        block = (motion.time >= begin) & (motion.time < begin + BLOCK)
        chosen = next((side for side in seen if still[side][block].all()), None)
        if chosen is None or not block.any():
            continue
        found = [_at(seen, chosen, motion, int(index), layout) for index in np.flatnonzero(block)]
        rows.append(np.mean([row for row, _ in found], axis=0))
        values.append(np.mean([value for _, value in found], axis=0))
        frame, angles = seen[chosen].frame, motion.position[block].mean(axis=0)
        com, jacobian = frame.com(angles)
        by_joints = robot.mass * GRAVITY * np.array([jacobian[1], -jacobian[0]])
        rows[-1][3:5, layout.zeros] = -by_joints
        own_noise += [FORCE_SD**2] * 3 + [
            *((robot.mass * GRAVITY * uncertainty.cop) ** 2 + by_joints**2 @ _count_variance(robot)),
            (robot.mass * GRAVITY * uncertainty.cop) ** 2,
        ]
        heights.append(com[2] + frame.foot.depth)
    if not rows:
        raise RobotError(f"motion {motion.name}: no foot stood still on its sole in it. Move slower.")
    # All sensors together are off in scale: of what is expected, as what is measured would favour light robots.
    expected = np.concatenate(rows) @ belief.mean
    noise = np.diag(own_noise) + uncertainty.weight_share**2 * np.outer(expected, expected)
    return WrenchRows(motion.name, np.concatenate(rows), np.concatenate(values), noise, float(np.mean(heights)))


def _stands_still(robot: Robot, motion: Motion, side: str) -> NDArray[np.bool_]:
    """Whether a foot carries weight on its sole, for as long as accelerations are smoothed."""
    foot, force = robot.parameters.feet[side], motion.foot_force[side]
    step = float(np.median(np.diff(motion.time)))
    smooth = np.apply_along_axis(np.convolve, 0, force, np.full(10, 0.1), "same")
    total = np.sum([other[:, 2] for other in motion.foot_force.values()], axis=0)
    carries = smooth[:, 2] > LOADED * float(np.median(total))
    x, y = np.array(
        [foot_cop(foot, wrench) if heavy else (0.0, 0.0) for wrench, heavy in zip(smooth, carries, strict=True)]
    ).T
    ahead = (x < foot.front - INSIDE) & (x > INSIDE - foot.rear)
    # Two legs press against each other sideways: the edge of a foot may carry all, and yet it cannot roll.
    aside = ((y < foot.left - INSIDE) & (y > INSIDE - foot.right)) | (smooth[:, 2] < (1 - BOTH) * total)
    flat = ahead & aside
    half = math.ceil(WINDOW / 2 / step)
    bad = np.convolve(~(carries & flat), np.ones(2 * half + 1), "same") > 0
    bad[:half] = bad[-half:] = True  # the ends, where nothing is known of before or after
    return ~bad


def _at(seen: dict[str, _SeenFromFoot], side: str, motion: Motion, index: int, layout: Layout) -> tuple[Array, Array]:
    """Six rows, and measured values, of one sample."""
    view = seen[side]
    rotations, origins = view.rotations[index], view.origins[index]
    robot = view.frame.robot
    wrench, rows = np.zeros(6), np.zeros((6, layout.size))
    for other, forces in motion.foot_force.items():
        link = view.frame.links.index(robot.parameters.feet[other].link)
        force, torque = rotations[link] @ forces[index, :3], rotations[link] @ forces[index, 3:]
        wrench += np.concatenate([force, torque + np.cross(origins[link], force)])
        # A sensor that is off its place by x and y says so much of a moment too much.
        rows[3, layout.cop(other, 1)] = force[2]
        rows[4, layout.cop(other, 0)] = -force[2]
    lift = view.origins_dd[index] + GRAVITY * _up(view.frame, motion, index)
    rows[:3, layout.masses], rows[3:, layout.masses] = lift.T, np.cross(origins, lift).T
    by_moment = view.rotations_dd[index]
    columns = np.cross(origins[:, None], by_moment.swapaxes(1, 2)) + np.cross(rotations.swapaxes(1, 2), lift[:, None])
    rows[:3, layout.moments] = np.concatenate(list(by_moment), axis=1)
    rows[3:, layout.moments] = np.concatenate(list(columns.swapaxes(1, 2)), axis=1)
    wrench[3:] -= view.own_turning[index]
    return rows, wrench


def _up(frame: FootFrame, motion: Motion, index: int) -> Array:
    """Upwards in the frame of a foot: soft ground gives way on the side of the pressure."""
    robot, foot = frame.robot, frame.foot
    side = next(name for name, one in robot.parameters.feet.items() if one is foot)
    loads = {name: float(force[index, 2]) for name, force in motion.foot_force.items()}
    point = foot_cop(foot, motion.foot_force[side][index])
    both = min(loads.values()) > BOTH * sum(loads.values())
    sink = loads[side] / (2 * robot.parameters.contact.normal_stiffness)
    middle = np.array([(foot.front - foot.rear) / 2, (foot.left - foot.right) / 2])
    half = np.array([(foot.front + foot.rear) / 2, (foot.left + foot.right) / 2])
    tilt = sink / (2 * half) * np.clip((point - middle) / half, -1.0, 1.0)
    # Two feet side by side do not tilt sideways.
    return np.array([-tilt[0], 0.0 if both else -tilt[1], 1.0])


def _count_variance(robot: Robot) -> Array:
    """Variance of a joint angle that may be anywhere within its encoder's count, rad^2."""
    joints = robot.parameters.joints.values()
    return np.array([(robot.parameters.servos[joint.servo].resolution or 1e-4) ** 2 / 12.0 for joint in joints])
