"""What is asked of Gazebo's world through its services: models taken out and put in, pause.

The calls are answered at once and carried out in the next step; Gazebo's blocking variants would wait for a step that
cannot come while the system that asks is itself part of it.
"""

from __future__ import annotations

import importlib
from typing import Any

from humanoid_description import RobotError
from humanoid_sim.gz_modules import GzModules

TIMEOUT = 1000
"""ms to wait for the answer."""


class GzServices:
    """Services of one world."""

    def __init__(self, gz: GzModules, world: str) -> None:
        self._gz = gz
        self._world = world
        self._node = importlib.import_module(gz.transport).Node()

    def remove(self, name: str) -> None:
        """Take a model out of the world."""
        entity = self._gz.message("entity_pb2", "Entity")
        self._call("remove", entity(name=name, type=entity.MODEL))  # type: ignore[attr-defined]

    def create(self, name: str, sdf: str) -> None:
        """Put a model into the world; it must not have one of that name."""
        factory = self._gz.message("entity_factory_pb2", "EntityFactory")
        self._call("create", factory(name=name, sdf=sdf, allow_renaming=False))

    def pause(self, paused: bool) -> None:
        """Let the world stand still or go on."""
        self._call("control", self._gz.message("world_control_pb2", "WorldControl")(pause=paused))

    def _call(self, service: str, request: Any) -> None:
        boolean: Any = self._gz.message("boolean_pb2", "Boolean")
        path = f"/world/{self._world}/{service}"
        answered, answer = self._node.request(path, request, type(request), boolean, TIMEOUT)
        if not answered or not answer.data:
            raise RobotError(
                f"Gazebo's service {path}: {'refused' if answered else 'did not answer'}. "
                "The world needs the plugin gz-sim-user-commands-system."
            )
