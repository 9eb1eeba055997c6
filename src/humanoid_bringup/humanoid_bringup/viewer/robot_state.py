"""What is known of one robot now, from its messages; and the last seconds of every joint, in a bounded memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from humanoid_bringup.bridge_mode import BridgeMode
from humanoid_bringup.viewer.base_pose import BasePose
from humanoid_bringup.viewer.shown_model import ShownModel

Array = NDArray[np.float64]
VARIABLES = {"reference": "rad", "angle": "rad", "speed": "rad/s", "torque": "N m", "temperature": "degC"}
"""What is known of a joint, with its unit."""
REMEMBERED = 2000
"""Joint states kept for plots: 20 s at 100 Hz."""
FALLEN_TILT = np.radians(50)
"""Of the base."""
GHOST = "_ghost"
"""How the namespace ends of a robot that is drawn for comparison."""


@dataclass(frozen=True)
class FootForce:
    """What the ground does to a foot."""

    link: str
    force: Array
    """N, in the axes of the link."""
    torque: Array
    """N m, about the origin of the link."""


@dataclass(frozen=True)
class PlanMark:
    """A point, or a line along points, of the plan of a walk."""

    name: str
    points: Array
    """m in the base link, shape (n, 3)."""
    colour: tuple[float, float, float]


class JointMemory:
    """The last values of all variables of all joints."""

    def __init__(self, joint_names: Sequence[str]) -> None:
        self.joint_names = tuple(joint_names)
        self._times = np.full(REMEMBERED, np.nan)
        self._values = np.full((REMEMBERED, len(joint_names), len(VARIABLES)), np.nan, dtype=np.float32)
        self._next = 0

    def add(self, time: float, values: Array) -> None:
        """Remember all variables (joints, variables) at a time (s); time that goes back begins anew."""
        last = self._times[self._next - 1]
        if time < last:
            self._times[:] = np.nan
        self._times[self._next], self._values[self._next] = time, values
        self._next = (self._next + 1) % REMEMBERED

    def series(self, joint: str, variable: str, points: int) -> tuple[Array, Array]:
        """Times (s) and values of a joint's variable, at most so many points, oldest first."""
        order = np.r_[self._next : REMEMBERED, 0 : self._next]
        order = order[np.isfinite(self._times[order])]
        order = order[:: max(1, -(-len(order) // points))]
        column = self._values[order, self.joint_names.index(joint), list(VARIABLES).index(variable)]
        return self._times[order], column.astype(float)


@dataclass
class RobotState:
    """One robot of the graph, by its namespace."""

    namespace: str
    model: ShownModel | None = None
    time: float = 0.0
    """s, of the newest joint state."""
    heard: float = -np.inf
    """s of the viewer's own clock at which the newest joint state came."""
    joints: dict[str, dict[str, float]] = field(default_factory=dict)
    """By joint and variable."""
    base: BasePose = field(default_factory=BasePose)
    feet: dict[str, FootForce] = field(default_factory=dict)
    plan: list[PlanMark] = field(default_factory=list)
    gait: str = ""
    """State of the gait node, empty where there is none."""
    doing: str = ""
    """What the gait node says that it does."""
    bridge: BridgeMode | None = None
    """Whether its servos are on; None where it has no bridge, as in a simulator."""
    fall_test: Mapping[str, str] = field(default_factory=dict)
    """Test, support, direction and phase."""
    result: Mapping[str, Any] = field(default_factory=dict)
    """Of the newest adaptation."""
    adapted: ShownModel | None = None
    memory: JointMemory = field(default_factory=lambda: JointMemory(()))

    @property
    def ghost(self) -> bool:
        """Whether it is drawn for comparison only."""
        return self.namespace.endswith(GHOST)

    @property
    def testing(self) -> bool:
        """Whether a fall test is under way."""
        return self.fall_test.get("phase", "") not in ("", "done")

    def describe(self, urdf: str) -> None:
        """Take in a robot_description; RobotError if it cannot be drawn."""
        if self.model is None or self.model.urdf != urdf:
            self.model = ShownModel(urdf)
            self.joints = {name: dict.fromkeys(VARIABLES, np.nan) for name in self.model.joint_names}
            self.memory = JointMemory(self.model.joint_names)

    def adapt(self, urdf: str) -> None:
        """Take in an adapted_description."""
        self.adapted = ShownModel(urdf, "adapted_description")

    @property
    def posture(self) -> dict[str, float]:
        """Joint angles that are known, rad."""
        return {name: values["angle"] for name, values in self.joints.items() if np.isfinite(values["angle"])}

    def hear_joints(self, time: float, now: float, heard: Mapping[str, Sequence[float]]) -> None:
        """Take in joint states of a time (s): angle, speed and torque by joint."""
        if self.model is None:
            return
        for name, values in heard.items():
            if name in self.joints:
                self.joints[name].update(zip(("angle", "speed", "torque"), values, strict=False))
        self.time, self.heard = time, now
        self.memory.add(time, np.array([list(values.values()) for values in self.joints.values()]))

    def hear_reference(self, heard: Mapping[str, float]) -> None:
        """Take in commanded angles, rad."""
        for name, angle in heard.items():
            if name in self.joints:
                self.joints[name]["reference"] = angle

    def hear_temperature(self, joint: str, temperature: float) -> None:
        """Take in the temperature of a joint's servo, degC."""
        if joint in self.joints:
            self.joints[joint]["temperature"] = temperature

    @property
    def fallen(self) -> bool:
        """Whether its base is tilted beyond recovery."""
        return bool(self.base.T_world_base[2, 2] < np.cos(FALLEN_TILT))
