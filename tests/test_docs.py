"""The documentation: its commands run, its links lead somewhere."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from humanoid_bringup.cli import main

GROUPS = ("adapt", "bag", "bench", "bridge", "cluster", "launch", "node")
"""Commands that have commands."""
CHECKOUT = Path(__file__).parents[1]
PAGES = sorted([*CHECKOUT.glob("*.md"), *CHECKOUT.glob("docs/*.md"), *CHECKOUT.glob("docker/*.md")])


def blocks(page: Path, kind: str) -> list[str]:
    """Blocks of code of a kind in a page."""
    return re.findall(rf"^```{kind}\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE)


def commands() -> list[str]:
    """What blocks of shell code tell to run: single lines that call ./humanoid, or the whole block if a line ends in &.

    `test` is what runs this; test_examples.py runs the examples.
    """
    singles: set[str] = set()
    wholes: set[str] = set()
    for block in (block for page in PAGES for block in blocks(page, "bash")):
        lines = [line for line in block.splitlines() if line.startswith("./humanoid ")]
        if any(line.endswith("&") for line in lines):
            wholes.add("\n".join(lines))
        else:
            singles |= set(lines)
    singles -= {line.rstrip("& ") for script in wholes for line in script.splitlines()}
    return sorted(script for script in singles | wholes if not re.search(r"^\./humanoid test| examples/", script))


@pytest.mark.parametrize("script", commands())
def test_a_command_of_the_documentation_runs(script: str, tmp_path: Path) -> None:
    (tmp_path / "my_robot").symlink_to(CHECKOUT / "src" / "humanoid_description" / "robots" / "fibo_km")
    for page in PAGES:  # programs whose first line is a comment with their name
        for text in blocks(page, "python"):
            if name := re.match(r"# (\w+\.py)\n", text):
                (tmp_path / name[1]).write_text(text)
    processes = {}
    try:
        for command in script.splitlines():
            arguments = shlex.split(command.rstrip("& ").partition(">")[0])[1:]
            processes[command] = subprocess.Popen(
                [sys.executable, "-m", "humanoid_bringup", *arguments],
                cwd=tmp_path,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            if not command.endswith(" &"):
                output, errors = processes[command].communicate()
                assert processes[command].returncode == 0, errors
                assert output or " sim " in command
    finally:
        for process in processes.values():
            process.terminate()
            process.communicate()
    for command, process in processes.items():
        assert process.returncode == 0, command


def named_commands() -> list[str]:
    """What is named in running text, and in blocks that are not run: they need hardware, other machines or minutes."""
    names: set[str] = set()
    for page in PAGES:
        text = re.sub(r"^```bash\n.*?^```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
        names |= {name.strip() for name in re.findall(r"\./humanoid ([a-z][^`\n#]*)", text)}
    return sorted(names)


@pytest.mark.parametrize("command", named_commands())
def test_a_command_that_is_only_named_exists_with_its_options(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = re.split(r"\s{2,}", command)[0].split()  # in a block, what a command is good for stands behind it
    name = words[:2] if words[0] in GROUPS and words[1:] and words[1].islower() else words[:1]
    with pytest.raises(SystemExit, match="0"):
        main([*name, "--help"])
    options = set(re.findall(r"--[a-z][a-z-]*|-[a-z]\b", capsys.readouterr().out))
    if name != ["test"]:  # whose options are pytest's
        assert {word for word in words if re.match(r"--?[a-z]", word)} <= options


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
