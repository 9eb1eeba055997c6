"""Spring-damper contact of foot points with flat ground (seed 003, section 4.3), for any engine.

Table 2's units (N s/m) fit the law without the penetration factors of eqs 4 and 5. Two readings work:

- S1, ``linear``: normal force k z + b z' (eq 3) where the point is below ground, never below zero; tangential force
  -b_t v.
- S2, ``hunt_crossley``: k z^n + b z^n z' (eq 4) and -b_t z v (eq 5) as printed, with k, b and b_t scaled by powers of
  the depth to which the feet sink in single support, so that both readings agree there for every n. The paper's n is 1.

In both the tangential force is limited to mu times the normal force.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from humanoid_description.inertial import GRAVITY
from humanoid_description.parameters import Contact
from humanoid_sim.compiling import compiled

LAWS = ("linear", "hunt_crossley")
LINEAR = 0.0
# Places in a vector of parameters.
LAW, STIFFNESS, DAMPING, TANGENTIAL, FRICTION, EXPONENT = range(6)


def contact_vector(contact: Contact, mass: float, points: int) -> NDArray[np.float64]:
    """Parameters of one contact point as the compiled functions take them.

    Table 2 gives the values for four points. With another number of them each carries its share, so that the foot as a
    whole stays the same.

    Args:
        contact: Parameters of the robot, per point of a foot with four.
        mass: Of the robot, kg.
        points: Contact points per foot.
    """
    share, n = 4.0 / points, contact.exponent
    scale = (1.0, 1.0, 1.0)
    if contact.law == "hunt_crossley":
        depth = mass * GRAVITY / (4 * contact.normal_stiffness)
        scale = (depth ** (1.0 - n), depth**-n, depth**-1.0)
    return np.array(
        [
            float(LAWS.index(contact.law)),
            share * contact.normal_stiffness * scale[0],
            share * contact.normal_damping * scale[1],
            share * contact.tangential_damping * scale[2],
            contact.friction,
            n,
        ]
    )


@compiled
def point_law(parameters: NDArray[np.float64], i: int, depth: float, rate: float) -> tuple[float, float, float, float]:
    """Normal force of a point and its derivatives, before it is kept from pulling.

    Args:
        parameters: Of all points, a row of contact_vector each.
        i: Which point.
        depth: Below ground, m.
        rate: At which it grows, m/s.

    Returns:
        Normal force (N), its derivative by depth (N/m) and by rate (N s/m), and the tangential damping (N s/m).
    """
    if depth <= 0.0:
        return 0.0, 0.0, 0.0, 0.0
    stiffness, damping, tangential = parameters[i, STIFFNESS], parameters[i, DAMPING], parameters[i, TANGENTIAL]
    if parameters[i, LAW] == LINEAR:
        return stiffness * depth + damping * rate, stiffness, damping, tangential
    n = parameters[i, EXPONENT]
    power = depth**n
    force = (stiffness + damping * rate) * power
    return force, n * (stiffness + damping * rate) * power / depth, damping * power, tangential * depth


@compiled
def point_force(
    parameters: NDArray[np.float64], i: int, height: float, vx: float, vy: float, vz: float
) -> tuple[float, float, float]:
    """Force (N) on a point at a height (m) above ground that moves with a velocity (m/s), in world axes."""
    normal, _, _, tangential = point_law(parameters, i, -height, -vz)
    if normal <= 0.0:
        return 0.0, 0.0, 0.0
    fx, fy = -tangential * vx, -tangential * vy
    limit, size = parameters[i, FRICTION] * normal, np.hypot(fx, fy)
    if size > limit:
        fx, fy = fx * limit / size, fy * limit / size
    return fx, fy, normal


@compiled
def foot_wrench(
    parameters: NDArray[np.float64],
    points_in_foot: NDArray[np.float64],
    R_world_foot: NDArray[np.float64],
    foot_in_world: NDArray[np.float64],
    linear_velocity: NDArray[np.float64],
    angular_velocity: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Force (N) and torque (N m) of the ground on a foot, about the foot's origin, in world axes.

    Args:
        parameters: Of the points, a row of contact_vector each.
        points_in_foot: Contact points in the foot's frame, m, shape (points, 3).
        R_world_foot: Attitude of the foot.
        foot_in_world: Origin of the foot's frame, m.
        linear_velocity: Of the foot's origin in the world, m/s.
        angular_velocity: Of the foot in the world, rad/s.
    """
    wrench, r = np.zeros(6), np.zeros(3)
    for index in range(points_in_foot.shape[0]):
        for row in range(3):
            r[row] = 0.0
            for column in range(3):
                r[row] += R_world_foot[row, column] * points_in_foot[index, column]
        vx = linear_velocity[0] + angular_velocity[1] * r[2] - angular_velocity[2] * r[1]
        vy = linear_velocity[1] + angular_velocity[2] * r[0] - angular_velocity[0] * r[2]
        vz = linear_velocity[2] + angular_velocity[0] * r[1] - angular_velocity[1] * r[0]
        fx, fy, fz = point_force(parameters, index, foot_in_world[2] + r[2], vx, vy, vz)
        wrench[0] += fx
        wrench[1] += fy
        wrench[2] += fz
        wrench[3] += r[1] * fz - r[2] * fy
        wrench[4] += r[2] * fx - r[0] * fz
        wrench[5] += r[0] * fy - r[1] * fx
    return wrench
