"""What is asked of Gazebo's world."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

from humanoid_description import RobotError, load_robot
from humanoid_sim.gz_model import model_text
from humanoid_sim.gz_modules import load_gz
from humanoid_sim.gz_services import GzServices
from humanoid_sim.gz_world import GzSettings, world_file, write_world


@pytest.fixture
def server(gazebo: ModuleType) -> Any:
    return gazebo.load_world(write_world("empty", GzSettings({}), {}))


def test_a_model_comes_and_goes(server: Any) -> None:
    services = GzServices(load_gz(), "empty")
    services.create("a", model_text(load_robot("fibo_km"), "a", (0.0, 0.0, 0.0)))
    assert "a" not in server.ecm.models
    server.iterate()
    assert "a" in server.ecm.models
    services.remove("a")
    server.iterate()
    assert "a" not in server.ecm.models


def test_the_world_pauses(server: Any) -> None:
    services = GzServices(load_gz(), "empty")
    services.pause(True)
    assert server.paused
    services.pause(False)
    assert not server.paused


def test_a_refusal_says_what_the_world_needs(server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    services = GzServices(load_gz(), "empty")
    assert "gz-sim-user-commands-system" in world_file("empty").read_text()
    monkeypatch.setattr(type(server), "serve", lambda self, path, request: False)
    with pytest.raises(RobotError, match=r"/world/empty/remove: refused\. The world needs the plugin gz-sim-user-com"):
        services.remove("a")
