"""What is believed of a robot."""

from __future__ import annotations

import numpy as np
import pytest

from humanoid_adapt.belief import COP_SECONDS, Uncertainty, prior
from humanoid_description import Robot, RobotError


def test_the_prior_is_the_drawing_with_its_spread(fibo: Robot) -> None:
    belief = prior(fibo, Uncertainty())
    layout = belief.layout
    assert belief.mean[layout.masses].sum() == pytest.approx(fibo.mass)
    torso = layout.links.index("torso")
    body = fibo.inertials["torso"]
    moments = belief.mean[layout.moments].reshape(-1, 3)[torso]
    np.testing.assert_allclose(moments, body.mass * body.com_in_link)
    assert np.sqrt(belief.covariance[torso, torso]) == pytest.approx(0.03 * body.mass)
    assert np.linalg.eigvalsh(belief.covariance).min() > 0


def test_a_measurement_narrows_and_an_exact_one_decides(fibo: Robot) -> None:
    belief = prior(fibo, Uncertainty())
    row = np.zeros((1, belief.layout.size))
    row[0, belief.layout.masses] = 1.0
    after = belief.observe(row, np.array([0.05]), np.array([[1e-12]]))
    assert after.mean[belief.layout.masses].sum() == pytest.approx(fibo.mass + 0.05, abs=1e-6)
    assert (np.diag(after.covariance) <= np.diag(belief.covariance) + 1e-15).all()
    assert np.linalg.eigvalsh(after.covariance).min() > -1e-12


def test_the_order_of_measurements_does_not_matter(fibo: Robot) -> None:
    belief = prior(fibo, Uncertainty())
    random = np.random.default_rng(0)
    rows, residual = random.normal(size=(2, belief.layout.size)), np.array([0.01, -0.02])
    noise = np.diag([1e-4, 2e-4])
    together = belief.observe(rows, residual, noise)
    first = belief.observe(rows[:1], residual[:1], noise[:1, :1])
    left = residual[1:] - rows[1:] @ (first.mean - belief.mean)
    second = first.observe(rows[1:], left, noise[1:, 1:])
    np.testing.assert_allclose(second.mean, together.mean, atol=1e-10)
    np.testing.assert_allclose(second.covariance, together.covariance, atol=1e-12)


def test_four_times_the_rest_halves_what_a_pressure_leaves_open() -> None:
    spread = Uncertainty()
    for feet in (1, 2):
        np.testing.assert_allclose(spread.cop_sd(feet, 2.0), spread.cop_sd(feet, 0.5) / 2)
    np.testing.assert_allclose(spread.cop_sd(2, COP_SECONDS), [spread.cop, spread.cop_sideways])


def test_a_spread_that_is_none_is_refused() -> None:
    with pytest.raises(RobotError, match="above zero"):
        Uncertainty(tip=0.0)
