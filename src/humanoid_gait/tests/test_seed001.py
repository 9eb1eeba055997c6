"""Figure 5 and the energy claim of seed 001."""

from __future__ import annotations

import numpy as np
import pytest

from humanoid_description import load_robot
from humanoid_gait.seed001 import ARM_INERTIA, MOTIONS, electrical_energies, figure_5, savings


def test_figure_5() -> None:
    figure = figure_5()
    assert figure.switch == pytest.approx(3.6)
    time, angle, speed = figure.time, np.degrees(figure.angle), np.degrees(figure.speed)
    # The example by hand: 20 to 30 deg/s in 0.6 s covers 15 degrees, 0.4 s at 30 deg/s the other 12.
    first = time < 3.6
    np.testing.assert_allclose(angle[first], 20 * (time[first] - 3) + 0.5 * (10 / 0.6) * (time[first] - 3) ** 2)
    np.testing.assert_allclose(angle[~first], 15 + 30 * (time[~first] - 3.6))
    np.testing.assert_allclose(speed[~first], 30)
    # Figure 5 b): no other switch needs less; later ones need more, earlier ones the same.
    least = ARM_INERTIA * np.radians(1) ** 2 * (30**2 - 20**2) / 2
    assert figure.work.min() == pytest.approx(least)
    np.testing.assert_allclose(figure.work[figure.switches <= 3.6], least)
    assert (np.diff(figure.work[figure.switches >= 3.6]) > 0).all()


def test_the_rule_saves_against_other_switches_but_not_against_smoother_ways() -> None:
    found = {saving.against: saving for saving in savings()}
    assert found["the worst switch"].example == pytest.approx(1 - 250 / (0.5 * (33.5**2 - 20**2)))
    assert found["the switch in the middle"].example == pytest.approx(0, abs=1e-9)
    assert found["the switch in the middle"].together > 0.13
    assert found["linear interpolation"].together < found["a cubic"].together < 0


@pytest.mark.parametrize("motion", ["arm forward, 2 s", "head aside, 0.6 s"])
def test_the_planner_needs_no_more_than_either_law(motion: str) -> None:
    duration, goal = MOTIONS[motion]
    robot = load_robot("fibo_km")
    energies = electrical_energies(robot, goal, duration)
    for path, _ in energies.values():
        for name, angle in goal.items():
            assert path.position[-1, robot.joint_names.index(name)] == pytest.approx(angle)
    assert energies["least_energy"][1] <= min(energies["cubic"][1], energies["two_interval"][1]) * (1 + 1e-3)
