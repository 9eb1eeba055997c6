"""`humanoid report`: a page about an adaptation, from a bag."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from humanoid_bringup.commands import Commands, add_command, write_text
from humanoid_bringup.commands.adapt import add_evidence_options, evidence
from humanoid_description import load_robot


def add_parsers(commands: Commands) -> None:
    """Add `report`."""
    example = "report fibo_km falls --out report.html"
    parser = add_command(commands, "report", "write an HTML page about the fall tests or motion in a bag", example)
    parser.add_argument("robot", help="name, or folder with a robot.yaml: the model before")
    add_evidence_options(parser)
    parser.add_argument("--out", type=Path, default=Path("report.html"), help="file to write (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Adapt to the bag and write the page; nothing else is changed."""
    from humanoid_adapt.adaptation_report import as_json
    from humanoid_adapt.estimator import estimate
    from humanoid_adapt.tip import tips_of
    from humanoid_bringup.report_page import page

    robot = load_robot(options.robot)
    assembled, motions = evidence(robot, options)
    tips, refused = tips_of(assembled.recordings, robot)
    found = estimate(robot, tips, refused={**assembled.refused, **refused}, motions=motions)
    write_text("--out", options.out, page(robot, found, assembled.recordings, f"bag {options.bag.name}"))
    print(json.dumps({**as_json(found), "page": str(options.out)}, indent=2) if options.json else str(options.out))
    return 0
