"""The estimator, on tips whose truth is known and on a simulated robot seen only through a bag."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from humanoid_adapt.bag_log import BagLog
from humanoid_adapt.belief import Uncertainty, prior
from humanoid_adapt.estimator import (
    EARLY,
    Contradiction,
    com_of,
    estimate,
    learn_baseline,
    predicted_ramp_angle,
    refuse_if_worse,
)
from humanoid_adapt.limbs import as_array, ramp_vector
from humanoid_adapt.protocol import held_out, protocol
from humanoid_adapt.routine import Routine, Settings
from humanoid_adapt.simulated_body import SimulatedBody, run_tests
from humanoid_adapt.tip import Tip, tips_of
from humanoid_adapt.tipping import GRAVITY, Tipping
from humanoid_description import Robot, RobotError, load_robot
from humanoid_description.inertial import check_inertial

SD = np.full(20, 1e-5)


def exact_tips(truth: Robot, model: Robot, name: str = "12", early: bool = True) -> list[Tip]:
    """Tips of a robot as they are without any noise."""
    tipping, tips = Tipping(truth), []
    for test in protocol(model, name):
        start = as_array(model, test.waypoints[-1])
        ramp = ramp_vector(model, test.support_feet, test.direction)
        angle = tipping.ramp_angle(test, start)
        angle -= early * EARLY[test.support] / tipping.rate(test, start + angle * ramp)[1]
        angles = start + angle * ramp
        tips.append(Tip(test, 0.0, angles, SD, angles, truth.mass * GRAVITY))
    return tips


def test_exact_tips_give_the_centre_of_mass_and_the_place(fibo: Robot, loaded: Robot) -> None:
    found = estimate(fibo, exact_tips(loaded, fibo))
    error = found.com_in_base - loaded.com_in_base(fibo.parameters.stand)
    assert np.abs(error).max() < 1.5e-3
    assert (np.abs(error) < 3 * found.com_sd).all()
    assert (found.place, found.link) == ("left_arm", "left_forearm")
    assert found.payload_mass == pytest.approx(0.2, abs=0.05)
    np.testing.assert_allclose(found.robot.com_in_base({}), found.com_in_base, atol=1e-9)
    assert found.robot.mass == pytest.approx(found.mass)
    refuse_if_worse(found)
    for link, body in found.robot.inertials.items():
        check_inertial(link, body)


def test_a_load_of_a_fifth_of_the_robot_is_found_as_heavy_as_it_is(fibo: Robot) -> None:
    truth = load_robot("fibo_km", ["left_forearm:0.7:0,0,-0.03"])
    found = estimate(fibo, exact_tips(truth, fibo))
    assert found.link == "left_forearm"
    assert found.payload_mass == pytest.approx(0.7, abs=0.1)
    np.testing.assert_allclose(found.com_in_base, truth.com_in_base(fibo.parameters.stand), atol=2e-3)


def test_a_robot_like_its_drawing_stays_what_it_is(fibo: Robot) -> None:
    found = estimate(fibo, exact_tips(fibo, fibo))
    assert found.places["none"] > 0.1
    np.testing.assert_allclose(found.com_in_base, fibo.com_in_base({}), atol=5e-4)


def test_a_baseline_makes_the_estimate_surer(fibo: Robot, loaded: Robot) -> None:
    tips = exact_tips(loaded, fibo)
    tips_bare = exact_tips(fibo, fibo)
    alone, known = estimate(fibo, tips), estimate(fibo, tips, learn_baseline(fibo, tips_bare))
    bare = [com_of(fibo, belief)[1] for belief in (prior(fibo, Uncertainty()), learn_baseline(fibo, tips_bare))]
    assert (np.diag(bare[1]) < np.diag(bare[0])).all()
    assert known.places["left_arm"] >= alone.places["left_arm"] - 1e-3


@pytest.mark.parametrize("number", range(12))
@pytest.mark.parametrize("off", [0.06, -0.06])
def test_an_outlier_is_refused_with_its_reason(fibo: Robot, loaded: Robot, number: int, off: float) -> None:
    tips = exact_tips(loaded, fibo)
    bad = tips[number]
    ramp = ramp_vector(fibo, bad.test.support_feet, bad.test.direction)
    tips[number] = Tip(bad.test, 0.0, bad.angles - off * ramp, SD, bad.command, bad.weight)
    found = estimate(fibo, tips)
    assert "standard deviations" in found.refused[bad.test.name]
    assert np.abs(found.com_in_base - loaded.com_in_base({})).max() < 2e-3


def test_contradictory_and_too_few_tests_are_an_error(fibo: Robot, loaded: Robot) -> None:
    random = np.random.default_rng(0)
    tips = []
    for tip in exact_tips(loaded, fibo):
        ramp = ramp_vector(fibo, tip.test.support_feet, tip.test.direction)
        tips.append(Tip(tip.test, 0.0, tip.angles + 0.1 * random.choice([-1, 1]) * ramp, SD, tip.command, tip.weight))
    with pytest.raises(Contradiction, match="contradict"):
        estimate(fibo, tips)
    with pytest.raises(Contradiction, match="At least 2"):
        estimate(fibo, tips[:1], refused={"a": "test a: nobody fell."})


def test_a_model_that_predicts_worse_is_refused(fibo: Robot, loaded: Robot) -> None:
    import dataclasses

    found = estimate(fibo, exact_tips(loaded, fibo))
    turned = tuple(dataclasses.replace(r, before_deg=r.after_deg, after_deg=r.before_deg) for r in found.residuals)
    with pytest.raises(RobotError, match="not taken over"):
        refuse_if_worse(dataclasses.replace(found, residuals=turned))


def test_the_prior_predicts_the_drawings_tips(fibo: Robot) -> None:
    belief = prior(fibo, Uncertainty())
    for test in held_out(fibo):
        start = as_array(fibo, test.waypoints[-1])
        expected = Tipping(fibo).ramp_angle(test, start)
        assert predicted_ramp_angle(fibo, belief, test, start) == pytest.approx(expected, abs=1e-6)


def test_the_covariance_of_the_centre_of_mass_is_that_of_samples(fibo: Robot) -> None:
    belief = prior(fibo, Uncertainty())
    com, covariance, mass, _ = com_of(fibo, belief)
    np.testing.assert_allclose(com, fibo.com_in_base({}), atol=1e-9)
    assert mass == pytest.approx(fibo.mass)
    random = np.random.default_rng(0)
    layout, poses = belief.layout, fibo.poses({})
    drawn = random.multivariate_normal(belief.mean, belief.covariance, 4000)
    masses, moments = drawn[:, layout.masses], drawn[:, layout.moments].reshape(4000, -1, 3)
    pose = np.array([poses[link] for link in layout.links])
    coms = np.einsum("nij,knj->ki", pose[:, :3, :3], moments) + masses @ pose[:, :3, 3]
    np.testing.assert_allclose(np.cov((coms / masses.sum(axis=1, keepdims=True)).T), covariance, rtol=0.2, atol=1e-7)


def test_the_simulated_robot_is_found_from_its_bag(
    fibo: Robot, loaded: Robot, run: tuple[Routine, BagLog, Path]
) -> None:
    _, log, _ = run
    tips, refused = tips_of(log.assembler.recordings, fibo)
    assert refused == {}
    found = estimate(fibo, tips)
    error = found.com_in_base - loaded.com_in_base({})
    before = fibo.com_in_base({}) - loaded.com_in_base({})
    assert np.linalg.norm(error) < np.linalg.norm(before)
    assert (np.abs(error) < 3.5 * found.com_sd).all()
    assert found.place == "left_arm"


def test_it_needs_no_simulator(run: tuple[Routine, BagLog, Path]) -> None:
    """From the bag alone, in a process in which humanoid_sim cannot be imported: the same answer as live."""
    _, log, bag = run
    script = (
        "import sys; sys.modules['humanoid_sim'] = None\n"
        "from pathlib import Path\n"
        "from humanoid_adapt.assembler import recordings_from_bag\n"
        "from humanoid_adapt.estimator import estimate\n"
        "from humanoid_adapt.tip import tips_of\n"
        "from humanoid_description import load_robot\n"
        "robot = load_robot('fibo_km')\n"
        f"tips, refused = tips_of(recordings_from_bag(robot, Path({str(bag)!r})).recordings, robot)\n"
        "print(estimate(robot, tips).com_in_base.tobytes().hex())\n"
    )
    outcome = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert outcome.returncode == 0, outcome.stderr
    live = estimate(log.robot, tips_of(log.assembler.recordings, log.robot)[0])
    assert outcome.stdout.strip() == live.com_in_base.tobytes().hex()


def test_pressures_alone_give_the_centre_of_mass_without_any_fall(fibo: Robot, loaded: Robot) -> None:
    tests = protocol(fibo, "cop")[5:10]
    routine = run_tests(SimulatedBody(loaded, seed=3), fibo, tests, Settings(rest_seconds=0.5))
    assert routine.failures == {}
    tips, refused = tips_of(routine.recordings, fibo)
    assert refused == {}
    found = estimate(fibo, tips)
    error = found.com_in_base - loaded.com_in_base({})
    assert (np.abs(error) < 3.5 * found.com_sd).all()
    assert np.linalg.norm(error) < np.linalg.norm(fibo.com_in_base({}) - loaded.com_in_base({}))
    refuse_if_worse(found)
