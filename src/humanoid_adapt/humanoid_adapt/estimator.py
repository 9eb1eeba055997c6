"""The adapted model of a robot from fall tests and motions: its masses with their uncertainty, and where a load is."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import block_diag

from humanoid_adapt.belief import Belief, Uncertainty, prior
from humanoid_adapt.compliance import ServoFit, identify
from humanoid_adapt.fall_test import FallTest
from humanoid_adapt.inertial_regressor import WrenchRows, wrench_rows
from humanoid_adapt.limbs import ramp_vector, segments
from humanoid_adapt.motion import Motion
from humanoid_adapt.payload_search import Hypothesis, search
from humanoid_adapt.residuals import TestResidual, motion_residual, tip_residuals
from humanoid_adapt.static_cop import cop_rows
from humanoid_adapt.tip import EARLY, Tip
from humanoid_adapt.tipping import Tipping
from humanoid_description import Inertial, Robot, RobotError
from humanoid_description.inertial import GRAVITY, with_point_mass

Array = NDArray[np.float64]
OUTLIER = 4.0
"""Standard deviations by which a test may differ from what all others say."""
LEAST_TESTS = 2


class Contradiction(RobotError):
    """The tests do not fit together; the model stays as it was."""


@dataclass(frozen=True)
class Adaptation:
    """The result of an estimate."""

    robot: Robot
    """With adapted inertials."""
    com_in_base: Array
    """Centre of mass in the standing posture, m."""
    com_covariance: Array
    """m^2."""
    com_before: Array
    """m."""
    place: str
    """Segment that most probably carries a load, or 'none'."""
    places: Mapping[str, float]
    """Probability of each segment, and of 'none'."""
    link: str | None
    """Link that most probably carries it."""
    payload_mass: float
    """kg, if there is one."""
    payload_mass_sd: float
    payload_position: Array
    """In the link's frame, m."""
    mass: float
    """Total, kg."""
    mass_sd: float
    residuals: tuple[TestResidual, ...]
    refused: Mapping[str, str]
    """Tests that were not used, and why."""
    servos: Mapping[str, ServoFit]
    """Compliance of each kind of servo, where the tests show it."""
    belief: Belief
    """Of the parameters, load included in its link: the start of the next estimate."""
    seconds: float
    """Time that the estimate took."""

    @property
    def com_sd(self) -> Array:
        """Standard deviation of the centre of mass, m."""
        return np.sqrt(np.diag(self.com_covariance))


def measurements(
    robot: Robot, tips: Sequence[Tip], belief: Belief, uncertainty: Uncertainty, motions: Sequence[WrenchRows] = ()
) -> tuple[Array, Array, Array]:
    """Rows, residuals and noise of tips, in kg m, and of the weight on the feet, in kg, where it was measured.

    Those of motions, in units of their noise, come last.
    """
    tipping, layout = Tipping(robot), belief.layout
    rows, residual, noise = [], [], []
    for tip in tips:
        if tip.test.falls:
            row = tipping.row(tip.test, tip.angles)
            full = layout.tip(row, robot.mass)
            rows.append(full)
            residual.append(-float(full @ belief.mean) - robot.mass * EARLY[tip.test.support])
            own_sd = uncertainty.tip if len(tip.test.support_feet) > 1 else uncertainty.tip_one_foot
            place = robot.mass**2 * (own_sd**2 + tip.more_sd**2)
            noise.append(place + float(np.sum((row.joints * tip.angle_sd) ** 2)))
        if tip.cop is not None:
            pair, by_joints = cop_rows(tipping.frames, layout, tip.cop)
            cop_sd = uncertainty.cop_sd(len(tip.cop.shares), tip.cop.seconds)
            rows += list(pair)
            residual += (-pair @ belief.mean).tolist()
            noise += ((robot.mass * cop_sd) ** 2 + np.sum((by_joints * tip.cop.angle_sd) ** 2, axis=1)).tolist()
    weights = [tip.weight / GRAVITY for tip in tips if tip.weight is not None]
    if weights:
        total = np.zeros(layout.size)
        total[layout.masses] = 1.0
        rows.append(total)
        residual.append(float(np.mean(weights)) - float(total @ belief.mean))
        noise.append((robot.mass * uncertainty.weight_share) ** 2)
    own = (np.array(rows).reshape(-1, layout.size), np.array(residual), np.diag(noise))
    parts = [own, *(motion.condensed(belief) for motion in motions)]
    return (
        np.concatenate([part[0] for part in parts]),
        np.concatenate([part[1] for part in parts]),
        block_diag(*(part[2] for part in parts if part[2].size)),
    )


def learn_baseline(robot: Robot, tips: Sequence[Tip], uncertainty: Uncertainty | None = None) -> Belief:
    """Belief after tests of which it is known that the robot carried no load."""
    uncertainty = uncertainty or Uncertainty()
    belief = prior(robot, uncertainty)
    return belief.observe(*measurements(robot, tips, belief, uncertainty))


def estimate(
    robot: Robot,
    tips: Sequence[Tip],
    belief: Belief | None = None,
    uncertainty: Uncertainty | None = None,
    refused: Mapping[str, str] | None = None,
    motions: Sequence[Motion] = (),
    in_force: Robot | None = None,
) -> Adaptation:
    """Adapt a robot to tests and other motions.

    Args:
        robot: As it is drawn, with which the estimate begins.
        tips: What the tests say.
        belief: What is believed of it before; from the description if not given.
        uncertainty: Of description and tests.
        refused: Tests that were refused already, with the reason, to be passed on.
        motions: Recorded on feet with force sensors; with one of them no test is needed.
        in_force: The model so far, with which the new one is compared; the drawing if not given.
    """
    started = time.perf_counter()
    uncertainty = uncertainty or Uncertainty()
    belief = belief or prior(robot, uncertainty)
    refused = dict(refused or {})
    used = list(tips)
    moved = [wrench_rows(robot, motion, belief, uncertainty) for motion in motions]
    while True:
        if len(used) < LEAST_TESTS and not moved:
            reasons = " ".join(refused.values())
            raise Contradiction(f"adapt: {len(used)} usable tests. At least {LEAST_TESTS} are needed. {reasons}")
        rows, residual, noise = measurements(robot, used, belief, uncertainty, moved)
        hypotheses = search(robot, belief, rows, residual, noise)
        scores = _by_test(used, _scores(hypotheses[0], belief, rows, residual, noise))
        worst = int(np.argmax(np.abs(scores))) if used else -1
        if not used or abs(scores[worst]) <= OUTLIER:
            break
        name = used[worst].test.name
        refused[name] = f"test {name}: differs by {abs(scores[worst]):.1f} standard deviations from what the others say"
        used.pop(worst)
        if len(used) < 2 * len(tips) / 3:
            raise Contradiction(f"adapt: the tests contradict each other: {'; '.join(refused.values())}. Repeat them.")
    before = in_force or robot
    found = _adaptation(robot, before, used, hypotheses, scores, belief, rows, refused, started)
    told = tuple(motion_residual(before, found.robot, belief.layout, one) for one in moved)
    return dataclasses.replace(found, residuals=found.residuals + told, seconds=time.perf_counter() - started)


def _by_test(tips: Sequence[Tip], scores: Array) -> Array:
    """Score of each test: that of its tip, or of the worse of two for the pressure under a robot that did not fall."""
    found, first = [], 0
    for tip in tips:
        count = tip.test.falls + (0 if tip.cop is None else 2)
        own = scores[first : first + (1 if tip.test.falls else count)]
        found.append(own[np.argmax(np.abs(own))])
        first += count
    return np.array(found)


def _scores(best: Hypothesis, belief: Belief, rows: Array, residual: Array, noise: Array) -> Array:
    """Difference of each measurement from what all others predict, in standard deviations."""
    by_place = np.zeros((len(rows), 3))
    left = residual
    spread = rows @ belief.covariance @ rows.T + noise
    if best.link is not None:
        index = belief.layout.links.index(best.link)
        by_place = best.mass * rows[:, belief.layout.moments].reshape(len(rows), -1, 3)[:, index]
        left = residual - best.mass * rows[:, index] - by_place @ best.position
        # The place was fitted to the tests: leave it as free as it was.
        spread = spread + by_place @ np.eye(3) @ by_place.T
    inverse = np.linalg.inv(spread)
    return np.asarray(inverse @ left / np.sqrt(np.diag(inverse)))


def _adaptation(
    robot: Robot,
    before: Robot,
    used: Sequence[Tip],
    hypotheses: Sequence[Hypothesis],
    scores: Array,
    belief: Belief,
    rows: Array,
    refused: Mapping[str, str],
    started: float,
) -> Adaptation:
    posterior = mixture(hypotheses, belief, rows)
    changed = link_inertials(robot, hypotheses, posterior)
    adapted = robot.with_inertials(changed)
    com, com_covariance, mass, mass_sd = com_of(robot, posterior)
    by_link: dict[str | None, float] = {}
    for hypothesis in hypotheses:
        by_link[hypothesis.link] = by_link.get(hypothesis.link, 0.0) + hypothesis.weight
    places = {name: sum(by_link.get(link, 0.0) for link in links) for name, links in segments(robot).items()}
    places["none"] = by_link.get(None, 0.0)
    place = max(places, key=lambda name: places[name])
    members = segments(robot).get(place, (None,))
    link = max(members, key=lambda name: by_link.get(name, 0.0))
    own = [hypothesis for hypothesis in hypotheses if hypothesis.link == link]
    share = np.array([hypothesis.weight for hypothesis in own])
    share = share / share.sum()
    masses = np.array([hypothesis.mass for hypothesis in own])
    mean_mass = float(share @ masses)
    return Adaptation(
        robot=adapted,
        com_in_base=com,
        com_covariance=com_covariance,
        com_before=before.com_in_base(robot.parameters.stand),
        place=place,
        places=places,
        link=link,
        payload_mass=mean_mass,
        payload_mass_sd=float(np.sqrt(share @ (masses - mean_mass) ** 2)),
        payload_position=np.sum([s * h.position for s, h in zip(share, own, strict=True)], axis=0),
        mass=mass,
        mass_sd=mass_sd,
        residuals=tip_residuals(before, changed, used, scores),
        refused=dict(refused),
        servos=identify(adapted, used),
        belief=posterior,
        seconds=time.perf_counter() - started,
    )


def mixture(hypotheses: Sequence[Hypothesis], belief: Belief, rows: Array) -> Belief:
    """Mean and covariance over all hypotheses after measurements with these rows, the load as part of its link."""
    layout, cross = belief.layout, belief.covariance @ rows.T
    weights = np.array([hypothesis.weight for hypothesis in hypotheses])
    weights = weights / weights.sum()
    means = np.array([hypothesis.parameters for hypothesis in hypotheses])
    information = np.tensordot(weights, [hypothesis.information for hypothesis in hypotheses], axes=1)
    covariance = belief.covariance - cross @ information @ cross.T
    for weight, mean, hypothesis in zip(weights, means, hypotheses, strict=True):
        if hypothesis.link is not None:
            index = layout.links.index(hypothesis.link)
            own = slice(layout.moments.start + 3 * index, layout.moments.start + 3 * index + 3)
            mean[index] += hypothesis.mass
            mean[own] += hypothesis.mass * hypothesis.position
            covariance[own] += weight * hypothesis.mass * hypothesis.cross.T
            covariance[:, own] += weight * hypothesis.mass * hypothesis.cross
            covariance[own, own] += weight * hypothesis.mass**2 * hypothesis.position_covariance
    mean = weights @ means
    off = means - mean
    return Belief(layout, mean, covariance + (weights[:, None] * off).T @ off)


def link_inertials(robot: Robot, hypotheses: Sequence[Hypothesis], posterior: Belief) -> dict[str, Inertial]:
    """Inertials of the mean: each link's own mass and centre, with the load that it may carry as a point mass.

    The inertia of a link about its centre grows with its mass, so that it stays one that a body can have.
    """
    layout = posterior.layout
    total = sum(hypothesis.weight for hypothesis in hypotheses)
    own = sum((h.weight / total * h.parameters for h in hypotheses), np.zeros(layout.size))
    moments = own[layout.moments].reshape(-1, 3)
    inertials = {}
    for index, (link, body) in enumerate(robot.inertials.items()):
        mass = max(own[index], 0.1 * body.mass)
        bare = Inertial(mass, moments[index] / mass, body.inertia_about_com * (mass / body.mass))
        loads = [(h.weight / total * h.mass, h.position) for h in hypotheses if h.link == link]
        load = sum(part for part, _ in loads)
        if load > 0.0:
            centre = sum((part * position for part, position in loads), np.zeros(3)) / load
            bare = with_point_mass(bare, load, centre)
        inertials[link] = bare
    return inertials


def com_of(robot: Robot, belief: Belief, links: Collection[str] | None = None) -> tuple[Array, Array, float, float]:
    """Centre of mass standing (m) with its covariance, mass (kg) with its standard deviation; of all links or some."""
    layout, poses = belief.layout, robot.poses(robot.parameters.stand)
    chosen = np.array([links is None or link in links for link in layout.links], dtype=float)
    masses, moments = chosen * belief.mean[layout.masses], belief.mean[layout.moments].reshape(-1, 3)
    mass = float(masses.sum())
    pose = np.array([poses[link] for link in layout.links])
    turned = chosen[:, None, None] * pose[:, :3, :3]
    com = (np.einsum("nij,nj->i", turned, moments) + masses @ pose[:, :3, 3]) / mass
    rows = np.zeros((3, layout.size))
    rows[:, layout.masses] = chosen * (pose[:, :3, 3] - com).T / mass
    rows[:, layout.moments] = np.concatenate(list(turned), axis=1) / mass
    mass_sd = float(np.sqrt(chosen @ belief.covariance[layout.masses, layout.masses] @ chosen))
    return com, rows @ belief.covariance @ rows.T, mass, mass_sd


def predicted_ramp_angle(robot: Robot, belief: Belief, test: FallTest, angles: Array) -> float:
    """Change of the ramp joints from measured joint angles, rad, at which a robot of which this is believed tips.

    Joint zeros and foot edges are those of the belief, so it predicts what the encoders will say.
    """
    tipping, layout = Tipping(robot), belief.layout
    ramp = ramp_vector(robot, test.support_feet, test.direction)
    mean = belief.mean.copy()
    mean[layout.early] = 0.0
    angle = 0.0
    for _ in range(20):  # Newton's rule; the condition is nearly linear in the angle
        row = tipping.row(test, angles + angle * ramp)
        step = float(layout.tip(row, robot.mass) @ mean) / float(row.joints @ ramp)
        angle -= step
        if abs(step) < 1e-10:
            break
    return angle


def refuse_if_worse(found: Adaptation) -> None:
    """Raise RobotError if the adapted model predicts its own tests worse than the one before."""
    before, after = (
        float(np.sqrt(np.mean([getattr(residual, when) ** 2 for residual in found.residuals])))
        for when in ("before_deg", "after_deg")
    )
    if after > before:
        raise RobotError(
            f"adapt: the new model misses the tests by {after:.2f} degrees, the one before by {before:.2f}. "
            "It is not taken over; the model stays as it was."
        )
