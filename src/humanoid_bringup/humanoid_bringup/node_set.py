"""What a set of programs is: its arguments, and the command lines that they make."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from humanoid_description import Robot, RobotError

Values = Mapping[str, str]


@dataclass(frozen=True)
class Argument:
    """What a person may choose about a set."""

    name: str
    description: str
    default: str | None = ""
    """None if it must be given."""
    choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class Program:
    """One process of a set: a command line of `humanoid`."""

    name: str
    arguments: tuple[str, ...]
    remappings: tuple[tuple[str, str], ...] = ()
    """ROS names, from and to."""
    essential: bool = True
    """Whether the others are stopped when it ends."""
    patient: bool = False
    """Whether it gives way to the others when time is short."""


@dataclass(frozen=True)
class ShownRobot:
    """A robot of a set, for those who draw it."""

    namespace: str
    robot: Robot
    ghost_of: str = ""
    """Namespace of the robot that it is drawn over, for comparison."""


@dataclass(frozen=True)
class Plan:
    """What runs."""

    programs: tuple[Program, ...]
    robots: tuple[ShownRobot, ...] = ()


@dataclass(frozen=True)
class NodeSet:
    """Programs that do one job together."""

    name: str
    summary: str
    arguments: tuple[Argument, ...]
    build: Callable[[Values], Plan]

    def plan(self, given: Values) -> Plan:
        """Programs for these arguments; what is not given has its default. RobotError for what cannot be."""
        known = {argument.name: argument for argument in self.arguments}
        values = {}
        for name in given:
            if name not in known:
                raise RobotError(f"{self.name}: there is no argument '{name}'. Known: {', '.join(known)}.")
        for name, argument in known.items():
            value = given.get(name, argument.default)
            if value is None:
                raise RobotError(f"{self.name}: '{name}' is missing. Give {argument.description}.")
            if argument.choices and value not in argument.choices:
                raise RobotError(f"{self.name}: {name} is '{value}'. Choose from {', '.join(argument.choices)}.")
            values[name] = value
        return self.build(values)
