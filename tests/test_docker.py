"""The images and the compose file, as far as they can be checked without an engine."""

from __future__ import annotations

import os
import re
import shlex
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
import yaml

from humanoid_bringup.node_sets import NODE_SETS

CHECKOUT = Path(__file__).parents[1]
DOCKERFILES = sorted((CHECKOUT / "docker").glob("*Dockerfile"))
SECRET = re.compile(r"password|passwd|secret|token|api_?key|credential", re.IGNORECASE)
# What ros:jazzy-ros-base has by definition (REP 2001): ros_core.
CORE = re.compile(r"^(rclpy|launch|launch_ros|ros2launch|ament_index_python|builtin_interfaces|rosgraph_msgs)$")
COMMON_INTERFACES = {"diagnostic", "geometry", "nav", "sensor", "std", "trajectory", "visualization"}
LAUNCH_ONLY = {"rviz", "rviz_config", "use_robot_state_pub", "recorder"}


def instructions(file: Path) -> list[tuple[str, str]]:
    """Instructions of a Dockerfile and their arguments."""
    text = re.sub(r"^\s*#.*\n", "", file.read_text(), flags=re.MULTILINE).replace("\\\n", " ")
    return [(line.split(None, 1)[0], line.split(None, 1)[1]) for line in text.splitlines() if line.strip()]


def services() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((CHECKOUT / "docker" / "compose.yaml").read_text())["services"]
    return found


@pytest.mark.parametrize("file", DOCKERFILES, ids=lambda file: file.name)
def test_an_image_has_a_pinned_base_and_ends_as_a_user(file: Path) -> None:
    steps = instructions(file)
    bases = [argument for name, argument in steps if name == "FROM"]
    assert bases
    assert all(re.fullmatch(r"[\w./-]+:\w[\w.-]+@sha256:[0-9a-f]{64}", base) for base in bases)
    assert [argument for name, argument in steps if name == "USER"][-1] == "humanoid"
    names = [name for name, _ in steps]
    # What is set up belongs to that user, not to root.
    assert all("./humanoid" not in argument for name, argument in steps[: names.index("USER")] if name == "RUN")


@pytest.mark.parametrize("file", DOCKERFILES, ids=lambda file: file.name)
def test_an_image_fetches_nothing_unseen_and_keeps_no_secret(file: Path) -> None:
    for name, argument in instructions(file):
        assert name != "ADD"
        assert not (name == "RUN" and re.search(r"\b(curl|wget|sudo)\b", argument))
        assert not (name in ("ENV", "ARG") and SECRET.search(argument))
        if name == "RUN" and "apt-get install" in argument:
            assert "--no-install-recommends" in argument
            assert "rm -rf /var/lib/apt/lists/*" in argument
        if name in ("ENTRYPOINT", "CMD"):
            assert argument.startswith("["), "the shell would swallow signals"


def test_the_ros_image_has_what_the_packages_ask_for() -> None:
    text = (CHECKOUT / "docker" / "ros.Dockerfile").read_text()
    own = {path.parent.name for path in (CHECKOUT / "src").glob("*/package.xml")}
    for manifest in (CHECKOUT / "src").glob("*/package.xml"):
        for element in ET.parse(manifest).getroot().iter("exec_depend"):
            name = element.text or ""
            common = name.endswith(("_msgs", "_srvs")) and name.rsplit("_", 1)[0] in COMMON_INTERFACES
            if name not in own and not name.startswith("python3-") and not common and not CORE.match(name):
                assert f"ros-jazzy-{name.replace('_', '-')} " in text.replace("\n", " "), f"{manifest} asks for {name}"


def test_what_images_start_is_there() -> None:
    for file in DOCKERFILES:
        (entry,) = [argument for name, argument in instructions(file) if name == "ENTRYPOINT"]
        (program,) = yaml.safe_load(entry)
        inside = CHECKOUT / program.removeprefix("/home/humanoid/suite/")
        assert os.access(inside, os.X_OK), program


def test_services_are_built_from_files_that_exist_and_have_no_privileges() -> None:
    assert {"sim", "robot", "viewer"} <= set(services())
    for name, service in services().items():
        context = CHECKOUT / "docker" / service["build"]["context"]
        assert (context / service["build"]["dockerfile"]).is_file(), name
        assert "privileged" not in service
        assert service["cap_drop"] == ["ALL"]
        assert not SECRET.search(str(service))
    assert services()["robot"]["devices"] == ["${SERIAL:-/dev/ttyUSB0}:/dev/ttyUSB0"]


@pytest.mark.parametrize("name", services())
def test_a_service_launches_a_set_with_arguments_that_it_has(name: str) -> None:
    command = services()[name]["command"]
    assert command[:3] == ["ros2", "launch", "humanoid_bringup"]
    assert (CHECKOUT / "src" / "humanoid_bringup" / "launch" / command[3]).is_file()
    node_set = NODE_SETS[command[3].removesuffix(".launch.py")]
    filled = [re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", word) for word in command[4:]]
    given = dict(word.split(":=") for word in filled)
    node_set.plan({key: value for key, value in given.items() if key not in LAUNCH_ONLY})


def test_the_commands_of_the_readme_name_files_and_services_that_exist() -> None:
    text = (CHECKOUT / "docker" / "README.md").read_text()
    for name in re.findall(r"-f (docker/\S+)", text):
        assert (CHECKOUT / name).is_file()
    for line in re.findall(r"compose\.yaml up ([a-z_ ]+)", text):
        assert set(shlex.split(line)) <= set(services())
