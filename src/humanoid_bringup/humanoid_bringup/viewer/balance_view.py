"""What keeps a robot upright, computed from its state: forces, zero moment point, support polygon, masses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from humanoid_bringup.viewer.robot_state import RobotState
from humanoid_description.inertial import GRAVITY
from humanoid_description.support_polygon import support_polygon
from humanoid_description.three_mass import ThreeMass

Array = NDArray[np.float64]
LOADED = 0.05
"""Share of the weight from which a foot counts as on the ground."""


@dataclass(frozen=True)
class BalanceView:
    """Places in the world, m."""

    com: Array
    """Centre of mass of the newest model."""
    soles: Mapping[str, Array]
    """Corners of each sole, shape (4, 3)."""
    loads: Mapping[str, float]
    """Share of the weight on each foot."""
    forces: Mapping[str, tuple[Array, Array]]
    """Where the ground presses on each loaded foot, and its force in N."""
    zmp: Array | None
    """Measured, on the ground; None in the air."""
    support: Array
    """Corners of the support polygon in order, shape (n, 3); none in the air."""
    masses: ThreeMass | None
    """In base axes; None before both feet have spoken."""


def balance_view(state: RobotState) -> BalanceView | None:
    """The view of a robot, or None before its description has come."""
    if state.model is None:
        return None
    model = state.adapted or state.model
    T_world_base = state.base.T_world_base
    poses = model.kinematics.poses(state.posture)
    com = _placed(T_world_base, model.kinematics.com_in_base(state.posture))
    weight = model.mass * GRAVITY
    soles, loads, forces = {}, {}, {}
    for side, foot in state.feet.items():
        T_world_foot = T_world_base @ poses[foot.link]
        soles[side] = _placed(T_world_foot, model.sole(foot.link))
        loads[side] = float(foot.force[2] / weight)
        if loads[side] > LOADED:
            depth = -model.sole(foot.link)[0, 2]
            fx, fy, fz = foot.force
            # The sole lies below the origin of the link, to which the torque belongs.
            ahead = (-foot.torque[1] - depth * fx) / fz
            aside = (foot.torque[0] - depth * fy) / fz
            forces[side] = (
                _placed(T_world_foot, np.array([ahead, aside, -depth])),
                T_world_foot[:3, :3] @ foot.force,
            )
    links = {side: foot.link for side, foot in state.feet.items()}
    masses = model.three_masses(links, poses) if len(links) == 2 else None
    return BalanceView(com, soles, loads, forces, _zmp(forces), _support(soles, loads), masses)


def _placed(T: Array, points: Array) -> Array:
    return np.asarray(points @ T[:3, :3].T + T[:3, 3])


def _zmp(forces: Mapping[str, tuple[Array, Array]]) -> Array | None:
    vertical = sum(force[2] for _, force in forces.values())
    if not forces or vertical <= 0:
        return None
    return np.asarray(sum(force[2] * place for place, force in forces.values()) / vertical)


def _support(soles: Mapping[str, Array], loads: Mapping[str, float]) -> Array:
    corners = np.concatenate([np.zeros((0, 3)), *(soles[side] for side in soles if loads[side] > LOADED)])
    return support_polygon(corners)
