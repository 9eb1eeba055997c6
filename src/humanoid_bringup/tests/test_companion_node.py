"""Nodes beside a robot, as processes."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("kind", ["gait", "fall_test", "adapt"])
def test_a_node_serves_in_the_namespace_until_it_is_stopped(kind: str, tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "humanoid_bringup", "node", kind, "fibo_km", "--namespace", "real", "--json"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    assert json.loads(process.stdout.readline()) == {"node": kind, "namespace": "/real", "robot": "fibo_km"}
    assert any("is ready in /real" in line for line in process.stderr)
    process.send_signal(signal.SIGINT)
    _, rest = process.communicate()
    assert process.returncode == 0, rest
    assert "Traceback" not in rest
