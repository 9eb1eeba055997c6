"""Whether a robot lets itself be moved, as its bridge says it in /diagnostics. Simulated robots always do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

MOVES = ("starting", "ramping", "following")
"""Modes of dynamixel_bridge.safety in which commands are followed."""


@dataclass(frozen=True)
class BridgeMode:
    """What a bridge says of itself."""

    mode: str
    told: str
    """Mode and reason in words."""

    @property
    def moves(self) -> bool:
        """Whether commands are followed."""
        return self.mode in MOVES


def bridge_mode(namespace: str, name: str, told: str, values: Mapping[str, str]) -> BridgeMode | None:
    """Mode of the robot of a namespace, if a status of /diagnostics (its name, text and values) tells it."""
    if name != f"/{namespace.strip('/')}/robot: bridge" or "mode" not in values:
        return None
    return BridgeMode(values["mode"], told)
