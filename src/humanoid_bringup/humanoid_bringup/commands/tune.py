"""`humanoid tune`: search a better gait in the simulator."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from joblib import Parallel, cpu_count, delayed

from humanoid_bringup.commands import Commands, add_command, add_payload_option
from humanoid_bringup.extras import require
from humanoid_bringup.tuning import GOALS, ranges, score, varied
from humanoid_description import Robot, RobotError, load_robot
from humanoid_gait.gait_parameters import GaitParameters, load_gait, write_gait


def add_parsers(commands: Commands) -> None:
    """Add `tune`."""
    example = "tune fibo_km --goal push --speed 0.3 --trials 200 --out gait.yaml"
    parser = add_command(commands, "tune", "search a better gait for a robot in the simulator", example)
    parser.add_argument("robot", help="name, or folder with a robot.yaml")
    parser.add_argument("--goal", choices=GOALS, default="speed", help="what to be good at (default: %(default)s)")
    parser.add_argument("--speed", type=float, help="m/s told to the robot (default: half of what its gait allows)")
    parser.add_argument("--trials", type=int, default=100, metavar="N", help="gaits to try (default: %(default)s)")
    parser.add_argument("--seeds", type=int, default=3, metavar="N", help="walks per gait (default: %(default)s)")
    parser.add_argument("--torque-share", type=float, default=1.0, help="torque limit over the servos' own")
    parser.add_argument(
        "--study",
        type=Path,
        metavar="FILE",
        help="where trials are kept; one that exists is gone on with (default: tune_ROBOT_GOAL.log here)",
    )
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="gait.yaml to write (default: into the robot's folder)"
    )
    add_payload_option(parser)
    parser.add_argument("--json", action="store_true", help="print {before, after, parameters, file}")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Search, and write the best gait if it beats the present one."""
    robot = load_robot(options.robot, options.payload)
    present = load_gait(robot)
    speed = present.max_forward / 2 if options.speed is None else options.speed
    if not 0 < speed <= present.max_forward or options.trials < 1 or options.seeds < 1:
        raise RobotError(
            f"tune: --speed must be above zero and at most {present.max_forward:.3g}, --trials and --seeds one or more."
        )
    out = options.out or robot.folder / "gait.yaml"
    if not out.parent.is_dir():
        raise RobotError(f"tune: --out {out}: there is no folder {out.parent}. Make it first.")
    require("tune")
    file = options.study or Path(f"tune_{robot.name}_{options.goal}.log")
    search = (robot, present, options.goal, speed, range(options.seeds), options.torque_share)
    before = score(robot, present, options.goal, speed, range(options.seeds), options.torque_share)
    jobs = min(cpu_count(), options.trials)
    shares = [options.trials // jobs + (index < options.trials % jobs) for index in range(jobs)]
    print(f"trying {options.trials} gaits; Ctrl-C keeps what was found in {file}", file=sys.stderr)
    Parallel(n_jobs=jobs)(delayed(_search)(file, number, share, search) for number, share in enumerate(shares))
    best = _study(file).best_trial
    found = best.value is not None and best.value > before
    answer = {"before": before, "after": best.value, "parameters": best.params, "file": str(out) if found else None}
    if found:
        told = f"tune --goal {options.goal} --speed {speed:g}: {best.value:.3f} where it was {before:.3f}"
        write_gait(out, varied(present, best.params), told)
    if options.json:
        print(json.dumps(answer))
    elif found:
        print(f"{out}: {options.goal} {best.value:.3f}, before {before:.3f}")
    else:
        print(f"nothing better than the present gait ({before:.3f}) was found; nothing was written")
    return 0


def _study(file: Path) -> Any:
    import optuna  # installed on demand
    from optuna.storages import JournalStorage
    from optuna.storages.journal import JournalFileBackend

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    storage = JournalStorage(JournalFileBackend(str(file)))
    return optuna.create_study(study_name="gait", storage=storage, direction="maximize", load_if_exists=True)


def _search(
    file: Path, number: int, trials: int, search: tuple[Robot, GaitParameters, str, float, range, float]
) -> None:
    """Try some gaits; several processes do so on one study."""
    import optuna

    robot, present, goal, speed, seeds, torque_share = search
    bounds = ranges(robot, present)

    def objective(trial: Any) -> float:
        values = {name: trial.suggest_float(name, low, high) for name, (low, high) in bounds.items()}
        try:
            return score(robot, varied(present, values), goal, speed, seeds, torque_share)
        except RobotError as error:
            raise optuna.TrialPruned from error

    study = _study(file)
    study.sampler = optuna.samplers.TPESampler(seed=number, multivariate=True, constant_liar=True)
    study.optimize(objective, n_trials=trials)
