"""How a run went: where the robots are in the end; of a run in Gazebo, left in a file for who started it."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from humanoid_sim.simulation import Simulation


class RunReport:
    """Counts steps and the real time that they take."""

    def __init__(self, dt: float) -> None:
        """Begin with a run, of which each step takes a time (s)."""
        self._dt = dt
        self._steps = 0
        self._began = self._ended = time.monotonic()

    def count(self) -> None:
        """One more step has been prepared."""
        self._ended = time.monotonic()
        if self._steps == 0:
            self._began = self._ended  # the first one loads what is compiled
        self._steps += 1

    def write(self, file: Path, simulation: Simulation) -> None:
        """Leave a JSON object {simulated_s, real_time_factor, robots} as `sim --json` prints it."""
        spent = max(self._ended - self._began, 1e-9)
        answer = {
            "simulated_s": round(self._steps * self._dt, 6),
            "real_time_factor": round(max(self._steps - 1, 0) * self._dt / spent, 3),
            "robots": robot_rows(simulation),
        }
        file.write_text(json.dumps(answer))


def robot_rows(simulation: Simulation) -> list[dict[str, Any]]:
    """Where each robot is (m), and whether it has fallen."""
    return [
        {
            "name": name,
            "fallen": simulation.fallen(name),
            "base_position_m": [round(float(value), 6) for value in simulation.observe(name).base_position],
        }
        for name in simulation.robots
    ]
