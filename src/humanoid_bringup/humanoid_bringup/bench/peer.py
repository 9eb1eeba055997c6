"""Those who are compared, imported only when they are measured: most are optional packages."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Peer:
    """A function that does the task with one of them."""

    name: str
    module: str
    """In humanoid_bringup.bench."""
    function: str
    optional: bool
    """Whether `extras.require("bench")` brings it."""


def load_all(peers: Iterable[Peer]) -> tuple[dict[str, Any], dict[str, str]]:
    """By name, the functions of those that can be imported, and why the others cannot."""
    functions: dict[str, Any] = {}
    reasons: dict[str, str] = {}
    for peer in peers:
        try:
            module = importlib.import_module(f"humanoid_bringup.bench.{peer.module}")
            functions[peer.name] = getattr(module, peer.function)
        except ImportError as error:
            reasons[peer.name] = f"cannot be imported: {error}"
    return functions, reasons
