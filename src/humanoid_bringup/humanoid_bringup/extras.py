"""Optional packages, such as peers to measure against: installed when a command first needs them."""

from __future__ import annotations

import hashlib
import importlib
import site
import subprocess
import sys
import sysconfig
from pathlib import Path

from humanoid_description.errors import RobotError

CHECKOUT = Path(__file__).parents[3]


def require(extra: str, folder: Path = CHECKOUT) -> None:
    """See to it that the packages of requirements-EXTRA.txt are there, or raise RobotError.

    Args:
        extra: Its name, such as 'bench'.
        folder: Where the requirements are.
    """
    requirements = folder / f"requirements-{extra}.txt"
    try:
        wanted = hashlib.sha256(requirements.read_bytes()).hexdigest()
    except OSError as error:
        raise RobotError(f"{requirements}: {error.strerror}. Run this command from a checkout of the suite.") from None
    # Written after success: pip itself would need seconds to find out that all is there.
    done = Path(sys.prefix) / f"extra-{extra}"
    if done.is_file() and done.read_text() == wanted:
        return
    if sys.prefix == sys.base_prefix:
        raise RobotError(
            f"{requirements.name} is not installed. Run this command as ./humanoid, which has a place for it."
        )
    print(f"installing the packages of {requirements.name}, once; this can take minutes", file=sys.stderr, flush=True)
    command = [sys.executable, "-I", "-m", "pip", "install", "--no-deps", "--require-hashes", "--only-binary", ":all:"]
    command += ["--quiet", "--disable-pip-version-check", "--no-input", "-r", str(requirements)]
    outcome = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if outcome.returncode:
        raise RobotError(
            f"pip could not install {requirements.name}:\n{outcome.stdout[-800:]}\n"
            "Check the network and the free disk space, and run the same command again."
        )
    done.write_text(wanted)
    # Some packages are found through a .pth file, which Python has read before they were there.
    site.addsitedir(sysconfig.get_path("purelib"))
    importlib.invalidate_caches()
