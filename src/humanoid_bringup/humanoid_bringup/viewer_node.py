"""Shows all robots of a ROS graph on a page in the browser, and carries out what is wished for there."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Callable

import rich
import viser
from rclpy.context import Context
from rclpy.experimental import EventsExecutor
from rclpy.node import Node

from humanoid_bringup.graph_listener_node import GraphListener
from humanoid_bringup.program_node import ProgramNode
from humanoid_bringup.viewer.calm_buffer import calm_buffers
from humanoid_bringup.viewer.gate import Gate, is_loopback
from humanoid_bringup.viewer.page import Page
from humanoid_bringup.viewer.wishes import RunProgram, Stop, StopProgram, Wish, halts
from humanoid_bringup.wish_node import WishCarrier
from humanoid_description import RobotError
from humanoid_description.arrivals_node import serve_arrived
from humanoid_description.process_node import ros_process

MOVE_PERIOD = 0.04
"""s between two pictures of the scene."""
READ_PERIOD = 0.25
"""s between two updates of texts, table and plots."""
LOOK_PERIOD = 0.3
"""s between two looks for robots that came or went."""


class Viewer:
    """Page, ears and hands."""

    def __init__(self, context: Context, host: str, port: int, token: str = "", story_robot: str = "") -> None:
        self._context = context
        calm_buffers()
        rich.reconfigure(quiet=True)  # with it viser would print where our own output goes
        self._server = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
        self.gate = Gate(host, port, self._server.get_port(), token)
        self.page = Page(self._server, story_robot)
        self.node = Node("viewer", context=context)
        self._executor = EventsExecutor(context=context)  # several times as quick as the others
        self._executor.add_node(self.node)
        self.listener = GraphListener(self.node)
        self.wishes = WishCarrier(self.node, lambda: self.listener.states, self.page.tell)
        self._due = dict.fromkeys(("move", "read", "look"), 0.0)
        self._things: object = None
        self._stepped = False
        self._programs: dict[str, ProgramNode] = {}

    @property
    def watched(self) -> bool:
        """Whether anybody looks."""
        return bool(self._server.get_clients())

    def _is_due(self, what: str, period: float) -> bool:
        now = time.monotonic()
        if now < self._due[what]:
            return False
        self._due[what] = now + period
        return True

    def spin_once(self) -> None:
        """Serve the graph until the next picture is due, then draw it."""
        while (left := self._due["move"] - time.monotonic()) > 0:
            self._executor.spin_once(timeout_sec=left)
        # All that has arrived, also when late: a picture less does no harm, an answer that waits in a queue does.
        serve_arrived(self._executor)
        if self._is_due("look", LOOK_PERIOD):
            self.listener.look()
        while not self.page.wishes.empty():
            self._take(self.page.wishes.get())
        self.wishes.tick()
        if self.listener.things is not self._things:
            self._things = self.listener.things
            self.page.world.show(self.listener.things)
        self._due["move"] = time.monotonic() + MOVE_PERIOD
        self.listener.place_bases()
        self.page.take(self.listener.states)
        if self.watched:
            if self.listener.ball is not None:
                self.page.world.move_ball(*self.listener.ball)
            self.page.move()
            if self._is_due("read", READ_PERIOD):
                self.page.read(self.listener.findings())
                self._show_program()
        if self.page.story is not None and self.page.story.stepped and not self._stepped:
            self._stepped = True
            print("first step", flush=True)

    def _take(self, wish: Wish) -> None:
        if isinstance(wish, RunProgram):
            self._run_program(wish)
            return
        if (halts(wish) or isinstance(wish, StopProgram)) and wish.robot in self._programs:
            self._programs[wish.robot].stop()
        if not isinstance(wish, StopProgram):
            self.wishes.add(wish)

    def _run_program(self, wish: RunProgram) -> None:
        """Run it on a node of its own in the robot's namespace."""
        self.wishes.add(Stop(wish.robot, hold=False))
        if wish.robot not in self._programs:
            node = Node("program", namespace=wish.robot, context=self._context)
            self._executor.add_node(node)
            self._programs[wish.robot] = ProgramNode(node)
        try:
            self._programs[wish.robot].start(wish.text, wish.rate)
        except RobotError as error:
            self.page.tell(str(error), True)

    def _show_program(self) -> None:
        runner = self._programs.get(self.page.chosen)
        if runner is not None and runner.program is not None:
            program = runner.program
            self.page.program.show(program.state, program.error, program.line, program.printed)
            program.printed = ""

    def close(self) -> None:
        """Take everything out of the graph and off the network."""
        self.wishes.close()
        self.gate.close()
        self._server.stop()
        for runner in self._programs.values():
            runner.stop()
        self._executor.shutdown()
        for node in (self.node, *(runner.node for runner in self._programs.values())):
            node.destroy_node()


def token_for(host: str) -> str:
    """The token that a wider address needs: HUMANOID_TOKEN of the environment, or a new one."""
    return "" if is_loopback(host) else os.environ.get("HUMANOID_TOKEN") or secrets.token_urlsafe(16)


def run(host: str, port: int, seconds: float, story_robot: str, opened: Callable[[str], None]) -> None:
    """Serve the page until the time (s) is over or the process is asked to stop.

    Args:
        host: Address to listen on.
        port: First to try.
        seconds: How long.
        story_robot: Namespace of the robot of the guided story, or empty.
        opened: Is told the page's address.
    """
    with ros_process() as (context, stopping):
        viewer = Viewer(context, host, port, token_for(host), story_robot)
        opened(viewer.gate.url)
        end = time.monotonic() + seconds
        while not stopping.is_set() and time.monotonic() < end:
            viewer.spin_once()
        viewer.close()
