"""The documentation: its commands run, its links lead somewhere."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[1]
PAGES = sorted([*CHECKOUT.glob("*.md"), *CHECKOUT.glob("docs/*.md"), *CHECKOUT.glob("docker/*.md")])


def commands() -> list[str]:
    """Lines that call ./humanoid in blocks of shell code; `test` is what runs this."""
    blocks = [block for page in PAGES for block in re.findall(r"```bash\n(.*?)```", page.read_text(), re.DOTALL)]
    lines = [line for block in blocks for line in block.splitlines() if line.startswith("./humanoid ")]
    return sorted({line for line in lines if not line.startswith("./humanoid test")})


@pytest.mark.parametrize("command", commands())
def test_a_command_of_the_documentation_runs(command: str, tmp_path: Path) -> None:
    arguments = shlex.split(command.partition(">")[0])[1:]
    (tmp_path / "my_robot").symlink_to(CHECKOUT / "src" / "humanoid_description" / "robots" / "fibo_km")
    result = subprocess.run(
        [sys.executable, "-m", "humanoid_bringup", *arguments],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "ROS_DOMAIN_ID": str(101 + os.getpid() % 100)},  # other people's robots are not ours
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout or " sim " in command


def test_the_python_of_the_readme_runs(capsys: pytest.CaptureFixture[str]) -> None:
    describe, simulate = re.findall(r"```python\n(.*?)```", (CHECKOUT / "README.md").read_text(), re.DOTALL)
    exec(describe, {})
    total, *parts = capsys.readouterr().out.splitlines()
    assert float(total.split()[0]) == pytest.approx(3.636)
    assert len(parts) == 3
    exec(simulate, {})
    assert capsys.readouterr().out.endswith("False\n")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
        if not target.startswith("https://"):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
