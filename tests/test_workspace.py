"""The workspace as a whole: six packages that ROS can build, and imports that go one way only."""

from __future__ import annotations

import ast
import re
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[1]
# Who may import whom.
ALLOWED = {
    "humanoid_description": set(),
    "humanoid_sim": {"humanoid_description"},
    "humanoid_gait": {"humanoid_description"},
    "humanoid_adapt": {"humanoid_description", "humanoid_sim"},
    "dynamixel_bridge": {"humanoid_description"},
    "humanoid_bringup": {"humanoid_description", "humanoid_sim", "humanoid_gait", "humanoid_adapt", "dynamixel_bridge"},
}
# Installed when a command first needs them.
ON_DEMAND = {"dartpy", "optuna", "pink", "pinocchio", "placo", "pybullet", "pydrake"}
# rosdep has no key for these; requirements.txt brings them. llvmlite comes with numba.
WITHOUT_KEY = {"llvmlite", "viser"}
# Modules that may import rclpy: nodes, and the ROS face they share.
ROS_MODULES = re.compile(r"(_node|robot_interface)\.py$")


def imports(file: Path) -> set[str]:
    """Top-level names of the modules that a file imports."""
    names = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add((node.module or "").split(".")[0])
    return names


def test_these_are_the_packages() -> None:
    assert {path.parent.name for path in (CHECKOUT / "src").glob("*/package.xml")} == set(ALLOWED)


@pytest.mark.parametrize("package", ALLOWED)
def test_a_package_is_complete(package: str) -> None:
    folder = CHECKOUT / "src" / package
    manifest = ET.parse(folder / "package.xml").getroot()
    assert manifest.get("format") == "3"
    assert manifest.findtext("name") == package
    assert manifest.findtext("license") == "Apache-2.0"
    assert manifest.findtext("export/build_type") == "ament_python"
    setup = (folder / "setup.py").read_text()
    assert f'version="{manifest.findtext("version")}"' in setup
    assert 'extras_require={"test"' in setup
    assert (folder / "resource" / package).is_file()
    assert f"$base/lib/{package}" in (folder / "setup.cfg").read_text()


@pytest.mark.parametrize("package", ALLOWED)
def test_imports_go_one_way(package: str) -> None:
    depends = {
        element.text for element in ET.parse(CHECKOUT / "src" / package / "package.xml").getroot().iter("exec_depend")
    }
    for file in (CHECKOUT / "src" / package / package).rglob("*.py"):
        used = imports(file) & set(ALLOWED) - {package}
        assert used <= ALLOWED[package], f"{file} imports {used - ALLOWED[package]}"
        assert used <= depends, f"package.xml of {package} does not name {used - depends}"


@pytest.mark.parametrize("package", ALLOWED)
def test_package_xml_names_what_is_imported(package: str) -> None:
    manifest = ET.parse(CHECKOUT / "src" / package / "package.xml").getroot()
    named = {
        (element.text or "").removeprefix("python3-").removesuffix("-pip") for element in manifest.iter("exec_depend")
    }
    for file in (CHECKOUT / "src" / package / package).rglob("*.py"):
        missing = imports(file) - set(sys.stdlib_module_names) - set(ALLOWED) - named - ON_DEMAND - WITHOUT_KEY - {""}
        assert not missing, f"{file} imports {missing}, which package.xml does not name"


@pytest.mark.parametrize("package", ALLOWED)
def test_cores_do_without_ros(package: str) -> None:
    for file in (CHECKOUT / "src" / package / package).rglob("*.py"):
        if not ROS_MODULES.search(file.name):
            assert "rclpy" not in imports(file), f"{file} imports rclpy; only nodes do"


@pytest.mark.parametrize("package", ALLOWED)
def test_every_module_has_its_test(package: str) -> None:
    folder = CHECKOUT / "src" / package
    for module in (folder / package).rglob("*.py"):
        if not module.name.startswith("__") and module.parent.name != "commands":
            assert (folder / "tests" / f"test_{module.name}").is_file(), f"{module} has no test beside it"


@pytest.mark.parametrize("name", sorted(path.stem for path in CHECKOUT.glob("requirements*.in")))
def test_everything_asked_for_is_pinned_with_hashes(name: str) -> None:
    def names(file: str) -> set[str]:
        lines = (CHECKOUT / file).read_text().splitlines()
        return {re.split(r"[=<>; \\]", line)[0].lower() for line in lines if re.match(r"[a-zA-Z]", line)}

    assert names(f"{name}.in") <= names(f"{name}.txt")
    for entry in re.split(r"\n(?=[a-z])", (CHECKOUT / f"{name}.txt").read_text())[1:]:
        assert re.search(r"==.*--hash=sha256:[0-9a-f]{64}", entry, re.DOTALL), entry.splitlines()[0]


def test_every_requirement_has_its_reason() -> None:
    for file in CHECKOUT.glob("requirements*.in"):
        blocks = file.read_text().strip().split("\n\n")[1:]
        assert blocks
        assert all(block.startswith("#") for block in blocks), file.name
