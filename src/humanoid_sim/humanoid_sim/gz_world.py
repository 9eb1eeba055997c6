"""World files for Gazebo, with robots put into them: what `gz sim` is given, and what the system in it reads."""

from __future__ import annotations

import os
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from humanoid_description import RobotError, load_robot
from humanoid_description.errors import did_you_mean
from humanoid_description.interpolation import WAYS
from humanoid_description.strict_yaml import parse_yaml
from humanoid_sim.gz_model import Start, model_element

Box = tuple[tuple[float, float, float], tuple[float, float, float]]
MODULE = "humanoid_sim.gz_system"
DEFAULT_RATE = 100.0
"""Of commands and joint states, Hz."""


@dataclass(frozen=True)
class GzRobot:
    """A robot as the plugin element of a world names it."""

    robot: str
    """Name, or folder with a robot.yaml."""
    payload: tuple[str, ...] = ()


@dataclass(frozen=True)
class GzSettings:
    """Parameters of the plugin element."""

    robots: Mapping[str, GzRobot]
    """By namespace, which is also the name of the model."""
    rate: float = DEFAULT_RATE
    """Of commands and joint states per simulated second, Hz."""
    interpolation: str = "linear"
    report: str = ""
    """File for how the run went, written at its end; none if empty."""


def worlds_folder() -> Path:
    """Where the world files are: the source tree, or share/ of an installation."""
    prefixes = [*os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep), sys.prefix]
    places = [Path(__file__).parents[1], *(Path(prefix) / "share" / "humanoid_sim" for prefix in prefixes if prefix)]
    for place in places:
        if (place / "worlds").is_dir():
            return place / "worlds"
    raise RobotError("the folder 'worlds' of humanoid_sim is not found. Build and source the workspace.")


def world_names() -> tuple[str, ...]:
    """Worlds that come with the suite."""
    return tuple(sorted(file.stem for file in worlds_folder().glob("*.sdf")))


def world_file(name_or_file: str | Path) -> Path:
    """A world that comes with the suite by name, or any by its file."""
    named = worlds_folder() / f"{name_or_file}.sdf"
    file = named if named.is_file() else Path(name_or_file)
    if not file.is_file():
        raise RobotError(f"world '{name_or_file}': is no file. {did_you_mean(str(name_or_file), world_names())}")
    return file


def write_world(
    world: str | Path,
    settings: GzSettings,
    starts: Mapping[str, Start],
    *,
    obstacles: Sequence[Box] = (),
    real_time_factor: float | None = None,
    step: float | None = None,
    postures: Mapping[str, Mapping[str, float]] | None = None,
) -> str:
    """SDF text of a world with robots in it, standing.

    Args:
        world: Name or file.
        settings: Robots, and how the plugin serves them.
        starts: x, y (m) and yaw (rad) of each robot.
        obstacles: Boxes beside what the world has: centre and size, m.
        real_time_factor: Simulated over real time; 0 for as fast as it goes, the world's own if not given.
        step: Of time, s; the world's own if not given.
        postures: In which robots stand, rad, where it is not robot.yaml's.
    """
    file = world_file(world)
    try:
        sdf = ET.parse(file).getroot()
    except ET.ParseError as error:
        raise RobotError(f"{file}: is no SDF ({error}). Give a world file.") from None
    element = sdf.find("world")
    plugins = [
        plugin for plugin in sdf.iterfind("world/plugin") if plugin.findtext("module_name", "").strip() == MODULE
    ]
    if element is None or len(plugins) != 1:
        raise RobotError(f"{file}: has {len(plugins)} plugins with the module {MODULE}. It needs one, see empty.sdf.")
    robots = {name: {"robot": one.robot, "payload": list(one.payload)} for name, one in settings.robots.items()}
    flow = yaml.safe_dump(robots, default_flow_style=True, width=1 << 20, sort_keys=False).strip()
    texts = {"robots": flow, "rate": repr(settings.rate), "interpolation": settings.interpolation}
    for key, value in (texts | ({"report": settings.report} if settings.report else {})).items():
        _set(plugins[0], key, value)
    physics = element.find("physics")
    if physics is None:
        raise RobotError(f"{file}: has no element <physics>. Add one with max_step_size 0.001.")
    for key, number in (("real_time_factor", real_time_factor), ("max_step_size", step)):
        if number is not None:
            _set(physics, key, repr(number))
    for index, (position, size) in enumerate(obstacles):
        element.append(_box(f"box_{index}", position, size))
    for name, one in settings.robots.items():
        robot = load_robot(one.robot, one.payload)
        element.append(model_element(robot, name, starts[name], (postures or {}).get(name)))
    ET.indent(sdf)
    return '<?xml version="1.0"?>\n' + ET.tostring(sdf, encoding="unicode") + "\n"


def read_settings(get_text: Callable[[str], str]) -> GzSettings:
    """Parameters of the plugin element, of which `get_text` gives the text by key; '' where it is missing."""
    place = f"plugin {MODULE}"
    robots = parse_yaml(get_text("robots").strip() or "{}", Path(f"{place}: robots"))
    named = {}
    for name, section in robots.sections():
        payload = section.texts("payload") if "payload" in section else ()
        named[name] = GzRobot(section.text("robot"), payload)
        section.finish()
    rate = get_text("rate").strip() or repr(DEFAULT_RATE)
    try:
        hertz = float(rate)
    except ValueError:
        raise RobotError(f"{place}: rate: is '{rate}'. Give a number of Hz, such as 100.") from None
    interpolation = get_text("interpolation").strip() or "linear"
    if interpolation not in WAYS:
        raise RobotError(f"{place}: interpolation: is '{interpolation}'. {did_you_mean(interpolation, WAYS)}")
    return GzSettings(named, hertz, interpolation, get_text("report").strip())


def _set(parent: ET.Element, tag: str, text: str) -> None:
    element = parent.find(tag)
    (ET.SubElement(parent, tag) if element is None else element).text = text


def _box(name: str, position: tuple[float, float, float], size: tuple[float, float, float]) -> ET.Element:
    """A box that stays where it is."""
    model = ET.Element("model", name=name)
    _set(model, "static", "true")
    _set(model, "pose", " ".join(map(repr, (*position, 0.0, 0.0, 0.0))))
    link = ET.SubElement(model, "link", name=name)
    for kind in ("collision", "visual"):
        shape = ET.SubElement(link, kind, name=f"{name}_{kind}")
        box = ET.SubElement(ET.SubElement(shape, "geometry"), "box")
        _set(box, "size", " ".join(map(repr, size)))
    return model
