"""The simulators that are compared."""

from __future__ import annotations

from dataclasses import dataclass

from humanoid_bringup.bench.peer import Peer


@dataclass(frozen=True)
class Engine(Peer):
    """A simulator with a contact, at the time step that suits it; its function is a task.Simulate."""

    contact: str
    """'ours' is that of seed 003, 'native' the engine's own."""
    dt: float
    """s."""


# Explicit forces of our contact need steps of 1e-4 s; contacts that engines solve for themselves are given 1e-3 s.
ENGINES = {
    engine.name: engine
    for engine in (
        Engine("humanoid", "own_engine", "implicit", False, "ours", 1e-3),
        Engine("humanoid_explicit", "own_engine", "explicit", False, "ours", 1e-4),
        Engine("mujoco", "mujoco_native", "simulate", False, "native", 1e-3),
        Engine("dart", "dart", "native", True, "native", 1e-3),
        Engine("dart_own_laws", "dart", "own_laws", True, "ours", 1e-4),
        Engine("pybullet", "bullet", "simulate", True, "native", 1e-3),
        Engine("drake", "drake_native", "simulate", True, "native", 1e-3),
        Engine("pinocchio_own_laws", "pinocchio_aba", "simulate", True, "ours", 1e-4),
    )
}
