"""A page that is left open: memory of the viewer's process and of a real browser, while the robot walks.

Short by default; `PAGE_SECONDS=3600 ./humanoid test -s src/humanoid_bringup/tests/test_page_memory.py` looks on for an
hour of simulated time.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import chromium
import pytest
import rclpy
from chromium import CHROMIUM, Chromium, Tab
from rclpy.context import Context
from rclpy.node import Node
from std_msgs.msg import Float64

SECONDS = float(os.environ.get("PAGE_SECONDS", "60"))
"""Simulated, to look on."""
LOOKS = 12
"""How often memory is read in that time."""
PATIENCE = 600.0  # s between two looks, on a busy machine
HURRY = 10.0
"""Simulated over real time, as far as the machine can."""
GROWTH = 12.0
"""MB that may come in the second half: what caches take; a megabyte a minute would be sixty in an hour."""


def humanoid(*arguments: str) -> subprocess.Popen[str]:
    """A command in a process of its own."""
    command = [sys.executable, "-m", "humanoid_bringup", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def resident(process: int) -> float:
    """Memory of a process and all that it has started, MB."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    children = [
        int(child)
        for file in Path(f"/proc/{process}/task").glob("*/children")
        for child in file.read_text().split()
    ]  # fmt: skip
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6 + sum(resident(child) for child in children)


def simulated(tab: Tab) -> float:
    """Time that the page shows, s."""
    found = re.search(r"· ([\d.]+) s\b", tab.text())
    return float(found[1]) if found else 0.0


def look(tab: Tab, viewer: int, browser: int) -> dict[str, Any]:
    """Memory now, MB; of the page after its garbage is collected."""
    tab.command("HeapProfiler.collectGarbage")
    return {
        "simulated_s": simulated(tab),
        "viewer_mb": round(resident(viewer), 1),
        "browser_mb": round(resident(browser), 1),
        "page_heap_mb": round(tab.command("Runtime.getHeapUsage")["usedSize"] / 1e6, 1),
        "page_nodes": tab.command("Memory.getDOMCounters")["nodes"],
    }


def test_a_page_that_is_left_open_does_not_grow(tmp_path: Path) -> None:
    if CHROMIUM is None:
        assert not os.environ.get("CI"), "Chromium is missing"
        pytest.skip("chromium is not installed")
    context = Context()
    rclpy.init(context=context)
    node = Node("hurry", context=context)
    hurry = node.create_publisher(Float64, "/speed", 1)
    sim, viewer = humanoid("sim", "fibo_km", "--walk"), humanoid("view", "--story", "fibo_km", "--port", "0", "--json")
    browser = Chromium(tmp_path / "profile")
    try:
        assert viewer.stdout is not None
        tab = browser.open(json.loads(viewer.stdout.readline())["url"])
        tab.click("Joints")  # the plots and the table change most
        chromium.until(lambda: simulated(tab))
        # A small picture: without a graphics card the time goes into drawing.
        tab.command("Emulation.setDeviceMetricsOverride", width=450, height=200, deviceScaleFactor=1, mobile=False)
        looks: list[dict[str, Any]] = []
        for number in range(LOOKS + 1):
            end = time.monotonic() + PATIENCE
            while simulated(tab) < (number + 1) * SECONDS / LOOKS:
                assert time.monotonic() < end, "the robot's time stands still"
                hurry.publish(Float64(data=HURRY))
                time.sleep(0.5)
            looks.append(look(tab, viewer.pid, browser.process))
            print(json.dumps(looks[-1]), flush=True)
    finally:
        browser.close()
        for process in (viewer, sim):
            process.terminate()
            process.communicate()
        node.destroy_node()
        rclpy.shutdown(context=context)
    half = len(looks) // 2
    for what in ("viewer_mb", "page_heap_mb"):
        before, after = (max(row[what] for row in rows) for rows in (looks[1:half], looks[half:]))
        assert after < before + GROWTH, looks
    assert looks[-1]["page_nodes"] < 1.5 * looks[1]["page_nodes"], looks
