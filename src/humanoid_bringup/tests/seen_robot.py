"""States of a robot for tests of the page, and a page without a browser."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import rich
import viser

from humanoid_bringup.viewer.robot_state import FootForce, RobotState
from humanoid_description import Robot
from humanoid_description.inertial import GRAVITY


def standing(robot: Robot, namespace: str = "r") -> RobotState:
    """A robot that stands on both feet in its stance, its sole on the ground."""
    state = RobotState(namespace)
    state.describe(robot.urdf)
    assert state.model is not None
    stand = robot.parameters.stand
    state.hear_joints(1.0, 0.0, {name: (stand.get(name, 0.0), 0.0, 0.0) for name in robot.joint_names})
    poses = robot.poses(stand)
    foot = robot.parameters.feet["left"]
    state.base.tell(np.array([0.0, 0.0, foot.depth - poses[foot.link][2, 3]]), np.array([0.0, 0.0, 0.0, 1.0]))
    for side, each in robot.parameters.feet.items():
        force = np.array([0.0, 0.0, robot.mass * GRAVITY / 2])
        state.feet[side] = FootForce(each.link, force, np.zeros(3))
    return state


@contextmanager
def served() -> Iterator[viser.ViserServer]:
    """A server of pages that nobody looks at."""
    rich.reconfigure(quiet=True)
    server = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
    yield server
    server.stop()
