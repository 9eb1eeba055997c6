"""Gazebo's Python modules, whose names carry the generation: Harmonic, Ionic, Jetty."""

from __future__ import annotations

import importlib
import os
import sys
from types import ModuleType
from typing import NamedTuple

from humanoid_description import RobotError

# Names of simulator, mathematics, transport and messages, the newest generation last.
GENERATIONS = {
    "Harmonic": ("gz.sim8", "gz.math7", "gz.transport13", "gz.msgs10"),
    "Ionic": ("gz.sim9", "gz.math8", "gz.transport14", "gz.msgs11"),
    "Jetty": ("gz.sim", "gz.math", "gz.transport", "gz.msgs"),
}


class GzModules(NamedTuple):
    """The modules of one generation of Gazebo."""

    generation: str
    sim: ModuleType
    math: ModuleType
    transport: str
    messages: str
    """Names of the modules that only those need who call a service."""

    def message(self, file: str, name: str) -> type:
        """A type of message, such as Boolean in boolean_pb2."""
        found: type = getattr(importlib.import_module(f"{self.messages}.{file}"), name)
        return found


def outer_path() -> list[str]:
    """Folders of PYTHONPATH in the shell from which ./humanoid was run, which keeps them apart from its own."""
    return [folder for folder in os.environ.get("HUMANOID_PYTHONPATH", "").split(os.pathsep) if folder]


def load_gz() -> GzModules:
    """The generation that is running this process, or else the newest that is installed.

    Two generations in one process do not know each other's types, so what gz sim has loaded decides.
    """
    running = [name for name, modules in GENERATIONS.items() if modules[0] in sys.modules]
    reasons = []
    sys.path += [folder for folder in outer_path() if folder not in sys.path]
    for generation in running or list(GENERATIONS)[::-1]:
        sim, mathematics, transport, messages = GENERATIONS[generation]
        try:
            # The mathematics first: without them every call that returns a pose or a vector raises TypeError.
            loaded = importlib.import_module(mathematics)
            return GzModules(generation, importlib.import_module(sim), loaded, transport, messages)
        except ImportError as error:
            reasons.append(f"{generation}: {error}")
    raise RobotError(
        f"Gazebo's Python modules are not found ({'; '.join(reasons)}). Install Gazebo Harmonic with its Python "
        "bindings (ROS 2 Jazzy: apt install ros-jazzy-ros-gz) and source ROS, for the Python that runs this."
    )
