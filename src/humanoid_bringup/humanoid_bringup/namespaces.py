"""Namespaces of robots, as people write them."""

from __future__ import annotations

import re

from humanoid_description import RobotError

NAMESPACE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(/[A-Za-z_][A-Za-z0-9_]*)*")
LONGEST = 100
"""Characters; ROS has a limit for whole names of topics."""


def checked_namespace(text: str) -> str:
    """A namespace with its slash in front, or RobotError: ROS itself would end with a traceback."""
    bare = text.strip("/")
    if not NAMESPACE.fullmatch(bare) or len(bare) > LONGEST:
        raise RobotError(
            f"'{text}' is no namespace. Use letters, digits and underscores, as in /real; no part begins with a digit."
        )
    return f"/{bare}"
