"""The system that gz-sim's python-system-loader runs in a world: our contact, servos and topics for its robots.

It has no force law of its own: GzRobots lets the embedded simulation be the shadow of Gazebo's robots. Gazebo would
switch the system off for good at the first exception, so none gets out: it is reported once, and the step goes without
our forces.
"""

from __future__ import annotations

import sys
import traceback
from pathlib import Path
from typing import Any

from humanoid_description import Robot, RobotError, load_robot
from humanoid_sim.gz_modules import load_gz
from humanoid_sim.gz_robots import GzRobots
from humanoid_sim.gz_services import GzServices
from humanoid_sim.gz_world import GzSettings, read_settings
from humanoid_sim.run_report import RunReport
from humanoid_sim.shadow import Shadow


def get_system() -> GzSystem:
    """What the loader asks for."""
    return GzSystem()


class GzSystem:
    """All robots of one world."""

    def __init__(self) -> None:
        self._settings: GzSettings | None = None
        self._loaded: dict[str, Robot] = {}
        self._gz: Any = None
        self._world: Any = None
        self._world_name = ""
        self.robots: GzRobots | None = None
        self._services: GzServices | None = None
        self._node: Any = None
        self._report: RunReport | None = None
        self._dt = 0.0
        self._asked_pause: bool | None = None
        self._told: set[str] = set()

    def configure(self, entity: int, sdf: Any, ecm: Any, event_manager: Any) -> None:
        """Read the parameters of the plugin element; what is wrong is told, and the world goes on without it."""
        del event_manager
        try:
            self._gz = load_gz()
            self._world = self._gz.sim.World(entity)
            self._world_name = self._world.name(ecm)
            settings = read_settings(sdf.get_string)
        except Exception as error:
            self._tell(error)
            return
        for name, wanted in settings.robots.items():
            try:
                robot = load_robot(wanted.robot, wanted.payload)
                if robot.parameters.base != "free":
                    raise RobotError(f"robot '{name}': is held in a plane, which Gazebo's model cannot be.")
                self._loaded[name] = robot
            except Exception as error:
                self._tell(error)
        if self._loaded:
            self._settings = settings

    def pre_update(self, info: Any, ecm: Any) -> None:
        """Before each step of the physics, and again and again while Gazebo is paused."""
        if self._settings is None:
            return
        try:
            if info.paused:
                if self._node is not None:
                    self._node.serve()
            else:
                self._step(info, ecm)
            if self._node is not None:
                self._pass_on_pause(info.paused)
        except Exception as error:
            self._tell(error)
            if self.robots is not None:
                self.robots.shadow.forget()

    def _step(self, info: Any, ecm: Any) -> None:
        if self.robots is None:
            self._begin(info.dt.total_seconds())
        assert self.robots is not None
        # Gazebo has counted the coming step already.
        self.robots.begin_step(ecm, info.sim_time.total_seconds() - self._dt)
        if self._node is not None:
            self._node.step()
        self.robots.end_step(ecm)
        assert self._report is not None
        self._report.count()

    def _begin(self, dt: float) -> None:
        assert self._settings is not None
        settings, self._settings = self._settings, None  # if this fails, it fails once
        self._dt = dt
        shadow = Shadow(self._loaded, dt=dt)
        self.robots = GzRobots(self._gz, self._world, shadow, self._say, self._get_services, self._on_met)
        self._node = self._join_ros(settings)
        self._report = RunReport(dt)
        self._settings = settings
        self._say(f"{', '.join(self._loaded)}: contact and servos are ours, at steps of {1e3 * dt:g} ms")

    def _join_ros(self, settings: GzSettings) -> Any:
        assert self.robots is not None
        try:
            from humanoid_sim.gz_node import GzNode
        except ImportError as error:
            self._say(f"ROS 2 is not found ({error}): the robots stand, but have no topics. Source ROS, start again.")
            return None
        try:
            return GzNode(self.robots.shadow, settings.rate, settings.interpolation)
        except Exception as error:
            self._tell(error)
            return None

    def _on_met(self, name: str) -> None:
        """A robot that was put on its feet stays so until it is told otherwise."""
        if self._node is not None:
            self._node.hold(name)

    def _pass_on_pause(self, paused: bool) -> None:
        wanted = self._node.wanted_pause(paused)
        if wanted is not None and wanted != self._asked_pause:
            self._get_services().pause(wanted)
        self._asked_pause = wanted

    def _get_services(self) -> GzServices:
        if self._services is None:
            self._services = GzServices(self._gz, self._world_name)
        return self._services

    def reset(self, info: Any, ecm: Any) -> None:
        """Gazebo put the world back to its beginning."""
        del info, ecm
        try:
            if self.robots is not None:
                self.robots.restart()
            if self._node is not None:
                self._node.restart()
        except Exception as error:
            self._tell(error)

    def shutdown(self) -> None:
        """Gazebo ends."""
        try:
            if self._settings is not None and self._settings.report and self.robots and self._report:
                self._report.write(Path(self._settings.report), self.robots.shadow)
            if self._node is not None:
                self._node.close()
        except Exception as error:  # from here it would end the process instead
            self._tell(error)
        self._node = None

    def _say(self, text: str) -> None:
        print(f"[humanoid] {text}", file=sys.stderr, flush=True)

    def _tell(self, error: Exception) -> None:
        """Report an error, once; where it is none of ours, with the place."""
        text = str(error) if isinstance(error, RobotError) else "".join(traceback.format_exception(error)).rstrip()
        if text not in self._told:
            self._told.add(text)
            self._say(f"ERROR: {text}")
