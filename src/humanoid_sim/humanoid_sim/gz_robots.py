"""The robots of a Gazebo world and their shadow: who is there, what they do in a step, and models made anew.

Gazebo takes no new inertials for a model, and no velocities for its base; so a robot that is adapted or reset is taken
out of the world and put in again, standing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from humanoid_description import RobotError
from humanoid_sim.gz_body import GzBody
from humanoid_sim.gz_model import model_text
from humanoid_sim.gz_modules import GzModules
from humanoid_sim.gz_services import GzServices
from humanoid_sim.shadow import Shadow

PATIENCE = 1.0
"""s that a robot may be missing from the world before somebody is told."""


class GzRobots:
    """Robots by namespace, which is also the name of their model."""

    def __init__(
        self,
        gz: GzModules,
        world: Any,
        shadow: Shadow,
        say: Callable[[str], None],
        services: Callable[[], GzServices],
        met: Callable[[str], None] = lambda name: None,
    ) -> None:
        """Wait for robots in a world.

        Args:
            gz: Gazebo's modules.
            world: Gazebo's World.
            shadow: Of the robots.
            say: Tells the user.
            services: Gives the services of the world.
            met: Is told of every robot that has just been put on its feet.
        """
        self.shadow = shadow
        self._gz = gz
        self._world = world
        self._say = say
        self._services = services
        self._met = met
        self._described = shadow.robots
        self._made_of = shadow.robots
        """What each model in Gazebo was made of."""
        self._bodies: dict[str, GzBody] = {}
        self._fresh: set[str] = set()
        """Robots that were met in this step, and that Gazebo has not moved yet."""
        self._unusable: dict[str, int] = {}
        """Models that are not those of their robot."""
        self._asked: dict[str, str] = {}
        """What was asked for last of a model that is made anew: 'remove' or 'create'."""
        self._missing_since = dict.fromkeys(self._described, 0.0)
        self._homeless = set(self._described)

    @property
    def present(self) -> tuple[str, ...]:
        """Robots that are in the world."""
        return tuple(self._bodies)

    def begin_step(self, ecm: Any, time: float) -> None:
        """Take over where the robots are at a time (s)."""
        for name in self.shadow.robots:
            body = self._bodies.get(name)
            if body is not None and not body.is_there(ecm):
                self._lose(name, time)
            if name in self.shadow.replacements:
                self._replace(ecm, name, time)
            elif name not in self._bodies:
                self._meet(ecm, name, time)
        self.look(ecm, time)

    def look(self, ecm: Any, time: float) -> tuple[str, ...]:
        """Let the shadow be where the robots are at a time (s); returns those that were seen."""
        motions = {name: body.motion(ecm) for name, body in self._bodies.items() if name not in self._fresh}
        self._fresh.clear()
        seen = {name: motion for name, motion in motions.items() if motion is not None}
        self.shadow.take(time, seen)
        return tuple(seen)

    def end_step(self, ecm: Any) -> None:
        """Let contact, servos and pushes act during the step."""
        self.shadow.solve()
        for name, body in self._bodies.items():
            body.apply(ecm, self.shadow.efforts(name))

    def restart(self) -> None:
        """The world was put back to its beginning, models included."""
        self.shadow.forget()
        self.shadow.replacements.clear()
        self._asked.clear()
        self._bodies.clear()
        self._made_of = dict(self._described)
        self._missing_since = dict.fromkeys(self._described, 0.0)

    def _meet(self, ecm: Any, name: str, time: float) -> None:
        """Take charge of a robot that has appeared: it stands where its model is."""
        entity = self._world.model_by_name(ecm, name)
        if entity == self._gz.sim.K_NULL_ENTITY:
            self._miss(name, time, "./humanoid sim --engine gazebo adds it.")
            return
        if self._unusable.get(name) == entity:
            return
        robot = self.shadow.robots[name]
        try:
            body = GzBody(self._gz, ecm, entity, robot)
        except RobotError as error:
            self._unusable[name] = entity
            self._say(str(error))
            return
        start = body.base_start(ecm)
        if name in self._homeless:
            self._homeless.remove(name)
            self.shadow.set_home(name, start)
        body.put_joints(ecm, self.shadow.stand(name, start))
        self._bodies[name] = body
        self._fresh.add(name)
        self._met(name)
        if self._made_of[name] is not robot:
            self.shadow.replacements[name] = start

    def _miss(self, name: str, time: float, remedy: str) -> None:
        """Say once that a robot has been missing for long."""
        if time - self._missing_since.get(name, time) > PATIENCE:
            del self._missing_since[name]
            self._say(f"robot '{name}': the world has no model of that name. {remedy}")

    def _lose(self, name: str, time: float) -> None:
        self._bodies.pop(name, None)
        self._missing_since[name] = time

    def _replace(self, ecm: Any, name: str, time: float) -> None:
        """Take a model out and put the robot in anew, one thing per step, as Gazebo does nothing at once."""
        there = self._world.model_by_name(ecm, name) != self._gz.sim.K_NULL_ENTITY
        asked, robot, start = self._asked.get(name), self.shadow.robots[name], self.shadow.replacements[name]
        try:
            if asked is None and there:
                self._services().remove(name)
                self._asked[name] = "remove"
                self._lose(name, time)
            elif asked != "create" and not there:
                self._services().create(name, model_text(robot, name, start, self.shadow.postures[name]))
                self._asked[name] = "create"
                self._made_of[name] = robot
            elif asked == "create" and there:
                del self._asked[name], self.shadow.replacements[name]
                self._meet(ecm, name, time)
            elif asked == "create":
                self._miss(name, time, "Gazebo was asked for it; its own messages above say why it did not come.")
        except RobotError as error:
            # The old model stays, or none: the diagnostics will tell that it is not the robot it should be.
            self.shadow.replacements.pop(name, None)
            self._asked.pop(name, None)
            self._made_of[name] = robot
            self._say(f"robot '{name}': its model was not made anew. {error}")
