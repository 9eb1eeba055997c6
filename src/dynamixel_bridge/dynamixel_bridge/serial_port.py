"""A serial port that never blocks, whose errors name their remedy."""

from __future__ import annotations

import contextlib
import errno
import os
import termios
from pathlib import Path

import serial

from humanoid_description.errors import RobotError


class PortError(RobotError):
    """A port cannot be used; the text says what to do."""


REMEDIES = {
    errno.ENOENT: "there is no such port. Plug in the adapter, or name another one of /dev/ttyUSB* or /dev/ttyACM*.",
    errno.EACCES: "you may not open it. Run 'sudo usermod -aG dialout $USER', log out and in again.",
    errno.EPERM: "you may not open it. Run 'sudo usermod -aG dialout $USER', log out and in again.",
    errno.EBUSY: "another program uses it. Close that one; 'fuser {path}' names it.",
    errno.ENOTTY: "is not a serial port. Name one, such as /dev/ttyUSB0.",
    errno.EIO: "the adapter is gone. Plug it in again.",
    errno.ENXIO: "the adapter is gone. Plug it in again.",
    errno.ENODEV: "the adapter is gone. Plug it in again.",
}


def explained(path: str, error: OSError) -> PortError:
    """What a system error on a port means to its user."""
    remedy = REMEDIES.get(error.errno or 0, f"{error}. Check the cable, and try another port.")
    return PortError(f"port {path}: {remedy.format(path=path)}")


class SerialPort:
    """A port opened for this program alone."""

    def __init__(self, path: str, baud: int) -> None:
        """Open a port at a rate in bit/s."""
        self.path = path
        self.baud = baud
        if Path(path).exists() and not Path(path).is_char_device():
            raise explained(path, OSError(errno.ENOTTY, "no terminal"))
        try:
            self._serial = serial.Serial(path, baud, timeout=0, exclusive=True)
        except serial.SerialException as error:
            # pyserial tells a taken lock, and that it is no terminal, in words only.
            told = {"lock": errno.EBUSY, "configure": errno.ENOTTY}
            number = next((number for word, number in told.items() if word in str(error)), error.errno)
            raise explained(path, OSError(number, str(error))) from None
        except OSError as error:
            raise explained(path, error) from None
        except ValueError as error:
            raise PortError(f"port {path}: cannot run at {baud} bit/s ({error}). Take another rate.") from None
        self._file: int = self._serial.fileno()
        # An empty read then means that the port is gone, not that nothing has come.
        settings = termios.tcgetattr(self._file)
        settings[6][termios.VMIN] = 1
        termios.tcsetattr(self._file, termios.TCSANOW, settings)
        with contextlib.suppress(OSError, NotImplementedError, ValueError):  # only adapters know of it
            self._serial.set_low_latency_mode(True)
        self.drain()

    def fileno(self) -> int:
        """For select."""
        return self._file

    def write(self, data: bytes) -> None:
        """Send; PortError if the port is gone. What does not fit into the line is lost, as on any line."""
        try:
            while data:  # a driver may take a packet in pieces
                data = data[os.write(self._file, data) :]
        except BlockingIOError:
            return
        except OSError as error:
            raise explained(self.path, error) from None

    def read(self) -> bytes:
        """What has arrived; PortError if the port is gone."""
        try:
            data = os.read(self._file, 4096)
        except BlockingIOError:
            return b""
        except OSError as error:
            raise explained(self.path, error) from None
        if not data:  # an end of file is what a vanished adapter gives
            raise explained(self.path, OSError(errno.EIO, "end of file"))
        return data

    def drain(self) -> int:
        """Throw away what has arrived; returns how many bytes."""
        total = 0
        while data := self.read():
            total += len(data)
        return total

    def close(self) -> None:
        """Give the port back."""
        with contextlib.suppress(OSError):  # it may have been pulled out
            self._serial.close()


def latency_timer(path: str) -> int | None:
    """Time for which a USB adapter holds back few bytes, ms; None if it has no such timer."""
    file = Path("/sys/class/tty") / Path(path).resolve().name / "device" / "latency_timer"
    try:
        return int(file.read_text())
    except (OSError, ValueError):
        return None
