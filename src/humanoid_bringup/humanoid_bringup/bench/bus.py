"""How fast a servo bus is: our cycle beside the maker's SDK, on the same virtual line, in the same run."""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from multiprocessing.synchronize import Event
from pathlib import Path

import dynamixel_sdk as sdk

from dynamixel_bridge import protocol1, protocol2
from dynamixel_bridge.bus import Bus, Servo
from dynamixel_bridge.control_table import FRAMINGS, Model, model
from dynamixel_bridge.exchange import converse
from dynamixel_bridge.fuzz import fuzz
from dynamixel_bridge.serial_port import SerialPort
from dynamixel_bridge.virtual_bus import VirtualBus, serve
from dynamixel_bridge.virtual_line import VirtualLine
from dynamixel_bridge.virtual_servo import FreeBody, VirtualServo
from humanoid_bringup.bench.fault_run import fault_run
from humanoid_bringup.commands import Commands, add_command
from humanoid_description import RobotError, load_robot

IDS = range(1, 21)
BAUDS = (1_000_000, 2_000_000, 3_000_000)
MODES = {(1, "single"): "RX-28", (1, "bulk"): "MX-28", (2, "sync"): "XL-320", (2, "fast_sync"): "XM430-W350"}
"""Model by protocol and way of reading."""
WARM_UP = 20
"""Cycles that do not count."""
GOAL = 0.1
"""rad."""


@dataclass(frozen=True)
class Row:
    """One measurement of 20 servos: all goals written, position, speed and load of all read."""

    protocol: int
    mode: str
    baud: int
    """bit/s."""
    hz: float
    line_limit_hz: float
    share: float
    """Of the line's limit."""
    cpu_ms: float
    """Per cycle."""
    missed: int
    """Answers that the machine was too late for, of all cycles."""
    sdk_hz: float
    sdk_cpu_ms: float


def line_limit(kind: Model, mode: str, baud: int) -> float:
    """Cycles per second that the bytes of a cycle leave room for, without any delay anywhere."""
    block, goal = kind.span("present_position", "present_speed", "present_load"), kind.rows["goal_position"]
    framing = kind.framing
    size = len(framing.sync_write(goal.address, [(id_, bytes(goal.size)) for id_ in IDS]))
    answers = len(IDS) * framing.answer_size(block.size)
    if mode == "single":
        size += sum(len(framing.read(id_, block)) for id_ in IDS) + answers
    elif mode == "bulk":
        size += len(protocol1.bulk_read([(id_, block) for id_ in IDS])) + answers
    elif mode == "sync":
        size += len(protocol2.sync_read(block, IDS)) + answers
    else:
        size += len(protocol2.fast_sync_read(block, IDS)) + protocol2.fast_answer_size(len(IDS), block.size)
    return baud / (10 * size)


def _serve(link: Path, name: str, baud: int, ready: Event) -> None:
    kind, body = model(name), FreeBody()
    counts = {count: rate for count, rate in kind.bauds.items() if rate == baud}
    kind_at_rate = kind if counts else _faster(kind, baud)
    eeprom = {"baud_rate": kind_at_rate.baud_count(baud), "return_delay": 0}
    line = VirtualLine([VirtualServo(kind_at_rate, id_, body, eeprom) for id_ in IDS], start=time.monotonic())
    bus = VirtualBus(link, line)
    ready.set()
    serve([bus], threading.Event(), spin=True)


def _faster(kind: Model, baud: int) -> Model:
    """The model as if it had a rate that its maker does not offer, so that ways of reading can be compared."""
    return replace(kind, bauds={**kind.bauds, max(kind.bauds) + 1: baud})


def measure(protocol: int, mode: str, baud: int, cycles: int) -> Row:
    """Measure one way of reading at one rate (bit/s)."""
    name = MODES[protocol, mode]
    kind = model(name)
    context = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as folder:
        link, ready = Path(folder) / "port", context.Event()
        process = context.Process(target=_serve, args=(link, name, baud, ready), daemon=True)
        process.start()
        try:
            if not ready.wait(60):
                raise RobotError("bench bus: the virtual bus did not start. Free the machine, and run it again.")
            hz, cpu, missed = _ours(link, kind, baud, cycles)
            sdk_hz, sdk_cpu = _theirs(link, kind, mode, baud, max(10, cycles // 4))
        finally:
            process.terminate()
            process.join()
    limit = line_limit(kind, mode, baud)
    return Row(
        protocol,
        mode,
        baud,
        round(hz, 1),
        round(limit, 1),
        round(hz / limit, 3),
        round(cpu, 3),
        missed,
        round(sdk_hz, 1),
        round(sdk_cpu, 3),
    )


def _timed(cycle: Callable[[], None], cycles: int) -> tuple[float, float]:
    """Cycles per second (of the median one, as a busy machine takes some away) and mean CPU time of a cycle, ms."""
    for _ in range(WARM_UP):
        cycle()
    spent = []
    cpu = time.process_time()
    for _ in range(cycles):
        began = time.perf_counter()
        cycle()
        spent.append(time.perf_counter() - began)
    cpu = time.process_time() - cpu
    return 1 / sorted(spent)[cycles // 2], 1e3 * cpu / cycles


def _ours(link: Path, kind: Model, baud: int, cycles: int) -> tuple[float, float, int]:
    port = SerialPort(str(link), baud)
    bus = Bus([Servo(id_, kind) for id_ in IDS], baud, slow=False, patience=0.02)
    goals = dict.fromkeys(IDS, GOAL)
    try:
        hz, cpu = _timed(lambda: _whole(converse({port: bus.cycle(goals)})), cycles)
    finally:
        port.close()
    return hz, cpu, sum(servo.counts["missed"] for servo in bus.servos.values())


def _whole(lost: Mapping[SerialPort, Exception]) -> None:
    if lost:
        raise RobotError(f"bench bus: {next(iter(lost.values()))}")


def _theirs(link: Path, kind: Model, mode: str, baud: int, cycles: int) -> tuple[float, float]:
    port, handler = sdk.PortHandler(str(link)), sdk.PacketHandler(kind.protocol)
    port.setBaudRate(baud)
    block, goal = kind.span("present_position", "present_speed", "present_load"), kind.rows["goal_position"]
    data = list(goal.bytes_for(GOAL))
    writer = sdk.GroupSyncWrite(port, handler, goal.address, goal.size)
    reader = sdk.GroupSyncRead(port, handler, block.address, block.size)
    for id_ in IDS:
        writer.addParam(id_, data)
        reader.addParam(id_)

    def read() -> None:
        if mode == "single":
            for id_ in IDS:
                handler.readTxRx(port, id_, block.address, block.size)
        elif mode == "bulk":  # GroupBulkRead of version 4.1.0 does not work with Protocol 1.0
            parameters = [part for id_ in IDS for part in (block.size, id_, block.address)]
            handler.bulkReadTx(port, parameters, len(parameters))
            for id_ in IDS:
                handler.readRx(port, id_, block.size)
        elif mode == "sync":
            reader.txRxPacket()
        else:
            reader.fastSyncRead()

    def cycle() -> None:
        for id_ in IDS:
            writer.changeParam(id_, data)
        writer.txPacket()
        read()

    try:
        return _timed(cycle, cycles)
    finally:
        port.closePort()


def add_bus_parser(commands: Commands) -> None:
    """Add `bench bus`."""
    summary = "measure the servo bus beside the maker's SDK, or try it with faults or noise"
    parser = add_command(commands, "bus", summary, "bench bus --cycles 200")
    parser.add_argument("--cycles", type=int, default=200, help="of each measurement (default: %(default)s)")
    parser.add_argument("--baud", type=int, action="append", help="bit/s; repeatable (default: 1, 2 and 3 million)")
    parser.add_argument(
        "--faults", type=int, metavar="N", help="instead, run N cycles on a bad line, on simulated time"
    )
    parser.add_argument("--fuzz", type=int, metavar="N", help="instead, feed N strings of noise to each frame decoder")
    parser.add_argument("--seed", type=int, default=0, help="of faults and noise (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="print {rows: [...]}")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Measure and print."""
    if min(options.cycles, options.faults or 1, options.fuzz or 1) < 1:
        raise RobotError("bench bus: --cycles, --faults and --fuzz must be above zero.")
    if options.faults:
        return _run_faults(options)
    if options.fuzz:
        return _run_fuzz(options)
    rows = []
    for protocol, mode in MODES:
        for baud in options.baud or BAUDS:
            _progress(f"protocol {protocol}, {mode}, {baud} bit/s")
            rows.append(measure(protocol, mode, baud, options.cycles))
    _progress("")
    if options.json:
        print(json.dumps({"rows": [asdict(row) for row in rows]}, indent=1))
        return 0
    print(f"{len(IDS)} servos: all goals written, position, speed and load of all read")
    heads = ("PROTOCOL", "READ", "BIT/S", "HZ", "LIMIT", "SHARE", "CPU", "SDK HZ", "SDK CPU")
    print("{:<10}{:<11}{:>8}{:>8}{:>8}{:>7}{:>9}{:>8}{:>10}".format(*heads))
    for row in rows:
        print(
            f"{row.protocol:<10}{row.mode:<11}{row.baud:>8}{row.hz:>8.0f}{row.line_limit_hz:>8.0f}{row.share:>7.0%}"
            f"{row.cpu_ms:>6.2f} ms{row.sdk_hz:>8.0f}{row.sdk_cpu_ms:>7.2f} ms"
        )
    return 0


def _progress(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r{text:<60}", end="", file=sys.stderr, flush=True)


def _run_faults(options: argparse.Namespace) -> int:
    result = fault_run(load_robot("fibo_km"), options.faults, options.seed, lambda done: _progress(f"cycle {done}"))
    _progress("")
    answer = {**asdict(result), "good": result.good}
    print(
        json.dumps(answer, indent=1) if options.json else "\n".join(f"{key}: {value}" for key, value in answer.items())
    )
    return 0 if result.good else 1


def _run_fuzz(options: argparse.Namespace) -> int:
    answers = {}
    for version, framing in FRAMINGS.items():
        result = fuzz(framing, options.fuzz, options.seed, lambda done: _progress(f"string {done}"))
        answers[f"protocol {version}"] = asdict(result)
    _progress("")
    texts = {name: ", ".join(f"{count} {what}" for what, count in answer.items()) for name, answer in answers.items()}
    lines = [f"{name}: {text}" for name, text in texts.items()]
    print(json.dumps(answers) if options.json else "\n".join(lines))
    return 1 if any(answer["invented"] for answer in answers.values()) else 0
