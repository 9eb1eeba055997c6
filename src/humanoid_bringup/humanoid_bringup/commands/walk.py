"""`humanoid walk`: an offline walk and its verdict."""

from __future__ import annotations

import argparse
import json
from typing import Any

import numpy as np

from humanoid_bringup.commands import Commands, add_command, add_payload_option
from humanoid_description import Robot, RobotError, load_robot
from humanoid_gait.primitives import PrimitiveParameters, forward_walk
from humanoid_sim.rollout import Rollout, roll_out


def add_parsers(commands: Commands) -> None:
    """Add `walk`."""
    example = "walk ar601m --gait primitives --step 0.1 --lift 0.1 --torso-height 0.85 --period 0.5 --pause 1"
    parser = add_command(commands, "walk", "walk a robot offline and say what became of it", example)
    parser.add_argument("robot", help="name, or folder with a robot.yaml")
    add_gait_options(parser)
    add_payload_option(parser)
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    parser.set_defaults(run=run)


def add_gait_options(parser: argparse.ArgumentParser) -> None:
    """The options that say how to walk, for commands that do."""
    parser.add_argument(
        "--gait", choices=["primitives"], default="primitives", help="how to walk (default: %(default)s)"
    )
    parser.add_argument(
        "--step", type=float, default=0.1, metavar="A", help="length of a step, m (default: %(default)s)"
    )
    parser.add_argument(
        "--lift", type=float, default=0.1, metavar="H", help="height of a step, m (default: %(default)s)"
    )
    parser.add_argument(
        "--torso-height", type=float, default=0.85, metavar="Z0", help="of the torso's origin, m (default: %(default)s)"
    )
    parser.add_argument("--period", type=float, default=0.5, metavar="T", help="of a step, s (default: %(default)s)")
    parser.add_argument("--pause", type=float, default=1.0, metavar="P", help="after a step, s (default: %(default)s)")
    parser.add_argument("--primitives", type=int, default=5, metavar="N", help="how many (default: %(default)s)")
    parser.add_argument("--dt", type=float, default=1e-3, help="time step, s (default: %(default)s)")
    parser.add_argument("--explicit", action="store_true", help="the explicit step, for --dt 1e-4 or less")
    parser.add_argument(
        "--torque-share", type=float, default=np.inf, help="torque limit over the servos' own (default: no limit)"
    )


def walk(
    robot: Robot,
    parameters: PrimitiveParameters,
    primitives: int,
    dt: float,
    explicit: bool = False,
    torque_share: float = np.inf,
    points_per_foot: int = 4,
) -> tuple[Rollout, float]:
    """Walk by primitives; returns the rollout and the greatest torque (N m) of the first step's support ankle."""
    reference = forward_walk(robot, parameters, primitives, dt)
    if not reference.reachable:
        raise RobotError(
            f"walk: with its torso at {parameters.torso_height} m, {robot.name} cannot reach these steps or bend "
            "that far. Change --torso-height, --step or --lift."
        )
    result = roll_out(
        robot,
        reference.position,
        reference.velocity,
        dt,
        explicit=explicit,
        torque_share=torque_share,
        points_per_foot=points_per_foot,
    )
    first_step = result.torque[: round(parameters.period / dt), robot.joint_names.index("right_ankle_pitch")]
    return result, float(np.abs(first_step).max())


def report(result: Rollout, ankle_torque: float) -> dict[str, Any]:
    """The result as the command prints it."""
    return {
        "fell": result.fell,
        "fall_time_s": None if result.fall_time is None else round(result.fall_time, 4),
        "fall_direction": result.fall_direction,
        "distance_m": round(result.distance, 6),
        "yaw_drift_rad": round(result.yaw_drift, 6),
        "first_step_ankle_torque_nm": round(ankle_torque, 3),
        "real_time_factor": round(result.real_time_factor, 1),
    }


def run(options: argparse.Namespace) -> int:
    """Walk and print the verdict; falling is a result, not an error."""
    robot = load_robot(options.robot, options.payload)
    parameters = PrimitiveParameters(options.step, options.lift, options.torso_height, options.period, options.pause)
    outcome = walk(robot, parameters, options.primitives, options.dt, options.explicit, options.torque_share)
    answer = report(*outcome)
    if options.json:
        print(json.dumps(answer))
    elif answer["fell"]:
        print(f"{robot.name} fell {answer['fall_direction']} after {answer['fall_time_s']:.2f} s")
    else:
        print(f"{robot.name} walked {answer['distance_m']:.3f} m and stands")
    if not options.json:
        print(f"  support ankle of the first step  {answer['first_step_ankle_torque_nm']:8.1f} N m")
        print(f"  turned by                        {np.degrees(answer['yaw_drift_rad']):8.1f} degrees")
        print(f"  simulated                        {answer['real_time_factor']:8.0f} times as fast as real time")
    return 0
