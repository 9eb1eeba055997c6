"""`humanoid bag`: record, inspect, replay and repair MCAP bags that rosbag2 and Foxglove read."""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path

from humanoid_bringup.commands import Commands, add_command, namespace
from humanoid_description import RobotError


def add_parsers(commands: Commands) -> None:
    """Add `bag` with its actions."""
    top = add_command(commands, "bag", "record and replay a robot's topics", "bag info falls")
    actions = top.add_subparsers(metavar="ACTION", required=True)
    info_parser = add_command(actions, "info", "say what is in a bag", "bag info falls --json")
    info_parser.add_argument("bag", type=Path, help="folder of the bag, or its .mcap file")
    info_parser.add_argument("--json", action="store_true", help="print the result as JSON")
    info_parser.set_defaults(run=info)
    example = "bag record falls --namespace /real --seconds 60"
    record_parser = add_command(actions, "record", "record the topics of a robot until stopped", example)
    record_parser.add_argument("bag", type=Path, help="new folder")
    record_parser.add_argument(
        "--namespace", type=namespace, default="/fibo_km", help="of the robot (default: %(default)s)"
    )
    record_parser.add_argument("--seconds", type=float, default=math.inf, help="how long (default: until stopped)")
    record_parser.add_argument("--json", action="store_true", help="print what was recorded as JSON")
    record_parser.set_defaults(run=record)
    play_parser = add_command(actions, "play", "publish what a bag holds, with /clock", "bag play falls --rate 2")
    play_parser.add_argument("bag", type=Path, help="folder of the bag, or its .mcap file")
    play_parser.add_argument("--rate", type=float, default=1.0, help="recorded over real time (default: %(default)s)")
    play_parser.add_argument("--start", type=float, default=0.0, help="skip so many seconds (default: %(default)s)")
    play_parser.add_argument("--loop", action="store_true", help="begin anew at the end")
    play_parser.add_argument("--json", action="store_true", help="print what was played as JSON")
    play_parser.set_defaults(run=play)
    example = "bag repair falls whole_falls"
    repair_parser = add_command(
        actions, "repair", "save what can be read of a bag that is cut short or damaged", example
    )
    repair_parser.add_argument("bag", type=Path, help="folder of the bag, or its .mcap file")
    repair_parser.add_argument("repaired", type=Path, help="new folder")
    repair_parser.add_argument("--json", action="store_true", help="print the result as JSON")
    repair_parser.set_defaults(run=repair)


def info(options: argparse.Namespace) -> int:
    """Print topics, types, counts and rates."""
    from humanoid_adapt.bag import bag_info

    topics = bag_info(options.bag)
    begin, end = min((row.first_ns for row in topics), default=0), max((row.last_ns for row in topics), default=0)
    rows = [
        {
            "topic": row.topic,
            "type": row.type,
            "count": row.count,
            "rate_hz": row.rate,
            "longest_gap_s": 1e-9 * row.longest_gap_ns,
        }
        for row in topics
    ]
    answer = {"bag": str(options.bag), "seconds": 1e-9 * (end - begin), "topics": rows}
    if options.json:
        print(json.dumps(answer, indent=2))
        return 0
    print(f"{options.bag}: {answer['seconds']:.1f} s")
    print(f"{'TOPIC':<34}{'TYPE':<40}{'COUNT':>7}{'RATE':>10}{'LONGEST GAP':>14}")
    for row in topics:
        print(f"{row.topic:<34}{row.type:<40}{row.count:>7}{row.rate:7.1f} Hz{1e-9 * row.longest_gap_ns:12.3f} s")
    return 0


def record(options: argparse.Namespace) -> int:
    """Record until stopped."""
    from humanoid_bringup import recorder_node

    if not options.seconds > 0:
        raise RobotError("bag record: --seconds must be above zero.")
    outcome = recorder_node.run(options.bag, options.namespace, options.seconds)
    if options.json:
        print(json.dumps(outcome, indent=2))
    else:
        print(f"{options.bag}: {sum(outcome['counts'].values())} messages on {len(outcome['counts'])} topics")
        for warning in outcome["warnings"]:
            print(f"  {warning}")
    return 0 if outcome["counts"] else 1


def play(options: argparse.Namespace) -> int:
    """Publish a bag."""
    from humanoid_bringup import player_node

    if not options.rate > 0 or not 0 <= options.start < math.inf:
        raise RobotError("bag play: --rate must be above zero, and --start a time not below.")
    count = player_node.run(options.bag, options.rate, options.start, options.loop)
    print(json.dumps({"bag": str(options.bag), "messages": count}) if options.json else f"{count} messages")
    return 0


def repair(options: argparse.Namespace) -> int:
    """Write a whole bag from one that was cut short or damaged."""
    from humanoid_adapt.bag import rewrite_whole

    count, damaged = rewrite_whole(options.bag, options.repaired)
    answer = {"bag": str(options.repaired), "messages": count, "damaged_chunks": damaged}
    lost = f"; {damaged} damaged chunks left out" if damaged else ""
    print(json.dumps(answer) if options.json else f"{count} messages saved{lost}")
    return 0
