"""`humanoid view`: looks at any robots of the ROS graph, in the browser."""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
import webbrowser

from humanoid_bringup.commands import Commands, add_command, namespace
from humanoid_description import RobotError


def add_parsers(commands: Commands) -> None:
    """Add `view`."""
    summary = "show running robots, simulated, real or replayed, on a page in the browser, and drive them"
    parser = add_command(commands, "view", summary, "view --seconds 5")
    parser.add_argument("--port", type=int, default=8080, help="of the page, or the next that is free (default: 8080)")
    parser.add_argument(
        "--host",
        default="127.0.0.1",
        help="address to listen on; wider than this machine a token is asked for (default: %(default)s)",
    )
    parser.add_argument("--story", type=namespace, metavar="NAMESPACE", help="tell the guided story with this robot")
    parser.add_argument("--no-browser", action="store_true", help="print the address only")
    parser.add_argument("--seconds", type=float, default=math.inf, help="time to run (default: until stopped)")
    parser.add_argument("--json", action="store_true", help="print {url} as the first line, and open no browser")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Serve the page until it is stopped."""
    from humanoid_bringup import viewer_node

    if not options.seconds > 0 or not 0 <= options.port < 65536:
        raise RobotError("view: --seconds must be above zero, --port from 0 to 65535.")

    def opened(url: str) -> None:
        print(json.dumps({"url": url}) if options.json else f"The page is at {url}", flush=True)
        screen = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
        if screen and not options.json and not options.no_browser and not webbrowser.open(url):
            print("no browser could be opened: open the address yourself", file=sys.stderr)

    viewer_node.run(options.host, options.port, options.seconds, (options.story or "").strip("/"), opened)
    return 0
