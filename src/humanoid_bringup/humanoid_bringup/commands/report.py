"""`humanoid report`: a page about an adaptation, from a bag."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from humanoid_bringup.commands import Commands, add_command
from humanoid_description import load_robot


def add_parsers(commands: Commands) -> None:
    """Add `report`."""
    example = "report fibo_km falls --out report.html"
    parser = add_command(commands, "report", "write an HTML page about the fall tests in a bag", example)
    parser.add_argument("robot", help="name, or folder with a robot.yaml: the model before")
    parser.add_argument("bag", type=Path, help="folder of the bag, or its .mcap file")
    parser.add_argument("--namespace", help="of the robot in the bag, if there are several")
    parser.add_argument("--out", type=Path, default=Path("report.html"), help="file to write (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Adapt to the bag and write the page; nothing else is changed."""
    from humanoid_adapt.adaptation_report import as_json
    from humanoid_adapt.assembler import recordings_from_bag
    from humanoid_adapt.estimator import estimate
    from humanoid_adapt.tip import tips_of
    from humanoid_bringup.report_page import page

    robot = load_robot(options.robot)
    assembled = recordings_from_bag(robot, options.bag, options.namespace)
    tips, refused = tips_of(assembled.recordings, robot)
    found = estimate(robot, tips, refused={**assembled.refused, **refused})
    options.out.write_text(page(robot, found, assembled.recordings, f"bag {options.bag.name}"))
    print(json.dumps({**as_json(found), "page": str(options.out)}, indent=2) if options.json else str(options.out))
    return 0
