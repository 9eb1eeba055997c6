"""Conditions that are the same for everyone who is measured: one core, an output that is ours alone, and the clock."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator, Sequence


@contextlib.contextmanager
def one_core() -> Iterator[None]:
    """Keep this process on one core of those it may use."""
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, allowed)


@contextlib.contextmanager
def nothing_printed() -> Iterator[None]:
    """Drop what libraries print to the standard output: some say what they load, in the midst of our JSON."""
    sys.stdout.flush()
    kept, nowhere = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    try:
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nowhere)


def undisturbed(runs: Sequence[Sequence[float]]) -> tuple[float, ...]:
    """Of each part of a task that was done several times, the fastest time.

    The same is computed each time, so what is above the fastest is the work of others on this machine.
    """
    return tuple(min(part) for part in zip(*runs, strict=True))
