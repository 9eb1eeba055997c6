"""Seed 000, section IV: a robot as one mass on a leg (LIPM, eqs 1-3) and as three masses (eqs 4-7), and when it falls.

The paper's axes: x up, y to the side, z forwards, from the support ankle.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from humanoid_description.inertial import GRAVITY

Array = NDArray[np.float64]


def lipm_acceleration(mass: float, length: float, offset: float, lift: float, moment: float) -> float:
    """Eq 1 solved for the horizontal acceleration, m/s^2; its l, lost in one scan, is where the units want it.

    Args:
        mass: m_pend, kg.
        length: l, m.
        offset: x_pend, m.
        lift: Vertical acceleration, m/s^2.
        moment: M_pend, N m.
    """
    return (mass * (GRAVITY + lift) * offset + moment) / (mass * length)


def lipm_force(mass: float, acceleration: float) -> float:
    """Eq 2: horizontal ground reaction force, N."""
    return mass * acceleration


def lipm_moment_change(length: float, force_change: float) -> float:
    """Eq 3: change of the ground reaction moment, N m, with that of the force, N."""
    return length * force_change


def three_mass_torques(masses: Array, positions: Array, accelerations: Array) -> tuple[float, float]:
    """Eqs 4 and 5: torques about z and y at the support ankle, N m.

    Args:
        masses: m1, m2, m3, kg.
        positions: x, y, z of each, m, shape (3, 3).
        accelerations: Of each, m/s^2, shape (3, 3).
    """
    x, y, z = positions.T
    x_dd, y_dd, z_dd = accelerations.T
    about_z = float(np.sum(masses * (x_dd + GRAVITY) * y) - np.sum(masses * y_dd * x))
    about_y = float(np.sum(masses * z_dd * x) - np.sum(masses * (x_dd + GRAVITY) * z))
    return about_z, about_y


def torque_free_residuals(masses: Array, positions: Array, accelerations: Array) -> tuple[float, float]:
    """Left less right side of eqs 6 and 7, N m: zero for a motion at constant height without ankle torque."""
    x, y, z = positions.T
    _, y_dd, z_dd = accelerations.T
    lateral = float(np.sum(masses * y_dd * x) - np.sum(masses * GRAVITY * y))
    sagittal = float(np.sum(masses * z_dd * x) - np.sum(masses * GRAVITY * z))
    return lateral, sagittal


def falling_angles(masses: Array, positions: Array, front: float, rear: float) -> tuple[float, float]:
    """Ankle angles forward and backward at which rigid masses tip over the foot, rad: the ankle torque reaches m g F.

    Only the common centre of mass counts, so one mass there and three masses around it fall at the same angles.

    Args:
        masses: kg.
        positions: x (up) and z (forwards) in the columns 0 and 2, from the ankle, m.
        front: F1, m.
        rear: F2, m.
    """
    up, _, forwards = masses @ positions / masses.sum()
    length, lean = math.hypot(up, forwards), math.atan2(forwards, up)
    return math.asin(front / length) - lean, math.asin(rear / length) + lean
