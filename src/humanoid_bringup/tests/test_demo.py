"""The demo as scripts run it."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path


def test_the_robot_walks_unpaused_and_all_programs_end() -> None:
    command = [sys.executable, "-m", "humanoid_bringup", "demo", "--headless", "--seconds", "12", "--json"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    answer = json.loads(result.stdout)
    assert answer["url"].startswith("http://127.0.0.1:")
    assert answer["fallen"] is False
    x, y, _ = answer["base_position_m"]
    assert math.hypot(x + 1.0, y) > 0.1  # from where it began
    assert answer["first_step_s"] > 0
    assert "all programs have ended" in Path(answer["log"]).read_text()
