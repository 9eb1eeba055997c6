"""Which of Gazebo's modules are taken."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

from humanoid_description import RobotError
from humanoid_sim.gz_modules import GENERATIONS, load_gz


def install(monkeypatch: pytest.MonkeyPatch, *generations: str, loaded: bool) -> None:
    """Make generations importable; those that are loaded run this process."""

    class Finder:
        def find_spec(self, name: str, path: object, target: object = None) -> object:
            from importlib.machinery import ModuleSpec

            return ModuleSpec(name, self) if name in names else None

        def create_module(self, spec: object) -> None:
            return None

        def exec_module(self, module: ModuleType) -> None:
            order.append(module.__name__)

    names = {name for generation in generations for name in GENERATIONS[generation]}
    monkeypatch.setitem(sys.modules, "gz", ModuleType("gz"))
    sys.modules["gz"].__path__ = []  # a package
    if loaded:
        for name in list(names):
            monkeypatch.setitem(sys.modules, name, ModuleType(name))
    else:
        for modules in GENERATIONS.values():
            for name in modules:
                monkeypatch.delitem(sys.modules, name, raising=False)
        monkeypatch.setattr(sys, "meta_path", [Finder(), *sys.meta_path])


order: list[str] = []


@pytest.mark.parametrize("generation", GENERATIONS)
@pytest.mark.parametrize("loaded", [True, False])
def test_every_generation_has_its_names(monkeypatch: pytest.MonkeyPatch, generation: str, loaded: bool) -> None:
    order.clear()
    install(monkeypatch, generation, loaded=loaded)
    gz = load_gz()
    assert gz.generation == generation
    assert (gz.sim.__name__, gz.math.__name__, gz.transport, gz.messages) == GENERATIONS[generation]
    if not loaded:
        assert order == [gz.math.__name__, gz.sim.__name__]  # poses raise TypeError the other way round
    for name in GENERATIONS[generation]:
        sys.modules.pop(name, None)


def test_what_runs_this_process_goes_before_what_is_newer(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, *GENERATIONS, loaded=False)
    for name in GENERATIONS["Harmonic"]:
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    assert load_gz().generation == "Harmonic"


def test_without_gazebo_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, loaded=False)
    with pytest.raises(RobotError, match="Install Gazebo Harmonic"):
        load_gz()


def test_messages_are_found_by_file_and_name(gazebo: ModuleType) -> None:
    assert load_gz().message("boolean_pb2", "Boolean") is gazebo.Boolean


def test_modules_on_the_pythonpath_of_the_shell_are_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("sim8", "math7"):
        (tmp_path / "gz").mkdir(exist_ok=True)
        (tmp_path / "gz" / f"{name}.py").write_text("")
        monkeypatch.delitem(sys.modules, f"gz.{name}", raising=False)
    monkeypatch.delitem(sys.modules, "gz", raising=False)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setenv("HUMANOID_PYTHONPATH", str(tmp_path))
    assert load_gz().sim.__file__ == str(tmp_path / "gz" / "sim8.py")
    assert sys.path[-1] == str(tmp_path)  # after everything else
    for name in ("gz", "gz.sim8", "gz.math7"):
        del sys.modules[name]
