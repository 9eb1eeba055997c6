"""The search for a gait in a file: which gaits were tried for what, by several processes, and gone on with later."""

from __future__ import annotations

import dataclasses
import multiprocessing
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from joblib import Parallel, cpu_count, delayed

from humanoid_bringup.tuning import Search, ranges, score, varied
from humanoid_description import RobotError

UNREADABLE = (AssertionError, AttributeError, IndexError, KeyError, TypeError, ValueError)
"""What Optuna raises for a file that is none of its own."""


def open_study(file: Path, search: Search) -> Any:
    """The Optuna study in a file, which is made if there is none; RobotError if it is of another search."""
    try:
        study = _study(file)
        before = study.user_attrs.get("search")
        fresh = before is None and not study.trials
    except UNREADABLE:
        raise RobotError(f"tune: --study {file}: is no study of gaits. Name another file, or delete it.") from None
    wanted = described(search)
    if fresh:
        study.set_user_attr("search", wanted)
    elif before != wanted:
        raise RobotError(
            f"tune: --study {file}: is of another search ({_difference(before or {}, wanted)}). "
            "Ask for the same, name another file, or delete it."
        )
    return study


def described(search: Search) -> dict[str, Any]:
    """All that the score of a gait depends on, as a study keeps it."""
    robot = search.robot
    gait = {f"gait {name}": value for name, value in dataclasses.asdict(search.present).items()}
    loads = [f"{load.mass:g} kg on {load.link} at {load.position_in_link}" for load in robot.payloads]
    told = {"goal": search.goal, "speed": search.speed, "seeds": search.seeds, "torque share": search.torque_share}
    return {"robot": robot.name, "payload": ", ".join(loads) or "none", **told, **gait}


def explore(file: Path, search: Search, trials: int) -> None:
    """Try so many gaits, on all cores; Ctrl-C leaves those that were tried in the file."""
    jobs = min(cpu_count(), trials)
    shares = [trials // jobs + (index < trials % jobs) for index in range(jobs)]
    # Other samples than those of an earlier run: they are random until there is something to learn from.
    seed = len(open_study(file, search).trials)
    Parallel(n_jobs=jobs)(delayed(_try)(file, search, seed + index, share) for index, share in enumerate(shares))


def best_walk(study: Any) -> Mapping[str, float] | None:
    """Parameters of the best gait with which no walk fell; None if there is none."""
    upright = [trial for trial in study.trials if trial.value is not None and trial.user_attrs.get("falls") == 0]
    return max(upright, key=lambda trial: float(trial.value)).params if upright else None


def _study(file: Path) -> Any:
    import optuna  # installed on demand
    from optuna.storages import JournalStorage
    from optuna.storages.journal import JournalFileBackend

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    storage = JournalStorage(JournalFileBackend(str(file)))
    return optuna.create_study(study_name="gait", storage=storage, direction="maximize", load_if_exists=True)


def _try(file: Path, search: Search, seed: int, trials: int) -> None:
    import optuna

    if multiprocessing.current_process().name != "MainProcess":
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the one who started this process, and ends it
    bounds = ranges(search.robot, search.present)

    def objective(trial: Any) -> float:
        values = {name: trial.suggest_float(name, low, high) for name, (low, high) in bounds.items()}
        try:
            found = score(search, varied(search.present, values))
        except RobotError as error:
            raise optuna.TrialPruned from error
        trial.set_user_attr("falls", found.falls)
        return found.value

    study = _study(file)
    study.sampler = optuna.samplers.TPESampler(seed=seed, multivariate=True, constant_liar=True)
    study.optimize(objective, n_trials=trials)


def _difference(before: Mapping[str, Any], wanted: Mapping[str, Any]) -> str:
    names = [name for name in wanted if before.get(name) != wanted[name]]
    return "; ".join(f"{name}: {before.get(name, 'not told')} there, {wanted[name]} here" for name in names)
