"""How good the estimate is, on simulated robots of known truth, beside the paper's methods and the bare drawing."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from humanoid_adapt.belief import Belief, Uncertainty, prior
from humanoid_adapt.estimator import Adaptation, estimate, learn_baseline, predicted_ramp_angle
from humanoid_adapt.limbs import as_array
from humanoid_adapt.paper_ann import ann_com, falling_angles, with_com
from humanoid_adapt.paper_geometry import geometric_com
from humanoid_adapt.perceptron import Perceptron
from humanoid_adapt.population import Specimen, draw
from humanoid_adapt.protocol import held_out, protocol
from humanoid_adapt.simulated_body import SimulatedBody, run_tests
from humanoid_adapt.tip import tips_of
from humanoid_adapt.tipping import ACROSS, Tipping
from humanoid_description import Robot

Array = NDArray[np.float64]
METHODS = ("map", "map_baseline", "cad", "paper_geometry", "ann")


@dataclass(frozen=True)
class Score:
    """What one method made of one robot."""

    com_error: Array
    """Estimated less true centre of mass when standing, m."""
    tip_error: float
    """Mean distance of predicted from true tip angles in tests not used, rad."""
    place_right: bool | None = None
    """None for methods that do not say."""
    com_sd: Array | None = None
    """m."""
    seconds: float = 0.0
    """That the estimate took, from tips or angles to the model."""
    reading_seconds: float = 0.0
    """That reading all tips from the recordings took before it, if the method does."""
    refused: int = 0
    """Tests that were not used."""


def evaluate_robot(drawing: Robot, seed: int, protocol_name: str, network: Perceptron) -> dict[str, Score]:
    """Score of every method on the robot of a seed."""
    specimen = draw(drawing, seed)
    tests = protocol(drawing, protocol_name)
    recorded = []
    for number, robot in enumerate((specimen.robot, specimen.bare)):
        body = SimulatedBody(robot, 2 * seed + number, specimen.joint_zeros, specimen.force_scale, specimen.cop_offsets)
        routine = run_tests(body, drawing, tests)
        started = time.perf_counter()
        tips, refused = tips_of(routine.recordings, drawing)
        recorded.append((tips, {**refused, **routine.failures}, time.perf_counter() - started))
    (tips, refused, reading), (bare_tips, _, _) = recorded
    scores = {"map": _score(specimen, drawing, estimate(drawing, tips, refused=refused), reading)}
    baseline = learn_baseline(drawing, bare_tips)
    found = estimate(drawing, tips, baseline, refused=refused)
    scores["map_baseline"] = _score(specimen, drawing, found, reading)
    for name, guess in (("paper_geometry", _geometry), ("ann", lambda one, _: ann_com(network, one))):
        started = time.perf_counter()
        com = guess(specimen, drawing)
        seconds = time.perf_counter() - started
        scores[name] = _plain_score(specimen, drawing, with_com(drawing, com), seconds)
    scores["cad"] = _plain_score(specimen, drawing, drawing, 0.0)
    return scores


def _geometry(specimen: Specimen, drawing: Robot) -> Array:
    """Eqs 8-13 on the exact tip angles of the true robot in whole counts; lateral ones over the outer edges, rigid."""
    robot, foot = specimen.robot, drawing.parameters.feet["left"]
    forward, backward = falling_angles(robot, specimen.joint_zeros)
    com = robot.com_in_base(robot.parameters.stand)
    poses = robot.poses(robot.parameters.stand)
    lateral = {}
    for side, direction in (("left", "left"), ("right", "right")):
        outer = robot.parameters.feet[side]
        edge = abs(poses[outer.link][1, 3]) + getattr(outer, direction)
        height = com[2] - poses[outer.link][2, 3] + outer.depth
        lateral[side] = np.arctan2(edge - ACROSS[direction][1] * com[1], height)
    found = geometric_com(forward, backward, lateral["left"], lateral["right"], foot.front, foot.rear, foot.depth)
    sole = drawing.poses(drawing.parameters.stand)[foot.link][2, 3] - foot.depth
    # The sign of W1 in eq 13 is taken as physics has it: a robot that falls left later is heavier on its right.
    return np.array([-found.z, found.y, sole + found.x])


def _true_tips(specimen: Specimen, drawing: Robot) -> list[float]:
    """Exact tip angles of the true robot in tests not used, as its encoders will say, rad from the start posture."""
    tipping = Tipping(specimen.robot)
    return [
        tipping.ramp_angle(test, as_array(drawing, test.waypoints[-1]) - specimen.joint_zeros)
        for test in held_out(drawing)
    ]


def _predictions(model: Robot, belief: Belief, drawing: Robot) -> list[float]:
    return [
        predicted_ramp_angle(model, belief, test, as_array(drawing, test.waypoints[-1])) for test in held_out(drawing)
    ]


def _tip_error(predicted: list[float], true: list[float]) -> float:
    return float(np.mean(np.abs(np.subtract(predicted, true))))


def _score(specimen: Specimen, drawing: Robot, found: Adaptation, reading: float) -> Score:
    truth = specimen.robot.com_in_base(drawing.parameters.stand)
    return Score(
        com_error=found.com_in_base - truth,
        tip_error=_tip_error(_predictions(found.robot, found.belief, drawing), _true_tips(specimen, drawing)),
        place_right=found.place == specimen.place,
        com_sd=found.com_sd,
        seconds=found.seconds,
        reading_seconds=reading,
        refused=len(found.refused),
    )


def _plain_score(specimen: Specimen, drawing: Robot, model: Robot, seconds: float) -> Score:
    truth = specimen.robot.com_in_base(drawing.parameters.stand)
    predicted = _predictions(model, prior(model, Uncertainty()), drawing)
    error = model.com_in_base(drawing.parameters.stand) - truth
    return Score(error, _tip_error(predicted, _true_tips(specimen, drawing)), seconds=seconds)


def summarize(scores: list[dict[str, Score]]) -> dict[str, dict[str, Any]]:
    """Per method: errors in mm and degrees, share of places found, coverage of the stated uncertainty, seconds."""
    summary: dict[str, dict[str, Any]] = {}
    for method in METHODS:
        own = [robot[method] for robot in scores]
        errors = 1e3 * np.array([score.com_error for score in own])
        norms = np.linalg.norm(errors, axis=1)
        row: dict[str, Any] = {
            "com_mean_mm": float(norms.mean()),
            "com_max_mm": float(norms.max()),
            "com_axis_mean_mm": np.abs(errors).mean(axis=0).tolist(),
            "com_axis_max_mm": np.abs(errors).max(axis=0).tolist(),
            "tip_error_deg": float(np.degrees(np.mean([score.tip_error for score in own]))),
            "place_accuracy": None,
            "coverage68": None,
            "coverage95": None,
            "seconds": float(np.mean([score.seconds for score in own])),
            "reading_seconds": float(np.mean([score.reading_seconds for score in own])),
            "tests_refused": int(sum(score.refused for score in own)),
        }
        if own[0].com_sd is not None:
            deviations = np.abs(errors) / (1e3 * np.array([score.com_sd for score in own]))
            row["place_accuracy"] = float(np.mean([bool(score.place_right) for score in own]))
            row["coverage68"] = float(np.mean(deviations < 0.994458))
            row["coverage95"] = float(np.mean(deviations < 1.959964))
        summary[method] = row
    return summary
