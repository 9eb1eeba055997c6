"""`humanoid walk`: offline walks and their verdict."""

from __future__ import annotations

import argparse
import dataclasses
import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from humanoid_bringup.commands import Commands, add_command, add_payload_option
from humanoid_bringup.trials import Outcome, Trial, run_trials
from humanoid_description import Robot, RobotError, load_robot
from humanoid_gait.feasibility import Demand, demands, holding_torque, planned_walk
from humanoid_gait.gait_parameters import load_gait
from humanoid_gait.primitives import JointReference, PrimitiveParameters, forward_walk
from humanoid_gait.spline_gait import SplineWalk, follow
from humanoid_gait.spline_parameters import default_parameters
from humanoid_gait.stability import Stability, stability
from humanoid_sim.rollout import Rollout, roll_out

LONGEST = 1e5
"""s of a walk."""


def add_parsers(commands: Commands) -> None:
    """Add `walk`."""
    example = "walk fibo_km --speed 0.3 --turn 0.2 --seconds 10 --seeds 2"
    parser = add_command(commands, "walk", "walk a robot offline and say what became of it", example)
    parser.add_argument("robot", help="name, or folder with a robot.yaml")
    parser.add_argument(
        "--gait",
        choices=["balanced", "splines", "primitives"],
        default="balanced",
        help="balanced: planned from the model, kept up by the sensors; splines: seed 002, primitives: seed 003, "
        "both without feedback (default: %(default)s)",
    )
    asked = parser.add_argument_group("balanced and splines")
    asked.add_argument("--speed", type=float, default=0.1, metavar="V", help="forward, m/s (default: %(default)s)")
    asked.add_argument("--lateral", type=float, default=0.0, metavar="V", help="to the left, m/s")
    asked.add_argument("--turn", type=float, default=0.0, metavar="W", help="to the left, rad/s")
    asked.add_argument("--seconds", type=float, default=10.0, metavar="S", help="(default: %(default)s)")
    balanced = parser.add_argument_group("balanced")
    balanced.add_argument("--seeds", type=int, default=1, metavar="N", help="walks, each with its own noise")
    balanced.add_argument("--first-seed", type=int, default=0, metavar="N", help="(default: %(default)s)")
    balanced.add_argument(
        "--model-payload",
        action="append",
        metavar="LINK:MASS:X,Y,Z",
        help="what the planner believes hangs on the robot (default: what --payload hangs on it); 'none' for nothing",
    )
    balanced.add_argument("--no-balance", action="store_true", help="do not use the sensors")
    add_primitive_options(parser)
    parser.add_argument(
        "--check", action="store_true", help="compare the plan with what each servo can give, and do not walk"
    )
    parser.add_argument(
        "--torque-share",
        type=float,
        help="torque limit over the servos' own (default: none for primitives, 1 otherwise)",
    )
    add_payload_option(parser)
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    parser.set_defaults(run=lambda options: run(options, parser))


def add_primitive_options(parser: argparse.ArgumentParser) -> None:
    """The options of a walk by primitives, for commands that do so."""
    primitives = parser.add_argument_group("primitives")
    primitives.add_argument(
        "--step", type=float, default=0.1, metavar="A", help="length of a step, m (default: %(default)s)"
    )
    primitives.add_argument(
        "--lift", type=float, default=0.1, metavar="H", help="height of a step, m (default: %(default)s)"
    )
    primitives.add_argument(
        "--torso-height", type=float, default=0.85, metavar="Z0", help="of the torso's origin, m (default: %(default)s)"
    )
    primitives.add_argument(
        "--period", type=float, default=0.5, metavar="T", help="of a step, s (default: %(default)s)"
    )
    primitives.add_argument(
        "--pause", type=float, default=1.0, metavar="P", help="after a step, s (default: %(default)s)"
    )
    primitives.add_argument("--primitives", type=int, default=5, metavar="N", help="how many (default: %(default)s)")
    primitives.add_argument("--dt", type=float, default=1e-3, help="time step, s (default: %(default)s)")
    primitives.add_argument("--explicit", action="store_true", help="the explicit step, for --dt 1e-4 or less")


def walk(
    robot: Robot,
    parameters: PrimitiveParameters,
    primitives: int,
    dt: float,
    explicit: bool = False,
    torque_share: float = np.inf,
    points_per_foot: int = 4,
    zero_error: NDArray[np.float64] | float = 0.0,
) -> tuple[Rollout, float]:
    """Walk by primitives; returns the rollout and the greatest torque (N m) of the first step's support ankle.

    Args:
        robot: To walk.
        parameters: Of eqs 1 and 2.
        primitives: How many.
        dt: Time step, s.
        explicit: Take the explicit step.
        torque_share: Torque limit over the servos' own.
        points_per_foot: Contact points along the rim of each sole.
        zero_error: By which the zeros of the joints are off, rad.
    """
    reference = _reachable_primitives(robot, parameters, primitives, dt)
    result = roll_out(
        robot,
        reference.position + zero_error,
        reference.velocity,
        dt,
        explicit=explicit,
        torque_share=torque_share,
        points_per_foot=points_per_foot,
    )
    first_step = result.torque[: round(parameters.period / dt), robot.joint_names.index("right_ankle_pitch")]
    return result, float(np.abs(first_step).max())


def _reachable_primitives(robot: Robot, parameters: PrimitiveParameters, count: int, dt: float) -> JointReference:
    reference = forward_walk(robot, parameters, count, dt)
    if not reference.reachable:
        raise RobotError(
            f"walk: with its torso at {parameters.torso_height} m, {robot.name} cannot reach these steps or bend "
            "that far. Change --torso-height, --step or --lift."
        )
    return reference


def verdict(result: Rollout) -> dict[str, Any]:
    """What became of a walk without feedback."""
    return {
        "fell": result.fell,
        "fall_time_s": None if result.fall_time is None else round(result.fall_time, 4),
        "fall_direction": result.fall_direction,
        "distance_m": round(result.distance, 6),
        "yaw_drift_rad": round(result.yaw_drift, 6),
        "real_time_factor": round(result.real_time_factor, 1),
    }


def report(result: Rollout, ankle_torque: float) -> dict[str, Any]:
    """What became of a walk by primitives."""
    return {**verdict(result), "first_step_ankle_torque_nm": round(ankle_torque, 3)}


USED_BY = {
    **dict.fromkeys(("speed", "lateral", "turn", "seconds"), ("balanced", "splines")),
    **dict.fromkeys(("seeds", "first_seed", "model_payload", "no_balance"), ("balanced",)),
    **dict.fromkeys(("step", "lift", "torso_height", "period", "pause", "primitives"), ("primitives",)),
    **dict.fromkeys(("dt", "explicit"), ("splines", "primitives")),
}
"""Which gaits regard an option; others are for all."""


def run(options: argparse.Namespace, parser: argparse.ArgumentParser) -> int:
    """Walk and print the verdict; falling is a result, not an error."""
    for name, gaits in USED_BY.items():
        if options.gait not in gaits and getattr(options, name) != parser.get_default(name):
            option = name.replace("_", "-")
            raise RobotError(
                f"walk: --{option} is of --gait {' and '.join(gaits)}, not of {options.gait}. Leave it out."
            )
    robot = load_robot(options.robot, options.payload)
    walks = {"balanced": _balanced, "splines": _splines, "primitives": _primitives}
    return walks[options.gait](options, robot)


def _primitives(options: argparse.Namespace, robot: Robot) -> int:
    parameters = PrimitiveParameters(options.step, options.lift, options.torso_height, options.period, options.pause)
    if options.check:
        reference = _reachable_primitives(robot, parameters, options.primitives, options.dt)
        return _check(options, demands(robot, reference, holding_torque(robot, reference.position), _share(options)))
    share = np.inf if options.torque_share is None else options.torque_share
    result, ankle_torque = walk(robot, parameters, options.primitives, options.dt, options.explicit, share)
    _say(options, robot, report(result, ankle_torque))
    if not options.json:
        print(f"  support ankle of the first step  {ankle_torque:8.1f} N m")
    return 0


def _splines(options: argparse.Namespace, robot: Robot) -> int:
    velocity = _velocity(options)
    parameters = default_parameters(robot)
    reference = follow(SplineWalk(robot, parameters), lambda _: velocity, options.seconds, options.dt)
    if not reference.reachable:
        raise RobotError(f"walk: {robot.name} cannot reach these steps or bend that far. Ask for less speed.")
    if options.check:
        return _check(options, demands(robot, reference, holding_torque(robot, reference.position), _share(options)))
    result = roll_out(
        robot,
        reference.position,
        reference.velocity,
        options.dt,
        explicit=options.explicit,
        torque_share=_share(options),
    )
    _say(options, robot, verdict(result))
    return 0


def _say(options: argparse.Namespace, robot: Robot, answer: dict[str, Any]) -> None:
    if options.json:
        print(json.dumps(answer))
        return
    if answer["fell"]:
        print(f"{robot.name} fell {answer['fall_direction']} after {answer['fall_time_s']:.2f} s")
    else:
        print(f"{robot.name} walked {answer['distance_m']:.3f} m and stands")
    print(f"  turned by                        {np.degrees(answer['yaw_drift_rad']):8.1f} degrees")
    print(f"  simulated                        {answer['real_time_factor']:8.0f} times as fast as real time")


def _velocity(options: argparse.Namespace) -> tuple[float, float, float]:
    for name in ("speed", "lateral", "turn"):
        if not np.isfinite(getattr(options, name)):
            raise RobotError(f"walk: --{name} is {getattr(options, name)}. Give a finite number.")
    if not 0 < options.seconds <= LONGEST:
        raise RobotError(f"walk: --seconds is {options.seconds:g}. Give a number above zero, at most {LONGEST:g}.")
    return (options.speed, options.lateral, options.turn)


def _share(options: argparse.Namespace) -> float:
    share = 1.0 if options.torque_share is None else float(options.torque_share)
    if not share > 0:
        raise RobotError(f"walk: --torque-share is {share}. Give a number above zero.")
    return share


def _balanced(options: argparse.Namespace, robot: Robot) -> int:
    velocity = _velocity(options)
    for name, least in (("seeds", 1), ("first_seed", 0)):
        if getattr(options, name) < least:
            option = name.replace("_", "-")
            raise RobotError(f"walk: --{option} is {getattr(options, name)}. Give {least} or more.")
    gait = load_gait(robot)
    limits = (gait.max_forward, gait.max_sideways, gait.max_turn)
    for name, value, limit in zip(("speed", "lateral", "turn"), velocity, limits, strict=True):
        if abs(value) > limit:
            raise RobotError(f"walk: --{name} {value} is beyond the {limit:.3g} of {robot.name}'s gait. Ask for less.")
    believed = robot
    if options.model_payload is not None:
        believed = load_robot(options.robot, [payload for payload in options.model_payload if payload != "none"])
    share = _share(options)
    if options.check:
        asked = demands(believed, *planned_walk(believed, gait, velocity, options.seconds), share)
        return _check(options, asked, stability(believed, gait, velocity, options.seconds))
    seeds = range(options.first_seed, options.first_seed + options.seeds)
    trials = [
        Trial(robot, believed, velocity, options.seconds, seed, gait, not options.no_balance, share) for seed in seeds
    ]
    answer = summary(velocity, run_trials(trials, "walking"))
    if options.json:
        print(json.dumps(answer))
        return 0
    forward, sideways, turn = answer["velocity"]
    print(f"{robot.name} fell in {answer['falls']} of {answer['seeds']} walks of {options.seconds:g} s")
    print(f"  speed          {forward:8.3f} m/s forward, {sideways:.3f} m/s to the left, {turn:.3f} rad/s")
    print("  off the told   " + ", ".join(_missed(name, velocity, answer["errors"]) for name in answer["errors"]))
    print(f"  yaw drift      {np.degrees(answer['yaw_drift_rad']):8.1f} degrees at most")
    energy = answer["energy_j_per_m"]
    print(f"  energy         {'       -' if energy is None else f'{energy:8.1f}'} J/m")
    print(f"  zmp margin     {1000 * answer['zmp_margin_m']:8.1f} mm on average")
    hardest = sorted(answer["full_drive"].items(), key=lambda item: -item[1])[:4]
    print("  at full drive  " + ", ".join(f"{name} {100 * share:.0f} %" for name, share in hardest))
    return 0


def _check(options: argparse.Namespace, asked: list[Demand], stands: Stability | None = None) -> int:
    """Print what a walk asks of every servo, and how surely it stands; the status is 1 if a servo cannot follow."""
    feasible = all(demand.feasible for demand in asked)
    if options.json:
        rows = [{**dataclasses.asdict(demand), "feasible": demand.feasible} for demand in asked]
        margins = {} if stands is None else {"zmp_margin_m": dataclasses.asdict(stands)}
        print(json.dumps({"feasible": feasible, "joints": rows, **margins}))
        return 0 if feasible else 1
    print(f"{'joint':<24}{'speed':>14}{'torque':>16}{'drive':>8}{'acceleration':>18}")
    for demand in asked:
        limit = "" if demand.acceleration_limit is None else f" of {demand.acceleration_limit:.0f}"
        print(
            f"{demand.joint:<24}{demand.speed:6.2f} of {demand.speed_limit:<5.2f}"
            f"{demand.torque:7.2f} of {demand.torque_limit:<6.2f}{demand.drive:7.2f}"
            f"{demand.acceleration:9.0f}{limit:<9}"
            + ("" if demand.feasible else "  cannot follow")
            + (f", {demand.beyond_range:.2f} rad beyond its range" if demand.beyond_range else "")
        )
    print("\nSpeed in rad/s, torque in N m, drive as a share of what the motor has, rad/s^2.")
    if stands is not None:
        print("\nThe zero moment point of the plan is inside the support, by what the model knows of the robot:")
        for name, margin in dataclasses.asdict(stands).items():
            inside = f"{1e3 * margin['least']:6.1f} mm at least, {1e3 * margin['mean']:.1f} on average"
            print(f"  {name.replace('_', ' '):<14}{inside}, for {100 * margin['inside']:.0f} % of the time")
    return 0 if feasible else 1


AXES = {"forward": "m/s", "sideways": "m/s", "turn": "rad/s"}


def _missed(axis: str, velocity: tuple[float, float, float], errors: Mapping[str, float]) -> str:
    told = velocity[list(AXES).index(axis)]
    return f"{axis} {100 * errors[axis]:.1f} %" if told else f"{axis} {errors[axis]:.3f} {AXES[axis]}"


def summary(velocity: tuple[float, float, float], outcomes: list[Outcome]) -> dict[str, Any]:
    """What many walks with the same command have in common.

    The errors are shares of what was told, or where nothing was told the drift (m/s, rad/s); `tracking_error` is the
    worst of what was told.
    """
    measured = np.mean([outcome.velocity for outcome in outcomes], axis=0)
    errors = {
        axis: round(abs(float(walked) - told) / (abs(told) or 1.0), 4)
        for axis, walked, told in zip(AXES, measured, velocity, strict=True)
    }
    counted = [axis for axis, told in zip(AXES, velocity, strict=True) if told] or list(AXES)
    distance = sum(outcome.distance for outcome in outcomes)
    return {
        "falls": sum(outcome.fell for outcome in outcomes),
        "seeds": len(outcomes),
        "speed_m_s": round(float(np.linalg.norm(measured[:2])), 4),
        "velocity": [round(float(value), 4) for value in measured],
        "errors": errors,
        "tracking_error": max(errors[axis] for axis in counted),
        "yaw_drift_rad": round(max(abs(outcome.yaw_drift) for outcome in outcomes), 4),
        "energy_j_per_m": round(sum(outcome.energy for outcome in outcomes) / distance, 2) if distance > 0.1 else None,
        "zmp_margin_m": round(float(np.mean([outcome.zmp_margin for outcome in outcomes])), 5),
        "distance_m": [round(outcome.distance, 3) for outcome in outcomes],
        "fall_times_s": [round(outcome.seconds, 2) for outcome in outcomes if outcome.fell],
        "full_drive": {
            name: round(float(np.mean([outcome.full_drive[name] for outcome in outcomes])), 3)
            for name in outcomes[0].full_drive
        },
    }
