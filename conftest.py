"""What the tests of all packages share.

Property tests draw the same cases in every run; neither a busy machine nor a background shell fails tests; and no test
hears the robots of another module.
"""

import os
import shutil
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

DOMAINS = 100  # of ROS, 1 to 100: the ports of higher ones may be taken by anybody

settings.register_profile("suite", derandomize=True, deadline=None, database=None)
settings.load_profile("suite")
# What a shell starts in the background is deaf to SIGINT, and so would be the programs to which tests send it.
signal.signal(signal.SIGINT, signal.default_int_handler)

_domains: dict[Path, int] = {}


@pytest.hookimpl(tryfirst=True)  # before any fixture starts ROS
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Give every test module, and the programs that it starts, a ROS domain of its own."""
    domain = _domains.setdefault(item.path, 1 + (os.getpid() * 31 + len(_domains)) % DOMAINS)
    os.environ["ROS_DOMAIN_ID"] = str(domain)


@pytest.fixture
def tool() -> Callable[..., str]:
    """Run a validator and give back what it printed; without it the test is skipped, but not on CI."""

    def run(*command: str) -> str:
        if shutil.which(command[0]) is None:
            if os.environ.get("CI"):
                pytest.fail(f"{command[0]} is not installed; .ci/run must install it")
            pytest.skip(f"{command[0]} is not installed (Debian: liburdfdom-tools, ignition-tools, libsdformat-dev)")
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        assert result.returncode == 0, result.stdout + result.stderr
        return result.stdout

    return run
