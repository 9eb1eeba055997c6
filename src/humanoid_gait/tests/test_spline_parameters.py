"""Parameters of the walk by splines."""

from __future__ import annotations

from dataclasses import replace

import pytest

from humanoid_description import RobotError, load_robot
from humanoid_gait.spline_parameters import default_parameters

PARAMETERS = default_parameters(load_robot("fibo_km"))


def test_the_defaults_put_the_centre_of_mass_over_the_middle_of_the_soles() -> None:
    robot = load_robot("fibo_km")
    com = robot.com_in_base(robot.parameters.stand)[0]
    assert PARAMETERS.hip_ahead + com == pytest.approx(0.5 * (0.035 - 0.095))
    assert PARAMETERS.stance == pytest.approx(0.085)


@pytest.mark.parametrize(
    "change",
    [{"double_support": 0.0}, {"highest": 0.6}, {"highest": 0.05}, {"lift": float("nan")}, {"stance": 0.0}],
)
def test_what_cannot_be_a_walk_is_refused(change: dict[str, float]) -> None:
    with pytest.raises(RobotError, match="must be"):
        replace(PARAMETERS, **change)
