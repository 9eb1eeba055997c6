"""./humanoid, run for real in small checkouts whose one requirement is a wheel made here."""

from __future__ import annotations

import ast
import base64
import hashlib
import importlib.util
import os
import signal
import subprocess
import sys
import time
import zipfile
from collections import namedtuple
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parents[1] / "humanoid"
PYTHON = os.path.realpath(sys.executable)  # the interpreter behind .venv
COMMAND = """
import os, sys, tiny
print("tiny", tiny.VALUE, "arguments", sys.argv[1:])
print("outer", os.environ.get("HUMANOID_PYTHONPATH"))
print("prefix", os.environ["AMENT_PREFIX_PATH"])
try:
    import rclpy
    print("rclpy", rclpy.__file__)
except ImportError:
    print("no rclpy")
"""


class Checkout:
    """A checkout with the real script, one package and one pinned requirement."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "checkout"
        package = self.folder / "src" / "humanoid_bringup"
        (package / "humanoid_bringup").mkdir(parents=True)
        (package / "package.xml").write_text("<package/>")
        (package / "humanoid_bringup" / "__init__.py").write_text("")
        (package / "humanoid_bringup" / "__main__.py").write_text(COMMAND)
        (self.folder / "humanoid").write_bytes(SCRIPT.read_bytes())
        self.wheels = folder / "wheels"
        self.wheels.mkdir()
        digest = make_wheel(self.wheels / "tiny-1.0-py3-none-any.whl")
        (self.folder / "requirements.txt").write_text(f"# pinned\ntiny==1.0 \\\n    --hash=sha256:{digest}\n")
        self.home, self.temporary = folder / "home", folder / "temporary"
        self.home.mkdir()
        self.temporary.mkdir()

    def environment(self, **changes: str) -> dict[str, str]:
        return {
            "PATH": "/usr/bin:/bin",  # pip asks any rustc on the way for its version, and rustup then writes to HOME
            "HOME": str(self.home),
            "TMPDIR": str(self.temporary),
            "PIP_CONFIG_FILE": os.devnull,
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": str(self.wheels),
            **changes,
        }

    def start(self, **changes: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [PYTHON, str(self.folder / "humanoid"), "say", "hello"],
            env=self.environment(**changes),
            cwd=self.folder.parent,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, **changes: str) -> subprocess.CompletedProcess[str]:
        process = self.start(**changes)
        output, errors = process.communicate(timeout=300)
        return subprocess.CompletedProcess(process.args, process.returncode, output, errors)


def make_wheel(file: Path, value: int = 42) -> str:
    """Write a wheel with one module; returns its SHA-256."""
    contents = {
        "tiny.py": f"VALUE = {value}\n",
        "tiny-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n",
        "tiny-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = ""
    with zipfile.ZipFile(file, "w") as archive:
        for name, text in contents.items():
            archive.writestr(name, text)
            digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
            record += f"{name},sha256={digest},{len(text)}\n"
        archive.writestr("tiny-1.0.dist-info/RECORD", record + "tiny-1.0.dist-info/RECORD,,\n")
    return hashlib.sha256(file.read_bytes()).hexdigest()


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """A fresh checkout."""
    return Checkout(tmp_path)


@pytest.fixture
def script() -> ModuleType:
    """The script as a module, for what cannot be staged with a real machine."""
    loader = SourceFileLoader("humanoid_script", str(SCRIPT))
    spec = importlib.util.spec_from_loader("humanoid_script", loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def test_first_use_sets_up_and_later_uses_just_run(checkout: Checkout) -> None:
    # A module of the user's folder must not be taken for one of the suite.
    (checkout.folder.parent / "tiny.py").write_text("raise SystemExit('the wrong one')")
    first = checkout.run()
    assert first.returncode == 0, first.stderr
    assert "Setting up .venv: 1 packages" in first.stderr
    assert "100 %" in first.stderr
    assert "tiny 42 arguments ['say', 'hello']" in first.stdout
    prefix = checkout.folder / ".venv" / "workspace"
    assert f"prefix {prefix}" in first.stdout
    assert (prefix / "share/humanoid_bringup/package.xml").is_file()
    assert (prefix / "share/ament_index/resource_index/packages/humanoid_bringup").is_file()
    second = checkout.run()
    assert (second.returncode, second.stderr, second.stdout) == (0, "", first.stdout)
    assert list(checkout.home.iterdir()) == []
    assert list(checkout.temporary.iterdir()) == []
    files = sorted(path.name for path in checkout.folder.iterdir())
    assert files == [".cache", ".venv", "humanoid", "requirements.txt", "src"]


def test_it_is_made_anew_for_new_pins_and_when_python_is_gone(checkout: Checkout) -> None:
    assert checkout.run().returncode == 0
    digest = make_wheel(checkout.wheels / "tiny-1.0-py3-none-any.whl", value=43)
    (checkout.folder / "requirements.txt").write_text(f"tiny==1.0 --hash=sha256:{digest}\n")
    python = checkout.folder / ".venv" / "bin" / "python"
    python.unlink()
    python.symlink_to("/nowhere/python")
    again = checkout.run()
    assert "Setting up" in again.stderr
    assert "tiny 43" in again.stdout


@pytest.mark.parametrize("rubbish", ["half-made", "file"])
def test_a_half_made_venv_is_made_anew(checkout: Checkout, rubbish: str) -> None:
    venv = checkout.folder / ".venv"
    if rubbish == "half-made":
        (venv / "lib").mkdir(parents=True)
        (venv / "pyvenv.cfg").write_text("home = nowhere\n")
    else:
        venv.write_text("not a folder")
    result = checkout.run()
    assert result.returncode == 0, result.stderr
    assert "tiny 42" in result.stdout


def interrupt_when(checkout: Checkout, sign: Path, how: signal.Signals) -> tuple[int, str]:
    """Start, wait for a file to appear, send a signal; returns exit status and what was said."""
    process = checkout.start()
    end = time.monotonic() + 120
    while not sign.exists():
        assert time.monotonic() < end
        assert process.poll() is None
        os.sched_yield()
    process.send_signal(how)
    _, errors = process.communicate(timeout=120)
    return process.returncode, errors


def test_an_interrupted_setup_says_so_and_goes_on_the_next_time(checkout: Checkout) -> None:
    for how in (signal.SIGINT, signal.SIGTERM):
        (checkout.folder / ".venv" / "pyvenv.cfg").unlink(missing_ok=True)
        status, errors = interrupt_when(checkout, checkout.folder / ".venv" / "pyvenv.cfg", how)
        assert status == 130, errors
        assert "interrupted; run the same command again" in errors
    again = checkout.run()
    assert again.returncode == 0, again.stderr
    assert "tiny 42" in again.stdout


def test_a_killed_setup_leaves_nothing_in_the_way(checkout: Checkout) -> None:
    interrupt_when(checkout, checkout.folder / ".cache" / "setup.log", signal.SIGKILL)  # pip has been started
    again = checkout.run()
    assert again.returncode == 0, again.stderr
    assert "tiny 42" in again.stdout


def test_settings_of_the_shell_do_not_lead_the_packages_elsewhere(checkout: Checkout) -> None:
    elsewhere = checkout.folder.parent / "elsewhere"
    (elsewhere / "tiny-1.0.dist-info").mkdir(parents=True)
    (elsewhere / "tiny-1.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n")
    result = checkout.run(PYTHONPATH=str(elsewhere), PIP_TARGET=str(elsewhere), PIP_USER="1")
    assert result.returncode == 0, result.stderr
    assert [path.name for path in elsewhere.iterdir()] == ["tiny-1.0.dist-info"]
    assert "tiny 42" in result.stdout
    assert f"outer {elsewhere}" in result.stdout  # where Gazebo's modules may be


def test_two_at_once_set_up_once(checkout: Checkout) -> None:
    processes = [checkout.start() for _ in range(2)]
    results = [process.communicate(timeout=300) for process in processes]
    assert [process.returncode for process in processes] == [0, 0]
    assert all("tiny 42" in output for output, _ in results)
    assert sum("Setting up" in errors for _, errors in results) == 1


def test_no_network_is_said_with_the_remedy(checkout: Checkout) -> None:
    closed = {"PIP_NO_INDEX": "0", "PIP_INDEX_URL": "http://127.0.0.1:9/simple", "PIP_FIND_LINKS": ""}
    result = checkout.run(**closed)
    assert result.returncode == 1
    assert "The package index cannot be reached.\nCheck the network" in result.stderr
    assert "Traceback" not in result.stderr
    assert "NewConnectionError" in (checkout.folder / ".cache" / "setup.log").read_text()


def test_an_altered_package_is_refused(checkout: Checkout) -> None:
    make_wheel(checkout.wheels / "tiny-1.0-py3-none-any.whl", value=666)
    result = checkout.run()
    assert result.returncode == 1
    assert "differs from the one that was pinned" in result.stderr
    assert "tiny" not in result.stdout


def test_a_sourced_ros_is_used_in_place_of_the_wheels(checkout: Checkout) -> None:
    requirements = checkout.folder / "requirements.txt"
    requirements.write_text(
        requirements.read_text() + "ros-jazzy-rclpy==7.1.6 \\\n    --hash=sha256:" + "0" * 64 + "\n"
    )
    ros = checkout.folder.parent / "ros"
    (ros / "rclpy").mkdir(parents=True)
    (ros / "rclpy" / "__init__.py").write_text("")
    result = checkout.run(ROS_DISTRO="jazzy", AMENT_PREFIX_PATH="/opt/ros/jazzy", PYTHONPATH=str(ros))
    assert result.returncode == 0, result.stderr
    assert "1 packages, ROS 2 jazzy as sourced" in result.stderr
    assert f"rclpy {ros}/rclpy/__init__.py" in result.stdout
    assert f"prefix {checkout.folder}/.venv-ros/workspace:/opt/ros/jazzy" in result.stdout


def test_a_sourced_ros_of_another_python_is_said(checkout: Checkout) -> None:
    result = checkout.run(ROS_DISTRO="jazzy", AMENT_PREFIX_PATH="/opt/ros/jazzy")
    assert result.returncode == 1
    assert "ROS 2 jazzy is sourced, but this Python" in result.stderr
    assert "python3.12 humanoid" in result.stderr


def test_a_checkout_that_cannot_be_written_is_said(checkout: Checkout) -> None:
    (checkout.folder / ".cache").write_text("in the way")
    result = checkout.run()
    assert result.returncode == 1
    assert "The checkout must be writable" in result.stderr
    assert "Traceback" not in result.stderr


VersionInfo = namedtuple("VersionInfo", "major minor micro releaselevel serial")


@pytest.mark.parametrize("version", [(3, 10), (3, 15)])
def test_an_unsupported_python_is_said(
    script: ModuleType, monkeypatch: pytest.MonkeyPatch, version: tuple[int, int]
) -> None:
    monkeypatch.setattr(sys, "version_info", VersionInfo(*version, 0, "final", 0))
    with pytest.raises(
        script.SetupError, match=rf"This is Python {version[0]}\.{version[1]}; Python 3\.11 to 3\.14 is needed"
    ):
        script.check_machine(None)


@pytest.mark.parametrize(("system", "machine"), [("linux", "aarch64"), ("darwin", "x86_64")])
def test_an_unsupported_machine_is_said(
    script: ModuleType, monkeypatch: pytest.MonkeyPatch, system: str, machine: str
) -> None:
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr("platform.machine", lambda: machine)
    with pytest.raises(script.SetupError, match=r"Linux on x86_64 with glibc only[^$]*docker/"):
        script.check_machine(None)


def test_a_missing_venv_module_is_said(script: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(script.SetupError, match=r"no venv module\.\n.*sudo apt install python3\.\d+-venv"):
        script.check_machine(None)


def test_another_python_on_the_path_is_found(
    script: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    minor = sys.version_info.minor
    (tmp_path / f"python3.{minor}").symlink_to(PYTHON)
    broken = tmp_path / f"python3.{11 if minor != 11 else 12}"
    broken.write_text("#!/bin/sh\nexit 127\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert script.other_python() == str(tmp_path / f"python3.{minor}")


def test_old_interpreters_can_read_it() -> None:
    """They must get as far as the message that tells them what is missing."""
    ast.parse(SCRIPT.read_text(), feature_version=(3, 6))
