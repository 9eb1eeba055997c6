"""Arithmetic of inertial parameters, and the check that a body can have them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from humanoid_description.errors import RobotError
from humanoid_description.inertial import Inertial, check_inertial, combined, inertial, moved, with_point_mass

coordinate = st.floats(-0.5, 0.5)
point = st.tuples(coordinate, coordinate, coordinate)
mass = st.floats(0.01, 10)


@st.composite
def cloud(draw: st.DrawFn) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Point masses that do not all lie in one plane: a tetrahedron and what else is drawn."""
    corners = [(0.1, 0.0, 0.0), (0.0, 0.1, 0.0), (0.0, 0.0, 0.1), (0.0, 0.0, 0.0)]
    points = np.array(corners + draw(st.lists(point, max_size=4)))
    masses = np.array([draw(mass) for _ in points])
    return masses, points


def body_of(masses: NDArray[np.float64], points: NDArray[np.float64]) -> Inertial:
    """Inertial of point masses, straight from the definition."""
    com = masses @ points / masses.sum()
    r = points - com
    tensor = sum(m * ((x @ x) * np.eye(3) - np.outer(x, x)) for m, x in zip(masses, r, strict=True))
    return inertial(masses.sum(), com, tensor)


def assert_same(one: Inertial, other: Inertial) -> None:
    assert one.mass == pytest.approx(other.mass, rel=1e-12)
    np.testing.assert_allclose(one.com_in_link, other.com_in_link, rtol=0, atol=1e-12)
    np.testing.assert_allclose(one.inertia_about_com, other.inertia_about_com, rtol=0, atol=1e-11)


@given(cloud(), mass, point)
def test_adding_a_point_mass_is_adding_a_point_to_the_cloud(
    drawn: tuple[NDArray[np.float64], NDArray[np.float64]], extra: float, place: tuple[float, float, float]
) -> None:
    masses, points = drawn
    expected = body_of(np.append(masses, extra), np.vstack([points, place]))
    assert_same(with_point_mass(body_of(masses, points), extra, place), expected)


@given(cloud(), cloud())
def test_combined_bodies_are_one_cloud(
    one: tuple[NDArray[np.float64], NDArray[np.float64]], other: tuple[NDArray[np.float64], NDArray[np.float64]]
) -> None:
    whole = body_of(np.append(one[0], other[0]), np.vstack([one[1], other[1]]))
    assert_same(combined([body_of(*one), body_of(*other)]), whole)


@given(cloud(), point, st.floats(-3, 3))
def test_a_moved_body_is_its_moved_cloud(
    drawn: tuple[NDArray[np.float64], NDArray[np.float64]], offset: tuple[float, float, float], angle: float
) -> None:
    masses, points = drawn
    pose = np.eye(4)
    pose[:3, :3] = [[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]]
    pose[:3, 3] = offset
    assert_same(moved(body_of(masses, points), pose), body_of(masses, points @ pose[:3, :3].T + offset))


@given(cloud())
def test_every_cloud_of_masses_is_accepted(drawn: tuple[NDArray[np.float64], NDArray[np.float64]]) -> None:
    check_inertial("link", body_of(*drawn))


@given(cloud(), st.floats(1.001, 100))
def test_a_moment_above_the_sum_of_the_others_is_refused(
    drawn: tuple[NDArray[np.float64], NDArray[np.float64]], excess: float
) -> None:
    moments = np.linalg.eigvalsh(body_of(*drawn).inertia_about_com)
    moments[2] = excess * (moments[0] + moments[1])
    with pytest.raises(RobotError, match=r"triangle inequality.*misprint"):
        check_inertial("link", inertial(1.0, [0, 0, 0], moments))


@pytest.mark.parametrize(
    ("bad", "remedy"),
    [
        (inertial(-1, [0, 0, 0], [1, 1, 1]), "finite number above zero"),
        (inertial(0, [0, 0, 0], [1, 1, 1]), "finite number above zero"),
        (inertial(np.nan, [0, 0, 0], [1, 1, 1]), "finite number above zero"),
        (inertial(np.inf, [0, 0, 0], [1, 1, 1]), "finite number above zero"),
        (inertial(1, [0, np.nan, 0], [1, 1, 1]), "three finite numbers"),
        (inertial(1, [0, 0], [1, 1, 1]), "three finite numbers"),
        (inertial(1, [0, 0, 0], [1, np.inf, 1]), "six moments"),
        (inertial(1, [0, 0, 0], [1, 1, 0]), "above zero"),
        (inertial(1, [0, 0, 0], [1, 1, -1]), "above zero"),
        (inertial(1, [0, 0, 0], [[1, 0.5, 0], [0, 1, 0], [0, 0, 1]]), "must be equal"),
    ],
)
def test_what_no_body_can_have_is_refused_with_the_remedy(bad: Inertial, remedy: str) -> None:
    with pytest.raises(RobotError, match=rf"inertial of torso.*{remedy}"):
        check_inertial("torso", bad)


def test_a_thin_plate_is_a_body() -> None:
    check_inertial("plate", inertial(1, [0, 0, 0], [0.1, 0.2, 0.1 + 0.2]))
