"""`humanoid falltest`: fall tests on a virtual robot with a hidden load, recorded, and the model adapted to them."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from humanoid_bringup.commands import Commands, add_command, add_payload_option
from humanoid_description import Robot, RobotError, load_robot

if TYPE_CHECKING:
    from humanoid_adapt.estimator import Adaptation
    from humanoid_adapt.fall_test import FallTest

WALK_SECONDS = 8.0
WALK_SPEED_SHARE = 0.5
"""Speed of the walks that are compared, over the fastest of the gait."""


def add_parsers(commands: Commands) -> None:
    """Add `falltest`."""
    example = "falltest fibo_km --payload left_forearm:0.2:0,0,-0.03 --protocol 6 --seed 7"
    summary = "push a virtual robot over, let the model follow it, and walk by the new model"
    parser = add_command(commands, "falltest", summary, example)
    parser.add_argument("robot", help="name, or folder with a robot.yaml: the model that is known")
    add_payload_option(parser)
    parser.add_argument("--protocol", default="6", help="paper, 6, 9, 12 or cop (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of noise and faults, from 0 on (default: %(default)s)")
    parser.add_argument("--rate", type=float, default=1.36, help="of the ramp, degrees/s (default: %(default)s)")
    parser.add_argument("--bag", type=Path, help="new folder for the recording (default: falls_TIME)")
    parser.add_argument(
        "--walks", type=int, default=4, help="by each model, compared in the end (default: %(default)s)"
    )
    parser.add_argument(
        "--without-bus",
        action="store_true",
        help="drive the simulated robot directly, with foot sensors: for robots without servo ids, and for 'cop'",
    )
    parser.add_argument(
        "--faults", type=Path, metavar="FILE", help="YAML of what goes wrong on the bus; see docs/real_robot.md"
    )
    parser.add_argument("--json", action="store_true", help="print {tests, com_true_m, com_before_m, ...} as JSON")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Test, record, adapt, replay, take the model over into a running simulation, and walk."""
    from humanoid_adapt.adaptation_report import as_json
    from humanoid_adapt.protocol import protocol
    from humanoid_adapt.routine import Settings

    if options.walks < 0 or options.seed < 0:
        raise RobotError("falltest: --walks and --seed must not be below zero.")
    model, truth = load_robot(options.robot), load_robot(options.robot, options.payload)
    _refuse_what_needs_the_other_way(options, protocol(model, options.protocol))
    settings = Settings(rate=float(np.radians(options.rate)))
    bag = options.bag or Path(f"falls_{datetime.now():%Y%m%d_%H%M%S}")
    way = _without_bus if options.without_bus else _through_bus
    found, again, failures, sim = way(model, truth, options, settings, bag)
    stand = model.parameters.stand
    report = as_json(found)
    answer = {
        **report,
        "refused": {**failures, **report["refused"]},
        "com_true_m": truth.com_in_base(stand).tolist(),
        "error_mm": (1e3 * (found.com_in_base - truth.com_in_base(stand))).tolist(),
        "bag": str(bag),
        "replay_identical": _figures(found) == _figures(again) and found.robot.urdf == again.robot.urdf,
        "sim_com_m": sim.com_in_base(stand).tolist(),
        "gait": _walks(truth, {"before": model, "after": found.robot}, options.walks, options.seed),
    }
    if options.json:
        print(json.dumps(answer, indent=2))
    else:
        _print(answer)
    return 0 if answer["replay_identical"] else 1


def _refuse_what_needs_the_other_way(options: argparse.Namespace, tests: Sequence[FallTest]) -> None:
    """Raise RobotError if only a robot with a bus, or only one with foot sensors, can do it."""
    if options.without_bus and options.faults is not None:
        raise RobotError("falltest: --faults are those of the bus. Leave out --without-bus.")
    if not options.without_bus and not all(test.falls for test in tests):
        remedy = "Drive the robot directly: --without-bus."
        raise RobotError(f"falltest: --protocol {options.protocol} needs foot sensors; the bus has none. {remedy}")


def _progress(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _figures(found: Adaptation) -> dict[str, Any]:
    """Everything that an estimate says, but for the time that it took."""
    from humanoid_adapt.adaptation_report import as_json

    return {key: value for key, value in as_json(found).items() if key != "seconds"}


Outcome = tuple["Adaptation", "Adaptation", dict[str, str], Robot]
"""What the tests gave, what their replay gave, tests that failed, and the simulated robot that followed."""


def _through_bus(model: Robot, truth: Robot, options: argparse.Namespace, settings: Any, bag: Path) -> Outcome:
    """Bytes on a virtual servo bus, bridge, fall test, recorder, adaptation and simulator as nodes."""
    from dynamixel_bridge.bridge import make_buses
    from dynamixel_bridge.virtual_faults import read_faults
    from humanoid_adapt.bag import BagWriter
    from humanoid_bringup.virtual_fall_test_node import FOLLOWER, VirtualFallTest, replay

    try:
        ids = {id_ for bus in make_buses(model).values() for id_ in bus.servos}
    except RobotError as error:
        raise RobotError(f"{error} Or drive it without a bus: --without-bus.") from None
    faults = read_faults(options.faults, ids) if options.faults is not None else None
    with (
        tempfile.TemporaryDirectory() as models,
        BagWriter(bag) as writer,
        VirtualFallTest(model, truth, options.protocol, settings, options.seed, writer, Path(models), faults) as test,
    ):
        failures = test.run(_progress).failures
        found = test.adapt()
        sim = test.follower.simulation.robots[FOLLOWER]
    _progress("replaying the bag")
    return found, replay(model, bag), failures, sim


def _without_bus(model: Robot, truth: Robot, options: argparse.Namespace, settings: Any, bag: Path) -> Outcome:
    """The simulated robot is driven directly, and its bag is read rather than played."""
    from humanoid_adapt.assembler import recordings_from_bag
    from humanoid_adapt.bag import BagWriter
    from humanoid_adapt.bag_log import BagLog
    from humanoid_adapt.estimator import estimate, refuse_if_worse
    from humanoid_adapt.protocol import protocol
    from humanoid_adapt.simulated_body import SimulatedBody, run_tests
    from humanoid_adapt.tip import tips_of
    from humanoid_sim.simulation import Simulation

    tests = protocol(model, options.protocol)
    sim = Simulation({"sim": model}, seed=options.seed)
    with BagWriter(bag) as writer:
        log = BagLog(model, writer, "real")
        _progress(f"test 1 of {len(tests)}: {tests[0].name}")
        routine = run_tests(SimulatedBody(truth, options.seed), model, tests, settings, log, _progress)
    answers = []
    for assembled in (log.assembler, recordings_from_bag(model, bag)):
        tips, refused = tips_of(assembled.recordings, model)
        answers.append(estimate(model, tips, refused={**assembled.refused, **refused}))
    refuse_if_worse(answers[0])
    sim.step(100)
    sim.adapt("sim", answers[0].robot)
    sim.step(100)
    return answers[0], answers[1], routine.failures, sim.robots["sim"]


def _walks(truth: Robot, models: dict[str, Robot], count: int, seed: int) -> dict[str, Any] | None:
    """How the true robot walks when its gait is planned from each model; None if that is not asked for."""
    from humanoid_bringup.commands.walk import summary
    from humanoid_bringup.trials import Trial, run_trials
    from humanoid_gait.gait_parameters import load_gait

    if not count:
        return None
    velocity = (WALK_SPEED_SHARE * load_gait(truth).max_forward, 0.0, 0.0)
    keys = ("falls", "seeds", "velocity", "tracking_error", "yaw_drift_rad", "zmp_margin_m")
    answer: dict[str, Any] = {"command": velocity}
    for name, model in models.items():
        trials = [Trial(truth, model, velocity, WALK_SECONDS, seed + number) for number in range(count)]
        walked = summary(velocity, run_trials(trials, f"walking by the model {name}"))
        answer[name] = {key: walked[key] for key in keys}
    return answer


def _print(answer: dict[str, Any]) -> None:
    rows = {"the model before": "com_before_m", "the adapted model": "com_after_m", "the true robot": "com_true_m"}
    print("centre of mass, mm     x       y       z")
    for name, key in rows.items():
        print(f"{name:<18}" + "".join(f"{1e3 * value:8.1f}" for value in answer[key]))
    print(f"{'give or take':<18}" + "".join(f"{1e3 * value:8.1f}" for value in answer["com_sd_m"]))
    load = answer["payload"]
    if load is not None:
        chance = 100 * answer["place_probability"]
        print(f"a load of {load['mass_kg']:.2f} kg on {load['link']} ({answer['place']}, {chance:.0f} %)")
    for reason in answer["refused"].values():
        print(f"not used: {reason}")
    alike = "the same" if answer["replay_identical"] else "ANOTHER"
    print(f"recorded in {answer['bag']}; its replay gives {alike} model")
    if answer["gait"] is not None:
        for name, model in (("before", "the model before"), ("after", "the adapted model")):
            walked = answer["gait"][name]
            print(
                f"walks by {model}: {walked['falls']} falls of {walked['seeds']}, "
                f"{100 * walked['tracking_error']:.1f} % off the told speed, "
                f"turned by {np.degrees(walked['yaw_drift_rad']):.1f} degrees at most, "
                f"zmp {1e3 * walked['zmp_margin_m']:.1f} mm inside the sole"
            )
