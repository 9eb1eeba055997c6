"""Mass, centre of mass and inertia of a link: arithmetic, and the check that a rigid body can have them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from humanoid_description.errors import RobotError

GRAVITY = 9.81
"""m/s^2."""
# Rounding in URDF text may break the triangle inequality of a thin plate or rod by this share of its inertia.
TRIANGLE_TOLERANCE = 1e-9
LEAST_MASS = 1e-9
"""kg; MuJoCo and Gazebo take anything lighter for nothing."""
GREATEST_MASS = 1e6
"""kg; beyond it the arithmetic of a robot loses its digits."""
LEAST_MOMENT = 1e-14
"""kg m^2; the same."""


@dataclass(frozen=True, eq=False)
class Inertial:
    """Inertial parameters of one link, in the link's frame."""

    mass: float
    """kg."""
    com_in_link: NDArray[np.float64]
    """Centre of mass, m."""
    inertia_about_com: NDArray[np.float64]
    """3 x 3 inertia tensor about the centre of mass, along the link's axes, kg m^2."""

    def __post_init__(self) -> None:
        """Keep own copies that nobody can change; adding zero makes of -0.0 the 0.0 that it equals."""
        object.__setattr__(self, "mass", float(self.mass))
        for name in ("com_in_link", "inertia_about_com"):
            array = np.array(getattr(self, name), dtype=float) + 0.0
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    def __eq__(self, other: object) -> bool:
        """Equal to the last bit."""
        return isinstance(other, Inertial) and (
            self.mass == other.mass
            and np.array_equal(self.com_in_link, other.com_in_link)
            and np.array_equal(self.inertia_about_com, other.inertia_about_com)
        )

    def __hash__(self) -> int:
        """Agrees with equality."""
        return hash((self.mass, self.com_in_link.tobytes(), self.inertia_about_com.tobytes()))


def inertial(mass: float, com_in_link: ArrayLike, inertia_about_com: ArrayLike) -> Inertial:
    """Inertial from anything array-like; a vector of three is taken as the diagonal of the inertia."""
    tensor = np.asarray(inertia_about_com, dtype=float)
    return Inertial(mass, np.asarray(com_in_link, dtype=float), np.diag(tensor) if tensor.ndim == 1 else tensor)


def check_inertial(link: str, candidate: Inertial) -> None:
    """Raise RobotError unless a rigid body of positive mass can have these parameters."""
    com, tensor = candidate.com_in_link, candidate.inertia_about_com

    def refuse(problem: str, remedy: str) -> None:
        raise RobotError(f"inertial of {link}: {problem}. {remedy}")

    if not np.isfinite(candidate.mass) or not LEAST_MASS <= candidate.mass <= GREATEST_MASS:
        refuse(f"mass is {candidate.mass} kg", "A mass must be a finite number above zero, and below a million.")
    if com.shape != (3,) or not np.isfinite(com).all():
        refuse(f"centre of mass is {com.tolist()}", "It must be three finite numbers in metres.")
    if tensor.shape != (3, 3) or not np.isfinite(tensor).all():
        refuse("inertia is not a finite 3 x 3 tensor", "Give all six moments in kg m^2.")
    if not np.allclose(tensor, tensor.T, rtol=0.0, atol=TRIANGLE_TOLERANCE * abs(tensor).max()):
        refuse("inertia is not symmetric", "Ixy and Iyx, Ixz and Izx, Iyz and Izy must be equal.")
    least, middle, greatest = np.linalg.eigvalsh(tensor)
    if least < LEAST_MOMENT:
        refuse(f"a principal moment of inertia is {least:.3g} kg m^2", "All three must be above zero.")
    if least + middle < greatest * (1 - TRIANGLE_TOLERANCE):
        problem = f"principal moments {least:.4g}, {middle:.4g}, {greatest:.4g} kg m^2 break the triangle inequality"
        refuse(problem, "No body has a moment greater than the sum of the other two; check for a misprint.")


def with_point_mass(body: Inertial, mass: float, position_in_link: ArrayLike) -> Inertial:
    """The body with a point mass (kg) fixed to it at a position (m), by the parallel-axis theorem."""
    point = np.asarray(position_in_link, dtype=float)
    total = body.mass + mass
    with np.errstate(over="ignore", invalid="ignore"):  # a result that is not finite is check_inertial's to refuse
        com = (body.mass * body.com_in_link + mass * point) / total
        own, added = parallel_axis(body.com_in_link - com), parallel_axis(point - com)
        return Inertial(total, com, body.inertia_about_com + body.mass * own + mass * added)


def combined(bodies: Iterable[Inertial]) -> Inertial:
    """One rigid body made of several whose parameters are given in the same frame."""
    bodies = list(bodies)
    total = sum(body.mass for body in bodies)
    com = sum((body.mass * body.com_in_link for body in bodies), np.zeros(3)) / total
    tensor = sum(
        (body.inertia_about_com + body.mass * parallel_axis(body.com_in_link - com) for body in bodies),
        np.zeros((3, 3)),
    )
    return Inertial(total, com, tensor)


def moved(body: Inertial, T_frame_link: NDArray[np.float64]) -> Inertial:
    """The same body seen from another frame, given the 4 x 4 pose of its link there."""
    rotation = T_frame_link[:3, :3]
    return Inertial(
        body.mass,
        rotation @ body.com_in_link + T_frame_link[:3, 3],
        rotation @ body.inertia_about_com @ rotation.T,
    )


def parallel_axis(offset: NDArray[np.float64]) -> NDArray[np.float64]:
    """Inertia per unit mass, m^2, of a point at an offset (m) from the origin."""
    return float(offset @ offset) * np.eye(3) - np.outer(offset, offset)
