"""`humanoid adapt`: the model follows the robot, from a recording; and how good that is."""

from __future__ import annotations

import argparse
import json
import sys
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from humanoid_bringup.commands import Commands, add_command, write_text
from humanoid_description import Robot, RobotError, load_robot

if TYPE_CHECKING:
    from humanoid_adapt.assembler import Assembler
    from humanoid_adapt.motion import Motion


def add_parsers(commands: Commands) -> None:
    """Add `adapt` with its actions."""
    top = add_command(
        commands, "adapt", "adapt a robot's model to recorded fall tests and motions", "adapt run fibo_km falls"
    )
    actions = top.add_subparsers(metavar="ACTION", required=True)
    run_parser = add_command(
        actions, "run", "adapt a model to the fall tests, or the motion, in a bag", "adapt run fibo_km falls"
    )
    run_parser.add_argument("robot", help="name, or folder with a robot.yaml")
    run_parser.add_argument("--baseline", type=Path, metavar="BAG", help="tests of the same robot without a load")
    add_evidence_options(run_parser)
    run_parser.add_argument("--urdf", type=Path, metavar="FILE", help="write the adapted URDF there")
    _add_models_option(run_parser)
    run_parser.set_defaults(run=run_bag)
    _add_evaluate(actions)
    for name, summary in (("history", "list the models of a robot"), ("rollback", "put an earlier model in force")):
        parser = add_command(actions, name, summary, f"adapt {name} fibo_km" + (" 1" if name == "rollback" else ""))
        parser.add_argument("robot", help="name, or folder with a robot.yaml")
        if name == "rollback":
            parser.add_argument("number", type=int, help="of the model; 0 is the robot's own description")
        _add_models_option(parser)
        parser.set_defaults(run=history if name == "history" else rollback)


def add_evidence_options(parser: argparse.ArgumentParser) -> None:
    """The bags from which a model is adapted."""
    parser.add_argument("bag", type=Path, help="folder of the bag, or its .mcap file")
    parser.add_argument(
        "--motion",
        type=Path,
        action="append",
        default=[],
        metavar="BAG",
        help="any motion of the robot on feet with force sensors, which tells more; repeatable",
    )
    parser.add_argument("--namespace", help="of the robot in the bag, if there are several")


def evidence(robot: Robot, options: argparse.Namespace) -> tuple[Assembler, list[Motion]]:
    """Fall tests and motions of the bags that are named; a bag may be of either."""
    from humanoid_adapt.assembler import Assembler, recordings_from_bag
    from humanoid_adapt.motion import is_motion, motion_from_bag

    moving = is_motion(options.bag)
    bags = [options.bag, *options.motion] if moving else options.motion
    motions = [motion_from_bag(robot, bag, options.namespace) for bag in bags]
    return Assembler(robot) if moving else recordings_from_bag(robot, options.bag, options.namespace), motions


def _add_evaluate(actions: Commands) -> None:
    example = "adapt evaluate --robots 50 --seed 1 --protocol 12 --json"
    parser = add_command(actions, "evaluate", "judge the estimate on simulated robots with known truth", example)
    parser.add_argument("robot", nargs="?", default="fibo_km", help="its drawing (default: %(default)s)")
    parser.add_argument("--robots", type=int, default=10, help="how many (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of the first robot (default: %(default)s)")
    parser.add_argument("--protocol", default="12", help="paper, 6, 9, 12 or cop (default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=-1, help="processes; -1 for all cores (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="print {methods: {map, map_baseline, cad, ...}} as JSON")
    parser.set_defaults(run=evaluate)


def _add_models_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--models", type=Path, metavar="FOLDER", help="where the robot's models are kept (default: models/ROBOT)"
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run_bag(options: argparse.Namespace) -> int:
    """Adapt to a bag; the model is put in force only if it predicts the tests better."""
    from humanoid_adapt.adaptation_report import as_json
    from humanoid_adapt.assembler import recordings_from_bag
    from humanoid_adapt.estimator import estimate, learn_baseline, refuse_if_worse
    from humanoid_adapt.history import History
    from humanoid_adapt.tip import tips_of

    robot = load_robot(options.robot)
    past = History(options.models or Path("models") / robot.name, robot)
    assembled, motions = evidence(robot, options)
    tips, refused = tips_of(assembled.recordings, robot)
    belief = None
    if options.baseline is not None:
        bare, _ = tips_of(recordings_from_bag(robot, options.baseline, options.namespace).recordings, robot)
        belief = learn_baseline(robot, bare)
    refused = {**assembled.refused, **refused}
    found = estimate(robot, tips, belief, refused=refused, motions=motions, in_force=past.current())
    refuse_if_worse(found)
    if options.urdf is not None:
        write_text("--urdf", options.urdf, found.robot.urdf)
    entry = past.add(found.robot, f"bag {options.bag.name}", datetime.now().astimezone().isoformat(timespec="seconds"))
    answer = {**as_json(found), "model": entry.number, "models": str(past.folder)}
    if options.json:
        print(json.dumps(answer, indent=2))
        return 0
    before, after, sd = ([1e3 * value for value in answer[f"com_{key}_m"]] for key in ("before", "after", "sd"))
    print(f"{robot.name}: model {entry.number} in {past.folder}")
    for axis, old, new, spread in zip("xyz", before, after, sd, strict=True):
        print(f"  centre of mass {axis}  {old:7.1f} mm -> {new:7.1f} mm, give or take {spread:.1f} mm")
    print(f"  mass {found.mass:.3f} kg, give or take {found.mass_sd:.3f} kg")
    if found.link is not None:
        chance = 100 * found.places[found.place]
        print(f"  a load of {found.payload_mass:.2f} kg on {found.link} ({found.place}, {chance:.0f} %)")
    for kind, fit in found.servos.items():
        print(f"  servos {kind} give way as {fit.stiffness:.1f} N m/rad, give or take {fit.stiffness_sd:.1f}")
    print(f"{'test':<20}{'tipped at':>12}{'model before':>15}{'adapted':>10}")
    for residual in found.residuals:
        predicted = (residual.tip_deg + residual.before_deg, residual.tip_deg + residual.after_deg)
        print(f"{residual.name:<20}{residual.tip_deg:8.2f} deg{predicted[0]:11.2f} deg{predicted[1]:6.2f} deg")
    for reason in found.refused.values():
        print(f"  not used: {reason}")
    if assembled.unsound:
        print(f"  {assembled.passed_over()}")
    return 0


def evaluate(options: argparse.Namespace) -> int:
    """Print the scores of all methods on random robots."""
    from joblib import Parallel, delayed
    from tqdm import tqdm

    from humanoid_adapt.evaluate import evaluate_robot, summarize
    from humanoid_adapt.paper_ann import TRAINING_ROBOTS, TRAINING_SEED, train_on_robots
    from humanoid_adapt.protocol import PROTOCOLS, protocol

    if options.jobs == 0:
        raise RobotError("evaluate: --jobs is 0. Give how many processes, or -1 for all cores.")
    if not 0 < options.robots <= 10_000 or not 0 <= options.seed < TRAINING_SEED - options.robots:
        raise RobotError(f"evaluate: --robots must be 1 to 10000, --seed from 0 to {TRAINING_SEED}.")
    drawing = load_robot(options.robot)
    protocol(drawing, options.protocol)
    print(f"training the paper's perceptron on {TRAINING_ROBOTS} robots", file=sys.stderr)
    network = train_on_robots(drawing)
    seeds = range(options.seed, options.seed + options.robots)
    work = (delayed(evaluate_robot)(drawing, seed, options.protocol, network) for seed in seeds)
    done = Parallel(n_jobs=options.jobs, return_as="generator")(work)
    scores = list(tqdm(done, total=len(seeds), unit="robot", file=sys.stderr, mininterval=1))
    methods: dict[str, dict[str, Any]] = summarize(scores)
    tests = len(PROTOCOLS[options.protocol])
    answer = {
        "robots": len(seeds),
        "seed": options.seed,
        "protocol": options.protocol,
        "tests": tests,
        "methods": methods,
    }
    if options.json:
        print(json.dumps(answer, indent=2))
        return 0
    print(f"{len(seeds)} robots from seed {options.seed}, {tests} tests each. Centre of mass in mm, tips in degrees.\n")
    titles = ("CoM", "max", "x", "y", "z", "tip", "place", "68 %", "95 %")
    print(f"{'method':<16}" + "".join(f"{title:>7}" for title in titles) + f"{'s':>8}")
    for name, row in methods.items():
        cells = [row["com_mean_mm"], row["com_max_mm"], *row["com_axis_mean_mm"], row["tip_error_deg"]]
        shares = [row["place_accuracy"], row["coverage68"], row["coverage95"]]
        text = "".join(f"{cell:7.2f}" for cell in cells)
        text += "".join("      -" if share is None else f"{100 * share:5.0f} %" for share in shares)
        print(f"{name:<16}{text}{row['seconds']:8.3f}")
    return 0


def history(options: argparse.Namespace) -> int:
    """List models."""
    from humanoid_adapt.history import History

    robot = load_robot(options.robot)
    past = History(options.models or Path("models") / robot.name, robot)
    rows = [
        {
            "number": entry.number,
            "time": entry.time,
            "cause": entry.cause,
            "mass_kg": robot.with_inertials(entry.inertials).mass,
        }
        for entry in past.entries()
    ]
    if options.json:
        print(json.dumps(rows, indent=2))
        return 0
    print(f"{'MODEL':<7}{'TIME':<28}{'MASS':>9}   CAUSE")
    print(f"{0:<7}{'-':<28}{robot.mass:6.3f} kg   the robot's own description")
    for row in rows:
        print(f"{row['number']:<7}{row['time']:<28}{row['mass_kg']:6.3f} kg   {row['cause']}")
    return 0


def rollback(options: argparse.Namespace) -> int:
    """Put an earlier model in force."""
    from humanoid_adapt.history import History

    robot = load_robot(options.robot)
    past = History(options.models or Path("models") / robot.name, robot)
    entry = past.rollback(options.number, datetime.now().astimezone().isoformat(timespec="seconds"))
    mass = past.current().mass
    if options.json:
        print(json.dumps({"number": entry.number, "time": entry.time, "cause": entry.cause, "mass_kg": mass}))
    else:
        print(f"model {entry.number}: {entry.cause}, {mass:.3f} kg")
    return 0
