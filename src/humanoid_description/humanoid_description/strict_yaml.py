"""YAML read strictly: unknown keys, repeated keys, wrong units and missing sources are errors that name the place.

A physical quantity is written ``[value, unit, source]``; inside a section that has its own ``source`` it may be
``[value, unit]``. Values come out in SI units and radians.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn

import yaml

from humanoid_description.errors import RobotError, did_you_mean

GREATEST = 1e300
"""Size that every number must stay below, so that what is computed from it stays finite."""
# Accepted units and their factor to SI. There are few on purpose: xacro reads the same numbers.
UNITS: Mapping[str, Mapping[str, float]] = {
    "length": {"m": 1.0},
    "mass": {"kg": 1.0},
    "time": {"s": 1.0},
    "angle": {"rad": 1.0, "deg": math.pi / 180},
    "torque": {"N m": 1.0},
    "angular speed": {"rad/s": 1.0, "deg/s": math.pi / 180},
    "angular acceleration": {"rad/s^2": 1.0, "deg/s^2": math.pi / 180},
    "stiffness": {"N/m": 1.0},
    "damping": {"N s/m": 1.0},
    "angular stiffness": {"N m/rad": 1.0},
    "angular damping": {"N m s/rad": 1.0},
    "inertia": {"kg m^2": 1.0},
    "proportional gain": {"1/rad": 1.0},
    "integral gain": {"1/(rad s)": 1.0},
    "derivative gain": {"s/rad": 1.0},
    "voltage": {"V": 1.0},
    "temperature": {"degC": 1.0},
    "speed": {"m/s": 1.0},
    "acceleration": {"m/s^2": 1.0},
    "ratio": {"1": 1.0},
}
ANY_UNIT: Mapping[str, float] = {unit: factor for units in UNITS.values() for unit, factor in units.items()}


class _UniqueKeyLoader(yaml.CSafeLoader):
    """PyYAML keeps the last of two equal keys without a word; here that is an error."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                problem = "a key is a list or mapping; keys are names"
                raise yaml.constructor.ConstructorError(None, None, problem, key.start_mark)
            if key.value in seen:
                problem = f"the key '{key.value}' appears twice; keep one of them"
                raise yaml.constructor.ConstructorError(None, None, problem, key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep)


# YAML 1.1 reads 1:30 as 90 (base 60); here that is a text, and hence refused where a number is due.
_UniqueKeyLoader.yaml_implicit_resolvers = {
    first: [
        (tag, pattern) for tag, pattern in resolvers if tag not in ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float")
    ]
    for first, resolvers in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}
_UniqueKeyLoader.add_implicit_resolver(
    "tag:yaml.org,2002:int", re.compile(r"[-+]?(0|[1-9][0-9]*)\Z"), list("-+0123456789")
)
_UniqueKeyLoader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"([-+]?([0-9]+\.[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?|[-+]?\.inf|\.nan)\Z"),
    list("-+.0123456789"),
)


def read_yaml(file: Path) -> Section:
    """Top section of a YAML file."""
    try:
        return parse_yaml(file.read_text(encoding="utf-8"), file)
    except FileNotFoundError:
        raise RobotError(
            f"{file}: there is no such file. A robot's folder holds robot.yaml and robot.urdf.xacro."
        ) from None
    except (OSError, UnicodeError) as error:
        raise RobotError(f"{file}: cannot be read: {error}.") from error


def parse_yaml(text: str, file: Path) -> Section:
    """Top section of a text; errors name the file, or whatever else stands in its place."""
    try:
        content = yaml.load(text, Loader=_UniqueKeyLoader)
    except Exception as error:  # PyYAML passes on whatever Python says to a date, number or tag it cannot make
        problem = " ".join(str(error).replace('in "<unicode string>", ', "").split())
        raise RobotError(f"{file}: is not valid YAML: {problem}.") from error
    return Section(file, "", content, {})


class Section:
    """One mapping of the file; every key is asked for by name, and `finish` refuses what nobody asked for."""

    def __init__(self, file: Path, path: str, content: Any, sources: dict[str, str], source: str | None = None) -> None:
        self.file = file
        self.path = path
        self.sources = sources
        if not isinstance(content, dict):
            self.fail("", f"is {_what(content)}, not a mapping", "Write it as 'key: value' lines.")
        for key in content:
            if not isinstance(key, str):
                self.fail(str(key), "is not a name", "Write the key in quotes.")
        self.content: dict[str, Any] = content
        self._asked: set[str] = set()
        self._source = self.text("source") if "source" in content else source

    def fail(self, key: str, problem: str, remedy: str) -> NoReturn:
        """Raise the error for a key of this section ('' for the section itself)."""
        place = ".".join(part for part in (self.path, key) if part)
        raise RobotError(f"{self.file}: {place or 'the file'}: {problem}. {remedy}")

    def __contains__(self, key: str) -> bool:
        return key in self.content

    def _get(self, key: str) -> Any:
        self._asked.add(key)
        if key not in self.content:
            self.fail(key, "is missing", f"Add '{key}:' here; docs/own_robot.md describes it.")
        return self.content[key]

    def finish(self) -> None:
        """Refuse keys that mean nothing here."""
        for key in self.content:
            if key not in self._asked:
                self.fail(str(key), "is not a known key", did_you_mean(str(key), self._asked))

    def section(self, key: str) -> Section:
        """The section below a key."""
        place = f"{self.path}.{key}" if self.path else key
        return Section(self.file, place, self._get(key), self.sources, self._source)

    def sections(self) -> Iterator[tuple[str, Section]]:
        """All keys, each with its section."""
        for key in self.content:
            if key != "source":
                yield key, self.section(key)

    def section_list(self, key: str) -> list[Section]:
        """The sections of a list."""
        entries = self._get(key)
        if not isinstance(entries, list):
            self.fail(key, f"is {_what(entries)}, not a list", "Write one '- {...}' line per entry.")
        place = f"{self.path}.{key}" if self.path else key
        return [
            Section(self.file, f"{place}[{index}]", entry, self.sources, self._source)
            for index, entry in enumerate(entries)
        ]

    def text(self, key: str, choices: tuple[str, ...] = ()) -> str:
        """A non-empty text, one of the choices where there are any."""
        value = self._get(key)
        if not isinstance(value, str) or not value.strip():
            self.fail(key, f"is {_what(value)}, not a text", "Write it in quotes.")
        if choices and value not in choices:
            self.fail(key, f"is '{value}'", did_you_mean(value, choices))
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts."""
        value = self._get(key)
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            self.fail(key, f"is {_what(value)}, not a list of names", "Write [name, name].")
        return tuple(value)

    def integer(self, key: str, low: int, high: int) -> int:
        """A whole number between two bounds, both included."""
        value = self._get(key)
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            self.fail(key, f"is {_what(value)}", f"Write a whole number from {low} to {high}.")
        return value

    def plain_number(self, key: str, low: float, high: float) -> float:
        """A number without unit or source between two bounds, both included."""
        return self._scaled(key, self._get(key), 1.0, low, high)

    def number(self, key: str, dimension: str, low: float = -math.inf, high: float = math.inf) -> float:
        """A quantity in SI units; `low` and `high` are SI bounds, both included."""
        value, factor = self._row(key, UNITS[dimension])
        return self._scaled(key, value, factor, low, high)

    def vector(self, key: str, dimension: str, length: int) -> tuple[float, ...]:
        """A quantity of several components in SI units."""
        values, factor = self._row(key, UNITS[dimension])
        if not isinstance(values, list) or len(values) != length:
            self.fail(key, f"has the value {values!r}", f"Write {length} numbers in brackets.")
        return tuple(self._scaled(key, value, factor) for value in values)

    def number_map(self, key: str, dimension: str) -> dict[str, float]:
        """A quantity per name in SI units."""
        values, factor = self._row(key, UNITS[dimension])
        if not isinstance(values, dict):
            self.fail(key, f"has the value {values!r}", "Write [{name: value, name: value}, unit].")
        for name in values:
            if not isinstance(name, str):
                self.fail(f"{key}.{name}", "is not a name", "Write the key in quotes.")
        return {name: self._scaled(f"{key}.{name}", value, factor) for name, value in values.items()}

    def free_number(self, key: str) -> float | tuple[float, ...]:
        """A scalar or vector quantity of whatever dimension its unit says, in SI units."""
        value, factor = self._row(key, ANY_UNIT)
        if isinstance(value, list):
            return tuple(self._scaled(key, item, factor) for item in value)
        return self._scaled(key, value, factor)

    def _row(self, key: str, units: Mapping[str, float]) -> tuple[Any, float]:
        row = self._get(key)
        wanted = " or ".join(units)
        if not isinstance(row, list) or len(row) not in (2, 3):
            self.fail(key, f"is {_what(row)}", f'Write [value, unit, "where it comes from"] with the unit {wanted}.')
        if not isinstance(row[1], str):
            self.fail(
                key, f"has the unit {row[1]!r}, which is not a text", f"Write a unit in quotes, one of: {wanted}."
            )
        if row[1] not in units:
            self.fail(key, f"has the unit '{row[1]}'", f"Convert the value and write the unit {wanted}.")
        source = row[2] if len(row) == 3 else self._source
        if not isinstance(source, str) or not source.strip():
            remedy = "Add a third item, or a 'source' to the section, that says where the number comes from."
            self.fail(key, "has no source", remedy)
        self.sources[f"{self.path}.{key}" if self.path else key] = source
        return row[0], units[row[1]]

    def _scaled(self, key: str, value: Any, factor: float, low: float = -math.inf, high: float = math.inf) -> float:
        if not isinstance(value, (int, float)) or isinstance(value, bool):
            remedy = "Write a number with a decimal point and a signed exponent, such as 1.0e+6."
            self.fail(key, f"has the value {value!r}, which YAML does not read as a number", remedy)
        scaled = float(value) * factor if abs(value) < GREATEST else math.inf
        if not math.isfinite(scaled) or not low <= scaled <= high:
            allowed = f"at least {low:g}" if high == math.inf else f"from {low:g} to {high:g}"
            bounded = low != -math.inf and math.isfinite(scaled)
            remedy = f"In SI units it must be {allowed}." if bounded else f"Write a finite number below {GREATEST:g}."
            self.fail(key, f"has the value {str(value)[:40]}", remedy)
        return scaled


def _what(value: Any) -> str:
    return "empty" if value is None else f"{value!r}"
