"""Gazebo in this process behind the face of the simulation, so that whatever drives the one can drive the other.

It needs Gazebo's Python modules in this Python. Gazebo's TestFixture runs the world step by step; it cannot be combined
with the python-system-loader, so the plugin element is taken out of the world.
"""

from __future__ import annotations

import sys
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from humanoid_description import Robot, RobotError
from humanoid_sim.gz_model import model_element
from humanoid_sim.gz_modules import load_gz
from humanoid_sim.gz_robots import GzRobots
from humanoid_sim.gz_services import GzServices
from humanoid_sim.gz_world import world_file
from humanoid_sim.shadow import Shadow
from humanoid_sim.simulation import DEFAULT_DT, Noise


class GzSimulation(Shadow):
    """Robots on flat ground in Gazebo, as fast as it goes."""

    def __init__(
        self,
        robots: Mapping[str, Robot] | Robot,
        seed: int = 0,
        *,
        dt: float = DEFAULT_DT,
        torque_share: float = 1.0,
        command_delay: float = 0.0,
        noise: Noise | None = None,
    ) -> None:
        """Put robots into Gazebo; arguments are those of the simulation. The world begins with the first step."""
        self._gz = load_gz()
        super().__init__(robots, seed, dt=dt, torque_share=torque_share, command_delay=command_delay, noise=noise)
        self._fixture: Any = None
        self._side: GzRobots | None = None
        self._error: Exception | None = None
        self._left = 0

    def place(self, namespace: str, position: Sequence[float] | NDArray[np.float64]) -> None:
        """Before the first step: in which posture (rad, in the order of Robot.joint_names) a robot begins."""
        if self._fixture is not None:
            raise RobotError(f"place {namespace}: Gazebo is running. Place robots before the first step.")
        super().place(namespace, position)
        self.postures[namespace] = dict(zip(self.robots[namespace].joint_names, map(float, position), strict=True))

    def step(self, count: int = 1) -> None:
        """Let Gazebo advance by a number of time steps."""
        if self._fixture is None:
            self._begin()
        self._left = count
        self._fixture.server().run(True, count, False)
        if self._error is not None:
            raise self._error

    def _begin(self) -> None:
        world = ET.parse(world_file("empty")).getroot()
        element = world.find("world")
        assert element is not None
        for plugin in element.findall("plugin"):
            if plugin.find("module_name") is not None:
                element.remove(plugin)
        for key, value in (("max_step_size", repr(self.dt)), ("real_time_factor", "0")):
            next(element.iter(key)).text = value
        for part in self.scene.parts:
            name = part.namespace
            element.append(model_element(part.robot, name, part.start, self.postures[name]))
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "world.sdf"
            file.write_text(ET.tostring(world, encoding="unicode"))
            self._fixture = self._gz.sim.TestFixture(str(file))
        self._fixture.on_pre_update(self._pre_update)
        self._fixture.on_post_update(self._post_update)
        self._fixture.finalize()

    def _pre_update(self, info: Any, ecm: Any) -> None:
        if self._error is not None:
            return
        try:
            if self._side is None:
                gz = self._gz
                world = gz.sim.World(gz.sim.world_entity(ecm))
                services = GzServices(gz, world.name(ecm))
                self._side = GzRobots(gz, world, self, _say, lambda: services)
            self._side.begin_step(ecm, info.sim_time.total_seconds() - self.dt)
            self._side.end_step(ecm)
        except Exception as error:  # an exception that passes through Gazebo ends the process
            self._error = error

    def _post_update(self, info: Any, ecm: Any) -> None:
        """After the last of the steps that were asked for: what there is to be seen."""
        self._left -= 1
        if self._left > 0 or self._error is not None or self._side is None:
            return
        try:
            seen = self._side.look(ecm, info.sim_time.total_seconds())
            unseen = set(self.robots) - set(seen) - set(self.replacements)
            if unseen:
                # The shadow would go on by itself, and pass for Gazebo.
                raise RobotError(f"Gazebo does not tell how it moves {', '.join(sorted(unseen))}.")
        except Exception as error:
            self._error = error


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
