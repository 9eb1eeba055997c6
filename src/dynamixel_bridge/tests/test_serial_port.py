"""Ports that cannot be used, and ports that vanish."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from dynamixel_bridge.serial_port import PortError, SerialPort, explained, latency_timer

from .conftest import BAUD, PlugIn, servos


def test_a_missing_port_and_a_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(PortError, match=r"no such port\. Plug in the adapter"):
        SerialPort(str(tmp_path / "none"), BAUD)
    (tmp_path / "file").touch()
    with pytest.raises(PortError, match="is not a serial port"):
        SerialPort(str(tmp_path / "file"), BAUD)


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
