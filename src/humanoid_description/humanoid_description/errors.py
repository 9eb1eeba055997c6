"""Errors that a user can act on: each names the file or object, the field, and the remedy."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class RobotError(ValueError):
    """A robot's description cannot be used as it is; the text says what to change."""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Remedy for an unknown word: the nearest known one, and all of them."""
    known = sorted(known)
    near = difflib.get_close_matches(word, known, n=1)
    hint = f"Did you mean '{near[0]}'? " if near else ""
    return f"{hint}Known: {', '.join(known)}." if known else "None are known here."
