"""What the tests of this package share."""

from __future__ import annotations

import contextlib
import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from humanoid_bringup.cli import main

sys.path.insert(0, str(Path(__file__).parent))  # tests share chromium.py and seen_robot.py


@pytest.fixture(scope="session")
def falls(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """Bag and answer of `humanoid falltest` with a hidden load."""
    folder = tmp_path_factory.mktemp("falls")
    arguments = ["falltest", "fibo_km", "--payload", "left_forearm:0.2:0,0,-0.03", "--protocol", "paper", "--rate", "3"]
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        assert main([*arguments, "--seed", "7", "--bag", str(folder / "bag"), "--walks", "1", "--json"]) == 0
    return folder / "bag", json.loads(printed.getvalue())
