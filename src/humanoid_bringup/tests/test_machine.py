"""The checks of the computer, on real things that are wrong."""

from __future__ import annotations

import importlib.metadata
import socket
import sys
from pathlib import Path

from humanoid_bringup.doctor.finding import BROKEN, GOOD, WARNING
from humanoid_bringup.doctor.machine import (
    check_disk,
    check_load,
    check_packages,
    check_python,
    check_shared_memory,
    check_tcp_port,
)

NUMPY = importlib.metadata.version("numpy")


def test_an_old_python_is_refused() -> None:
    assert check_python(sys.version_info[:2]).level == GOOD
    finding = check_python((3, 10))
    assert finding.level == BROKEN
    assert "Install Python 3.11" in finding.remedy


def test_packages_are_compared_with_their_pins() -> None:
    good = f"# pins\nnumpy=={NUMPY} \\\n    --hash=sha256:00\nnumpy==0.1 ; python_full_version < '3' \\\n"
    assert check_packages(good, without_ros=False).what == "1 packages as pinned"
    wrong = "numpy==0.1 \\\n    --hash=sha256:00\nno-such-package==1.0 \\\nros-no-such==2 \\\n"
    finding = check_packages(wrong, without_ros=True)
    assert finding.level == BROKEN
    assert finding.what == f"numpy is {NUMPY}, not 0.1, no-such-package is missing"
    assert "ros-no-such is missing" in check_packages(wrong, without_ros=False).what


def test_a_busy_machine_is_a_warning() -> None:
    assert check_load(1.5, 2).level == GOOD
    assert check_load(6.3, 2).level == WARNING


def test_a_full_disk_is_told_with_what_to_delete(tmp_path: Path) -> None:
    (good,) = check_disk([tmp_path], needed=0)
    assert good.level == GOOD
    (finding,) = check_disk([tmp_path], needed=1e18)
    assert finding.level == BROKEN
    assert "Free 1000000000.0 GB" in finding.remedy


def test_little_shared_memory_is_a_warning(tmp_path: Path) -> None:
    assert check_shared_memory(tmp_path, needed=0).level == GOOD
    assert "--ipc=host" in check_shared_memory(tmp_path, needed=1e18).remedy
    assert check_shared_memory(tmp_path / "none").level == WARNING


def test_a_taken_port_is_a_warning() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        assert check_tcp_port(port).level == WARNING
    assert check_tcp_port(port).level == GOOD
