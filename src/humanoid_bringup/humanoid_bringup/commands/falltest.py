"""`humanoid falltest`: fall tests on a simulated robot with a hidden load, recorded, and the model adapted to them."""

from __future__ import annotations

import argparse
import json
import sys
from datetime import datetime
from pathlib import Path

import numpy as np

from humanoid_bringup.commands import Commands, add_command, add_payload_option
from humanoid_description import load_robot


def add_parsers(commands: Commands) -> None:
    """Add `falltest`."""
    example = "falltest fibo_km --payload left_forearm:0.2:0,0,-0.03 --protocol 6 --seed 7"
    summary = "push a simulated robot over, and let the model follow it"
    parser = add_command(commands, "falltest", summary, example)
    parser.add_argument("robot", help="name, or folder with a robot.yaml: the model that is known")
    add_payload_option(parser)
    parser.add_argument("--protocol", default="6", help="paper, 6, 9, 12 or cop (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of the sensors' noise (default: %(default)s)")
    parser.add_argument("--rate", type=float, default=1.36, help="of the ramp, degrees/s (default: %(default)s)")
    parser.add_argument("--bag", type=Path, help="new folder for the recording (default: falls_TIME)")
    parser.add_argument("--json", action="store_true", help="print {tests, com_true_m, com_before_m, ...} as JSON")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Test, record, adapt, replay, and take the model over into a running simulation."""
    from humanoid_adapt.adaptation_report import as_json
    from humanoid_adapt.assembler import recordings_from_bag
    from humanoid_adapt.bag import BagWriter
    from humanoid_adapt.bag_log import BagLog
    from humanoid_adapt.estimator import estimate, refuse_if_worse
    from humanoid_adapt.protocol import protocol
    from humanoid_adapt.routine import Settings
    from humanoid_adapt.simulated_body import SimulatedBody, run_tests
    from humanoid_adapt.tip import tips_of
    from humanoid_sim.simulation import Simulation

    model, truth = load_robot(options.robot), load_robot(options.robot, options.payload)
    tests = protocol(model, options.protocol)
    settings = Settings(rate=float(np.radians(options.rate)))
    bag = options.bag or Path(f"falls_{datetime.now():%Y%m%d_%H%M%S}")
    twin = Simulation({"sim": model}, seed=options.seed)
    with BagWriter(bag) as writer:
        log = BagLog(model, writer, "real")
        body = SimulatedBody(truth, options.seed)
        progress = f"test 1 of {len(tests)}: {tests[0].name}"
        print(progress, file=sys.stderr, flush=True)
        routine = run_tests(body, model, tests, settings, log, lambda text: print(text, file=sys.stderr, flush=True))
    answers = []
    for assembled in (log.assembler, recordings_from_bag(model, bag)):
        tips, refused = tips_of(assembled.recordings, model)
        answers.append(estimate(model, tips, refused={**routine.failures, **assembled.refused, **refused}))
    found, again = answers
    refuse_if_worse(found)
    # The simulation takes the model over while it runs.
    twin.step(100)
    twin.adapt("sim", found.robot)
    twin.step(100)
    stand = model.parameters.stand
    report = as_json(found)
    answer = {
        **report,
        "com_true_m": truth.com_in_base(stand).tolist(),
        "error_mm": (1e3 * (found.com_in_base - truth.com_in_base(stand))).tolist(),
        "bag": str(bag),
        "replay_identical": bool(
            np.array_equal(found.com_in_base, again.com_in_base) and found.robot.urdf == again.robot.urdf
        ),
        "sim_com_m": twin.robots["sim"].com_in_base(stand).tolist(),
    }
    if options.json:
        print(json.dumps(answer, indent=2))
        return 0
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
    print(f"recorded in {bag}; its replay gives {'the same' if answer['replay_identical'] else 'ANOTHER'} model")
    return 0 if answer["replay_identical"] else 1
