"""World files and the plugin element in them."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import pytest

from humanoid_description import RobotError
from humanoid_description.inertial import GRAVITY
from humanoid_sim.field import goals, lines
from humanoid_sim.gz_model import GROUND_BITMASK
from humanoid_sim.gz_world import (
    GzRobot,
    GzSettings,
    read_settings,
    world_file,
    world_names,
    worlds_folder,
    write_world,
)
from humanoid_sim.scene import WORLDS
from humanoid_sim.simulation import DEFAULT_DT

TWO = GzSettings({"a": GzRobot("fibo_km", ("scenario_d",)), "b": GzRobot("nao")}, 50.0, "cubic")
STARTS = {"a": (0.0, 0.5, 0.0), "b": (0.0, -0.5, 1.0)}


def settings_in(text: str) -> GzSettings:
    plugin = ET.fromstring(text).find("world/plugin[module_name]")
    assert plugin is not None
    return read_settings(lambda key: plugin.findtext(key, ""))


def boxes(text: str) -> set[tuple[tuple[float, ...], tuple[float, ...]]]:
    """Place and size of all static boxes."""
    found = set()
    for model in ET.fromstring(text).iterfind("world/model"):
        size = model.findtext("link/collision/geometry/box/size")
        if size is not None and model.findtext("static") == "true":
            place = tuple(float(word) for word in model.findtext("pose", "").split()[:3])
            found.add((place, tuple(float(word) for word in size.split())))
    return found


@pytest.mark.parametrize("name", world_names())
def test_gazebo_accepts_the_world(name: str, tool: Callable[..., str]) -> None:
    assert "Valid" in tool("ign", "sdf", "-k", str(world_file(name)))


def test_gazebo_accepts_a_world_with_robots(tmp_path: Path, tool: Callable[..., str]) -> None:
    file = tmp_path / "world.sdf"
    file.write_text(write_world("robocup", TWO, STARTS, obstacles=[((1.0, 0.0, 0.1), (0.1, 0.2, 0.3))]))
    assert "Valid" in tool("ign", "sdf", "-k", str(file))


def test_these_are_the_worlds_of_the_simulator() -> None:
    assert set(world_names()) == set(WORLDS)
    for name, world in WORLDS.items():
        text = world_file(name).read_text()
        wanted = set(goals().values()) if world.field else set()
        assert boxes(text) == wanted | set(world.obstacles), name
        models = {model.get("name"): model for model in ET.fromstring(text).iterfind("world/model")}
        assert ("ball" in models) == world.ball
        assert int(models["ground"].findtext("link/collision/surface/contact/collide_bitmask", "")) == GROUND_BITMASK
        assert [float(word) for word in ET.fromstring(text).findtext("world/gravity", "").split()] == [0, 0, -GRAVITY]
        assert float(ET.fromstring(text).findtext("world/physics/max_step_size", "")) == DEFAULT_DT
        assert settings_in(text) == GzSettings({})


def test_the_lines_are_those_of_the_field() -> None:
    ground = ET.fromstring(world_file("robocup").read_text()).find("world/model[@name='ground']/link")
    assert ground is not None
    radii = sorted(float(radius.text or "") for radius in ground.iterfind("visual/geometry/cylinder/radius"))
    painted = []
    for visual in ground.findall("visual"):
        size = visual.findtext("geometry/box/size")
        if size is not None:
            (x, y), (length, width) = (
                [float(word) for word in text.split()[:2]] for text in (visual.findtext("pose", ""), size)
            )
            painted.append((x - length / 2, x + length / 2, y - width / 2, y + width / 2))
    for one, other in lines():
        for share in (0.0, 0.3, 0.5, 0.9, 1.0):
            x, y = (a + share * (b - a) for a, b in zip(one, other, strict=True))
            on_line = any(left <= x <= right and low <= y <= high for left, right, low, high in painted)
            assert on_line or radii[0] < (x**2 + y**2) ** 0.5 < radii[1], (x, y)


def test_what_is_written_is_read_again() -> None:
    text = write_world("empty", TWO, STARTS, real_time_factor=0.0, step=5e-4)
    assert settings_in(text) == TWO
    physics = ET.fromstring(text).find("world/physics")
    assert physics is not None
    assert [float(physics.findtext(key, "")) for key in ("real_time_factor", "max_step_size")] == [0.0, 5e-4]
    models = {model.get("name"): model for model in ET.fromstring(text).iterfind("world/model")}
    assert {"a", "b", "ground"} == set(models)
    assert models["b"].findtext("pose", "").split()[-1] == "1.0"


def test_the_file_for_the_report_is_passed_on() -> None:
    settings = GzSettings(TWO.robots, report="/tmp/how it went.json")
    assert settings_in(write_world("empty", settings, STARTS)) == settings


def test_obstacles_are_added() -> None:
    box = ((1.0, 0.0, 0.1), (0.1, 0.2, 0.3))
    assert boxes(write_world("empty", TWO, STARTS, obstacles=[box])) == {box}


@pytest.mark.parametrize(
    ("key", "value", "complaint"),
    [
        ("robots", "[a, b]", "the file: is \\['a', 'b'\\], not a mapping"),
        ("robots", "{a: {robot: nao}, a: {robot: nao}}", "the key 'a' appears twice"),
        ("robots", "{a: nao}", "a: is 'nao', not a mapping"),
        ("robots", "{a: {robot: nao, payloads: []}}", "a.payloads: is not a known key"),
        ("robots", "{a: {robot: nao, payload: x}}", "a.payload: is 'x', not a list"),
        ("robots", "{a: {}}", "a.robot: is missing"),
        ("robots", "{a", "is not valid YAML"),
        ("rate", "fast", "rate: is 'fast'"),
        ("interpolation", "cubik", "Did you mean 'cubic'"),
    ],
)
def test_a_broken_parameter_is_named(key: str, value: str, complaint: str) -> None:
    with pytest.raises(RobotError, match=complaint):
        read_settings(lambda asked: value if asked == key else "")


def test_what_is_missing_has_its_usual_value() -> None:
    assert read_settings(lambda key: "") == GzSettings({}, 100.0, "linear")


def test_a_wrong_world_is_named(tmp_path: Path) -> None:
    with pytest.raises(RobotError, match="Did you mean 'robocup'"):
        world_file("robocub")
    broken = tmp_path / "broken.sdf"
    for text, complaint in (
        ("<sdf", "is no SDF"),
        ("<sdf><world/></sdf>", "has 0 plugins"),
        (
            (worlds_folder() / "empty.sdf").read_text().replace("physics name", "p n").replace("/physics>", "/p>"),
            "<phys",
        ),
    ):
        broken.write_text(text)
        with pytest.raises(RobotError, match=complaint):
            write_world(broken, TWO, STARTS)
