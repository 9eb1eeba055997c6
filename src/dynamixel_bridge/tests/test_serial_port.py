"""Ports that cannot be used, and ports that vanish."""

from __future__ import annotations

import errno
import os
import time
from pathlib import Path

import pytest

from dynamixel_bridge import protocol1
from dynamixel_bridge.serial_port import PortError, SerialPort, explained, latency_timer

from .conftest import BAUD, PlugIn, servos


def test_a_missing_port_and_a_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(PortError, match=r"no such port\. Plug in the adapter"):
        SerialPort(str(tmp_path / "none"), BAUD)
    (tmp_path / "file").touch()
    for path in (str(tmp_path / "file"), "/dev/null"):
        with pytest.raises(PortError, match="is not a serial port"):
            SerialPort(path, BAUD)


def test_a_packet_that_a_driver_takes_in_pieces_is_sent_whole(plug_in: PlugIn, monkeypatch: pytest.MonkeyPatch) -> None:
    (servo,) = servos("RX-28", [1])
    bus = plug_in([servo])
    port = SerialPort(str(bus.link), BAUD)
    write = os.write
    monkeypatch.setattr(os, "write", lambda file, data: write(file, data[:3] if file == port.fileno() else data))
    port.write(protocol1.write(1, 25, b"\1"))
    end = time.monotonic() + 60.0
    while not servo.get("led"):
        assert time.monotonic() < end, "it was not heard"
    port.close()


def test_a_busy_port_is_refused(plug_in: PlugIn) -> None:
    bus = plug_in(servos("RX-28", [1]))
    first = SerialPort(str(bus.link), BAUD)
    with pytest.raises(PortError, match="another program uses it"):
        SerialPort(str(bus.link), BAUD)
    first.close()
    SerialPort(str(bus.link), BAUD).close()


def test_permission_has_its_remedy() -> None:
    # Root, who runs many a test, may open everything: so the error itself is explained.
    assert "dialout" in str(explained("/dev/ttyUSB0", PermissionError(errno.EACCES, "Permission denied")))
    assert "Check the cable" in str(explained("/dev/ttyUSB0", OSError(errno.EPIPE, "odd")))


def test_a_rate_that_cannot_be_is_refused(plug_in: PlugIn) -> None:
    bus = plug_in(servos("RX-28", [1]))
    with pytest.raises(PortError, match="cannot run at -1"):
        SerialPort(str(bus.link), -1)


def test_a_port_that_vanishes_is_an_error_not_silence(plug_in: PlugIn) -> None:
    bus = plug_in([])
    port = SerialPort(str(bus.link), BAUD)
    assert port.read() == b""
    bus.line.plugged = False
    while bus.plugged:
        pass
    with pytest.raises(PortError, match="the adapter is gone"):
        port.write(b"?")
    with pytest.raises(PortError, match="the adapter is gone"):
        port.read()
    port.close()
    assert latency_timer(str(bus.link)) is None
