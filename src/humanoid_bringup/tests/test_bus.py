"""The measurement of the servo bus."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict

import pytest

from dynamixel_bridge.control_table import model
from humanoid_bringup.bench import bus
from humanoid_bringup.bench.bus import MODES, Row, add_bus_parser, line_limit, measure
from humanoid_description import RobotError


def test_a_measurement_on_a_real_port() -> None:
    row = measure(2, "fast_sync", 1_000_000, 5)
    assert 0 < row.hz <= row.line_limit_hz
    assert 0 < row.sdk_hz <= row.line_limit_hz
    assert row.cpu_ms > 0
    assert row.sdk_cpu_ms > 0


def test_the_limit_of_the_line_is_that_of_its_bytes() -> None:
    size = {(1, "single"): 68 + 20 * (8 + 12), (1, "bulk"): 68 + 67 + 20 * 12}
    size |= {(2, "sync"): 74 + 34 + 20 * 17, (2, "fast_sync"): 114 + 34 + 8 + 20 * 14}
    for (protocol, mode), name in MODES.items():
        assert line_limit(model(name), mode, 1_000_000) == pytest.approx(1e5 / size[protocol, mode]), mode


def run(*arguments: str) -> int:
    parser = argparse.ArgumentParser()
    add_bus_parser(parser.add_subparsers())
    options = parser.parse_args(["bus", *arguments])
    status: int = options.run(options)
    return status


def test_what_the_command_prints(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    row = Row(1, "single", 1_000_000, 200.0, 213.7, 0.936, 0.4, 0, 90.0, 6.0)
    monkeypatch.setattr(bus, "measure", lambda *_: row)
    assert run("--json", "--baud", "1000000") == 0
    assert json.loads(capsys.readouterr().out) == {"rows": [asdict(row)] * len(MODES)}
    assert run() == 0
    assert "94%" in capsys.readouterr().out
    assert run("--faults", "50", "--json") == 0
    assert json.loads(capsys.readouterr().out)["wrong_positions"] == 0
    assert run("--fuzz", "200", "--json") == 0
    assert set(json.loads(capsys.readouterr().out)) == {"protocol 1", "protocol 2"}
    with pytest.raises(RobotError, match="must be above zero"):
        run("--cycles", "0")
