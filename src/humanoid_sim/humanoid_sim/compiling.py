"""How the laws and the engine are compiled, and where the result is kept.

numba keeps compiled code until the file of the outermost function changes. It does not notice when a law in another
file does, and would go on with the old physics; so the code is kept in a folder named after the contents of them all.
"""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path

import numba

PACKAGE = Path(__file__).parent
SOURCES = ("compiling.py", "contact.py", "engine.py", "exchange.py", "plant.py", "servo.py")


def cache_folder() -> Path | None:
    """Where compiled code of the present sources belongs; None where nothing can be written beside them."""
    digest = hashlib.sha256()
    for name in SOURCES:
        digest.update((PACKAGE / name).read_bytes())
    beside = PACKAGE / "__pycache__"
    writable = os.access(beside if beside.exists() else PACKAGE, os.W_OK)
    return beside / f"compiled_{digest.hexdigest()[:16]}" if writable else None


def announce() -> None:
    """Say so where compiling is about to take its time."""
    folder = cache_folder()
    if folder is None or not any(folder.rglob("engine.advance-*.nbi")):
        print("compiling the simulator, once; this takes about half a minute", file=sys.stderr, flush=True)


if (_folder := cache_folder()) is not None:
    numba.config.CACHE_DIR = str(_folder)  # type: ignore[attr-defined]

# Division by zero gives infinity instead of an exception, as in NumPy; small functions are melted into their callers.
compiled = numba.njit(cache=True, error_model="numpy", forceinline=True)
# Beside that, sums may be reordered for speed; NaN and infinity keep their meaning. Such functions make no arrays, so
# numba need not count who holds one, which took a fifth of a step.
compiled_loosely = numba.njit(  # type: ignore[call-overload]
    cache=True, error_model="numpy", forceinline=True, fastmath={"contract", "reassoc", "nsz"}, _nrt=False
)
