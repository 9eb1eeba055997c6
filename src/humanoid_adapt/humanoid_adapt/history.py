"""The history of a robot's models: every adapted one with its time and cause, and the way back."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from humanoid_description import Inertial, Robot, RobotError, inertial


@dataclass(frozen=True)
class Entry:
    """One model of the history."""

    number: int
    time: str
    """ISO 8601, with the zone."""
    cause: str
    inertials: Mapping[str, Inertial]
    """Of the links that differ from the robot's folder; none for the model of the folder."""
    first: int
    """Number with which this model first came into force, an earlier one after a rollback; 0 for the folder's."""


class History:
    """Models of one robot in a folder, a file each; the one with the greatest number is in force."""

    def __init__(self, folder: Path, robot: Robot) -> None:
        self.folder = folder
        self.robot = robot

    def entries(self) -> list[Entry]:
        """All models, oldest first."""
        if self.folder.exists() and not self.folder.is_dir():
            raise RobotError(f"history {self.folder}: is not a folder. Choose another --models.")
        files = sorted(self.folder.glob("[0-9][0-9][0-9][0-9].json"))
        return [self._read(file) for file in files]

    def _read(self, file: Path) -> Entry:
        try:
            content: dict[str, Any] = json.loads(file.read_text())
            if content["robot"] != self.robot.name:
                raise RobotError(
                    f"{file}: robot: is {content['robot']}, not {self.robot.name}. Choose another --models."
                )
            values = {
                link: inertial(body["mass"], body["com"], body["inertia"])
                for link, body in content["inertials"].items()
            }
            number = int(file.stem)
            first = int(content.get("first", number))
            return Entry(number, str(content["time"]), str(content["cause"]), values, first)
        except (OSError, ValueError, KeyError, TypeError) as error:
            if isinstance(error, RobotError):
                raise
            raise RobotError(f"{file}: is not a model of a history ({error!r}). Move it away.") from None

    def current(self) -> Robot:
        """The robot with the newest model; as its folder describes it if there is none."""
        entries = self.entries()
        return self.robot.with_inertials(entries[-1].inertials) if entries else self.robot

    def add(self, robot: Robot, cause: str, time: str) -> Entry:
        """Put a model in force."""
        changed = {
            link: body for link, body in robot.inertials.items() if body != self.robot.base_model.inertials[link]
        }
        return self._write(changed, cause, time)

    def back(self, time: str) -> Entry:
        """Put the model before the one in force in force again; RobotError if there is none before it."""
        entries = self.entries()
        if not entries or entries[-1].first == 0:
            raise RobotError(
                f"history {self.folder}: the robot's own description is in force. There is none before it."
            )
        return self.rollback(entries[-1].first - 1, time)

    def rollback(self, number: int, time: str) -> Entry:
        """Put an earlier model in force again, 0 for that of the folder; nothing is deleted."""
        entries = {entry.number: entry for entry in self.entries()}
        if number != 0 and number not in entries:
            known = ", ".join(str(known) for known in [0, *entries])
            raise RobotError(f"history {self.folder}: has no model {number}. It has: {known}.")
        inertials = entries[number].inertials if number else {}
        return self._write(inertials, f"back to model {number}", time, entries[number].first if number else 0)

    def _write(self, inertials: Mapping[str, Inertial], cause: str, time: str, first: int | None = None) -> Entry:
        entries = self.entries()
        number = entries[-1].number + 1 if entries else 1
        bodies = {
            link: {"mass": body.mass, "com": body.com_in_link.tolist(), "inertia": body.inertia_about_com.tolist()}
            for link, body in inertials.items()
        }
        first = number if first is None else first
        content = {"robot": self.robot.name, "time": time, "cause": cause, "first": first, "inertials": bodies}
        file = self.folder / f"{number:04d}.json"
        # Whole or not at all: another process may read at any time.
        draft = file.with_suffix(f".{os.getpid()}.draft")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            draft.write_text(json.dumps(content, indent=1))
            draft.rename(file)
        except OSError as error:
            raise RobotError(f"history {self.folder}: cannot be written: {error}. Choose another --models.") from None
        return Entry(number, time, cause, inertials, first)
