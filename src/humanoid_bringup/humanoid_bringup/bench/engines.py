"""The simulators that are compared."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import cast

from humanoid_bringup.bench.task import Simulate


@dataclass(frozen=True)
class Engine:
    """A simulator with a contact, at the time step that suits it."""

    name: str
    contact: str
    """'ours' is that of seed 003, 'native' the engine's own."""
    dt: float
    """s."""
    module: str
    """In humanoid_bringup.bench."""
    function: str
    peer: bool = True
    """Whether it is an optional package."""

    def load(self) -> Simulate:
        """Its function, or ImportError if the package is not there or does not work here."""
        module = importlib.import_module(f"humanoid_bringup.bench.{self.module}")
        return cast(Simulate, getattr(module, self.function))


# Explicit forces of our contact need steps of 1e-4 s; contacts that engines solve for themselves are given 1e-3 s.
ENGINES = {
    engine.name: engine
    for engine in (
        Engine("humanoid", "ours", 1e-3, "own_engine", "implicit", peer=False),
        Engine("humanoid_explicit", "ours", 1e-4, "own_engine", "explicit", peer=False),
        Engine("mujoco", "native", 1e-3, "mujoco_native", "simulate", peer=False),
        Engine("dart", "native", 1e-3, "dart", "native"),
        Engine("dart_own_laws", "ours", 1e-4, "dart", "own_laws"),
        Engine("pybullet", "native", 1e-3, "bullet", "simulate"),
        Engine("drake", "native", 1e-3, "drake_native", "simulate"),
        Engine("pinocchio_own_laws", "ours", 1e-4, "pinocchio_aba", "simulate"),
    )
}
