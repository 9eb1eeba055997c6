"""How a robot walks, in numbers: from its gait.yaml, or derived from the model where it has none."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass, field
from pathlib import Path

from humanoid_description import Robot, RobotError
from humanoid_description.inertial import GRAVITY
from humanoid_description.strict_yaml import read_yaml
from humanoid_gait.leg_ik import leg_of

FILE = "gait.yaml"
# Units in which gait.yaml is written, per dimension of strict_yaml.
UNIT = {"time": "s", "length": "m", "ratio": "1", "angle": "rad", "speed": "m/s", "angular speed": "rad/s"}
UNIT |= {"acceleration": "m/s^2", "angular acceleration": "rad/s^2"}


def _parameter(dimension: str, low: float, high: float) -> float:
    """A field of GaitParameters with its dimension and the range in which it makes sense."""
    value: float = field(metadata={"dimension": dimension, "low": low, "high": high})
    return value


@dataclass(frozen=True)
class GaitParameters:
    """Numbers of the walk."""

    step_time: float = _parameter("time", 0.05, 5.0)
    """From one landing to the next."""
    double_support: float = _parameter("ratio", 0.01, 0.9)
    """Share of a step in which the weight goes from one foot to the other."""
    lift: float = _parameter("length", 0.0, 0.5)
    """Greatest height of the swinging foot."""
    hip_height: float = _parameter("length", 0.01, 5.0)
    """Of the hip above the ankle."""
    stance: float = _parameter("length", 0.0, 1.0)
    """Between the ankles of a robot that stands."""
    zmp_forward: float = _parameter("length", -0.5, 0.5)
    """Of the zero moment point in front of the ankle."""
    zmp_inward: float = _parameter("length", -0.5, 0.5)
    """Of the zero moment point, from the ankle towards the other foot."""
    stride: float = _parameter("ratio", 0.5, 2.0)
    """Planned over walked speed: servos and ground give way."""
    torso_pitch: float = _parameter("angle", -0.8, 0.8)
    """Forward lean."""
    sag: float = _parameter("ratio", 0.0, 1.5)
    """Share of the servos' yielding to the load that the command makes up for."""
    lead: float = _parameter("ratio", 0.0, 1.5)
    """Share of the servos' lag that the command makes up for."""
    acceleration: float = _parameter("acceleration", 0.0, 10.0)
    """By which the walking speed may change."""
    turn_acceleration: float = _parameter("angular acceleration", 0.0, 50.0)
    max_forward: float = _parameter("speed", 0.0, 5.0)
    max_sideways: float = _parameter("speed", 0.0, 5.0)
    max_turn: float = _parameter("angular speed", 0.0, 10.0)
    ankle_rate: float = _parameter("time", 0.0, 1.0)
    """Ankle of the standing leg against the torso's turning, rad per rad/s."""
    hip_rate: float = _parameter("time", 0.0, 1.0)
    """Likewise the hip."""
    placement: float = _parameter("ratio", 0.0, 2.0)
    """Share of the predicted error of the DCM by which the next step is displaced."""

    def __post_init__(self) -> None:
        """Refuse values outside of the ranges."""
        for item in dataclasses.fields(self):
            value, low, high = getattr(self, item.name), item.metadata["low"], item.metadata["high"]
            if not isinstance(value, (int, float)) or not low <= value <= high:
                unit = UNIT[item.metadata["dimension"]]
                raise RobotError(f"gait: {item.name} is {value}. Give a number from {low} to {high} {unit}.")


def derived_gait(robot: Robot) -> GaitParameters:
    """A careful walk for a robot of which only the model is known, scaled by its legs and its own time, sqrt(l/g)."""
    leg, foot = leg_of(robot, "left"), robot.parameters.feet["left"]
    length = leg.thigh + leg.shank
    tempo = math.sqrt((length + foot.depth) / GRAVITY)
    return GaitParameters(
        step_time=2.0 * tempo,
        double_support=0.1,
        lift=0.12 * length,
        hip_height=0.88 * length,
        stance=max(float(2 * leg.hip_in_base[1]), foot.left + foot.right + 0.01),
        zmp_forward=0.5 * (foot.front - foot.rear),
        zmp_inward=0.1 * foot.right,
        stride=1.0,
        torso_pitch=0.0,
        sag=0.8,
        lead=0.2,
        acceleration=0.25 * length / tempo**2 / GRAVITY,
        turn_acceleration=0.2 / tempo,
        max_forward=0.15 * length / tempo,
        max_sideways=0.05 * length / tempo,
        max_turn=0.035 / tempo,
        ankle_rate=0.0,
        hip_rate=0.0,
        placement=0.0,
    )


def load_gait(robot: Robot) -> GaitParameters:
    """The walk of a robot: that of its gait.yaml if it has one."""
    file = robot.folder / FILE
    return read_gait(file) if file.exists() else derived_gait(robot)


def read_gait(file: Path) -> GaitParameters:
    """Read a gait.yaml; every number is [value, unit, source], or [value, unit] below a common source."""
    top = read_yaml(file)
    values = {
        item.name: top.number(item.name, item.metadata["dimension"], item.metadata["low"], item.metadata["high"])
        for item in dataclasses.fields(GaitParameters)
    }
    top.finish()
    return GaitParameters(**values)


def write_gait(file: Path, gait: GaitParameters, source: str) -> None:
    """Write a gait.yaml; `source` says where the numbers come from."""
    lines = [f'source: "{source}"']
    for item in dataclasses.fields(gait):
        lines.append(f'{item.name}: [{float(getattr(gait, item.name)):.6g}, "{UNIT[item.metadata["dimension"]]}"]')
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
