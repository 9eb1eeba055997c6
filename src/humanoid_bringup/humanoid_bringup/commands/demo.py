"""`humanoid demo`: a robot that walks, and whose model follows it, in the browser."""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
import tempfile
import webbrowser
from pathlib import Path

from humanoid_bringup.commands import Commands, add_command
from humanoid_bringup.demo_output import DemoOutput
from humanoid_bringup.node_sets import NODE_SETS
from humanoid_bringup.set_runner import SetRunner
from humanoid_description import RobotError


def add_parsers(commands: Commands) -> None:
    """Add `demo`."""
    summary = "see a robot walk in the browser, carry what its model does not know, fall, adapt, and walk again"
    parser = add_command(commands, "demo", summary, "demo --headless --seconds 5 --json")
    parser.add_argument("robot", nargs="?", default="fibo_km", help="name, or folder (default: %(default)s)")
    parser.add_argument("--headless", action="store_true", help="open no browser; the page is served all the same")
    parser.add_argument(
        "--seconds", type=float, default=math.inf, help="simulated time to run (default: until stopped)"
    )
    parser.add_argument("--bag", type=Path, help="new folder to record the robot into (default: no recording)")
    parser.add_argument(
        "--json", action="store_true", help="at the end print {url, first_step_s, base_position_m, fallen, ...}"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run all programs of the demo until it ends or is stopped."""
    if not options.seconds > 0:
        raise RobotError("demo: --seconds must be above zero.")
    if options.bag is not None and options.bag.exists():
        raise RobotError(f"demo: --bag {options.bag} is there already. Give a folder that does not exist yet.")
    folder = Path(tempfile.mkdtemp(prefix="humanoid_demo_"))
    given = {"robot": options.robot, "models": str(folder / "models"), "seconds": str(options.seconds)}
    if options.bag is not None:
        given |= {"record": "true", "bag": str(options.bag)}
    node_set = NODE_SETS["demo"]
    values = {argument.name: argument.default or "" for argument in node_set.arguments} | given
    plan = node_set.plan(values)

    def say(text: str) -> None:
        print(text, file=sys.stderr, flush=True)

    def address(url: str) -> None:
        if not options.json:
            print(f"The page is at {url}  (stop with Ctrl-C)", flush=True)
        screen = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
        if screen and not options.headless and not webbrowser.open(url):
            say("no browser could be opened: open the address yourself")

    say(f"starting {options.robot}; what the programs say is kept in {folder / 'log'}")
    output = DemoOutput(folder / "log", address, say)
    status = SetRunner(plan.programs, values, output).run()
    ended = {row["name"]: row for row in output.simulation.get("robots", ())}
    robot = ended.get(plan.robots[0].namespace, {})
    output.close()
    if options.json:
        answer = {
            "url": output.url,
            "first_step_s": output.first_step,
            "base_position_m": robot.get("base_position_m"),
            "fallen": robot.get("fallen"),
            "simulated_s": output.simulation.get("simulated_s"),
            "real_time_factor": output.simulation.get("real_time_factor"),
            "log": str(folder / "log"),
        }
        print(json.dumps(answer))
    return status
