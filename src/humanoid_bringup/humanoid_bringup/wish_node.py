"""Carries out in the ROS graph what a person wishes for on the page, one wish after the other."""

from __future__ import annotations

import math
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Generator, Mapping
from datetime import datetime
from typing import Any

import numpy as np
from geometry_msgs.msg import InertiaStamped, Twist, WrenchStamped
from rclpy.node import Node
from rclpy.publisher import Publisher
from std_msgs.msg import Float64

from humanoid_bringup.service_node import SERVICES, ask, full_name
from humanoid_bringup.viewer.robot_state import GHOST, RobotState
from humanoid_bringup.viewer.wishes import (
    Adapt,
    Carry,
    Confirm,
    FallTest,
    HoldTest,
    Pause,
    Push,
    Record,
    Reset,
    Speed,
    Stop,
    Torque,
    Walk,
    Wish,
    halts,
)
from humanoid_description.robot_interface import STREAM

PATIENCE = 20.0
"""s for a wish, after which it is given up."""
ABSENT = 2.0
"""s after which a service that is not there is not waited for."""
OPTIONAL = 0.3
"""The same for one that a robot need not have."""
REST = 3.0
"""s that a gait has to come to rest before the robot is put back all the same."""
VELOCITY_PERIOD = 0.1
"""s between two velocities; the gait lets go of one after half a second."""
ASK_AGAIN = 3.0
"""s of rest after which a robot that should walk is told to once more."""
GAIT_AT_REST = ("", "off", "fallen")
Steps = Generator[Callable[[], Any], None, str]
"""What is waited for, thing by thing; in the end, what to tell the person."""


class Unfulfilled(Exception):
    """A wish that cannot be carried out; the text says why."""


class WishCarrier:
    """Carries out wishes; `tick` must be called often."""

    def __init__(
        self, node: Node, states: Callable[[], Mapping[str, RobotState]], tell: Callable[[str, bool], None]
    ) -> None:
        """Stand ready.

        Args:
            node: Through which it is done.
            states: What is known of the robots.
            tell: Takes what became of a wish, and whether it went wrong.
        """
        self._node, self._states, self._tell = node, states, tell
        self._waiting: deque[Wish] = deque()
        self._steps: Steps | None = None
        self._condition: Callable[[], Any] = lambda: True
        self._end = 0.0
        self._publishers: dict[str, Publisher] = {}
        self._clients: dict[str, Any] = {}
        self._velocities: dict[str, Walk] = {}
        self._asked: dict[str, float] = {}
        self._next_velocity = 0.0
        self._recordings: dict[str, subprocess.Popen[bytes]] = {}
        self._kinds: dict[type, Callable[[Any], Steps]] = {
            Walk: self._walk,
            Stop: self._stop,
            Torque: self._torque,
            Push: self._push,
            Carry: self._carry,
            FallTest: self._fall_test,
            Confirm: self._confirm,
            HoldTest: self._hold_test,
            Adapt: self._adapt,
            Reset: self._reset,
            Record: self._record,
            Pause: self._pause,
            Speed: self._speed,
        }

    def add(self, wish: Wish) -> None:
        """Take a wish; what halts the robot goes before all others."""
        if halts(wish):
            self._waiting.clear()
            if self._steps is not None:
                self._steps.close()
                self._steps = None
        if isinstance(wish, (Stop, Torque, FallTest, Reset)):
            self._velocities.pop(wish.robot, None)
        self._waiting.append(wish)

    def tick(self) -> None:
        """Go on with what is being done, and keep walking robots walking."""
        now = time.monotonic()
        for robot in self._states():
            for service in SERVICES:  # known early, so that they answer at once when they are needed
                self._client(robot, service)
        if now >= self._next_velocity:
            self._next_velocity = now + VELOCITY_PERIOD
            for robot, walk in self._velocities.items():
                self._send_velocity(robot, walk.forward, walk.sideways, walk.turn)
                self._walk_again(walk, now)
        if self._steps is None and self._waiting:
            wish = self._waiting.popleft()
            self._steps, self._condition, self._end = self._kinds[type(wish)](wish), lambda: True, now + PATIENCE
        if self._steps is None:
            return
        try:
            while self._condition():
                self._condition = next(self._steps)
            if now > self._end:
                raise Unfulfilled("nobody answered in time")
        except StopIteration as ended:
            self._steps = None
            if ended.value:
                self._tell(ended.value, False)
        except Unfulfilled as error:
            self._steps = None
            self._tell(str(error), True)

    def _walk_again(self, walk: Walk, now: float) -> None:
        """A gait that has switched itself off, as after a pause in the joint states, is switched on again."""
        state = self._states().get(walk.robot)
        if state is not None and state.gait == "off" and now > self._asked[walk.robot] + ASK_AGAIN:
            self._asked[walk.robot] = now
            self._waiting.append(walk)

    def close(self) -> None:
        """End recordings."""
        for process in self._recordings.values():
            process.terminate()
            process.wait()

    def _publisher(self, kind: type, robot: str, topic: str) -> Publisher:
        name = f"{_prefix(robot)}/{topic}" if robot else topic
        if name not in self._publishers:
            self._publishers[name] = self._node.create_publisher(kind, name, STREAM)
        return self._publishers[name]

    def _client(self, robot: str, service: str) -> Any:
        name = full_name(_prefix(robot), service)
        if name not in self._clients:
            self._clients[name] = self._node.create_client(SERVICES[service], name)
        return self._clients[name]

    def _publish(self, kind: type, robot: str, topic: str, message: Any) -> Steps:
        """Publish once somebody hears it."""
        publisher = self._publisher(kind, robot, topic)
        begun = time.monotonic()
        yield lambda: publisher.get_subscription_count() or time.monotonic() - begun > ABSENT
        if not publisher.get_subscription_count():
            raise Unfulfilled(f"nobody listens to {publisher.topic_name}: is the robot simulated?")
        publisher.publish(message)
        return ""

    def _call(self, robot: str, service: str, value: bool | None = None, optional: bool = False) -> Steps:
        """Call a service of a robot; an optional one may be absent, or refuse."""
        name, client, kind = full_name(_prefix(robot), service), self._client(robot, service), SERVICES[service]
        request = kind.Request() if value is None else kind.Request(data=value)
        answer = yield from ask(client, request, OPTIONAL if optional else ABSENT)
        if optional:
            return ""
        if answer is None:
            raise Unfulfilled(f"nobody offers {name}")
        if not answer.success:
            raise Unfulfilled(answer.message)
        return str(answer.message)

    def _send_velocity(self, robot: str, forward: float, sideways: float, turn: float) -> None:
        message = Twist()
        message.linear.x, message.linear.y, message.angular.z = forward, sideways, turn
        self._publisher(Twist, robot, "cmd_vel").publish(message)

    def _with_ghost(self, robot: str) -> list[str]:
        """The robot, and the one that is shown beside it if it can walk by itself."""
        return [robot, *(name for name in self._states() if name == robot + GHOST)]

    def _walk(self, wish: Walk) -> Steps:
        state = self._states()[wish.robot]
        if wish.robot in self._velocities and state.gait not in GAIT_AT_REST:
            self._velocities[wish.robot] = wish
            return ""
        yield from self._await_moving(state)
        yield from self._call(wish.robot, "fall_test/abort", optional=True)
        for name in self._with_ghost(wish.robot):
            yield from self._call(name, "walk", True, optional=name != wish.robot)
        self._velocities[wish.robot], self._asked[wish.robot] = wish, time.monotonic()
        return ""

    def _await_moving(self, state: RobotState) -> Steps:
        """A robot whose servos are off would not follow; one that was just enabled says so with its next report."""
        begun = time.monotonic()
        yield lambda: state.bridge is None or state.bridge.moves or time.monotonic() - begun > ABSENT
        if state.bridge is not None and not state.bridge.moves:
            raise Unfulfilled(f"the robot is {state.bridge.told}. Press Enable when nobody is in its way.")
        return ""

    def _stop(self, wish: Stop) -> Steps:
        self._send_velocity(wish.robot, 0.0, 0.0, 0.0)
        yield from self._call(wish.robot, "fall_test/abort", optional=True)
        if self._states()[wish.robot].gait:
            yield from self._let_go(wish.robot)
            return "stops on both feet"
        if not wish.hold:
            return ""
        return (yield from self._call(wish.robot, "stop"))

    def _let_go(self, robot: str) -> Steps:
        """The gait stops on both feet and lets go of the joints."""
        for name in self._with_ghost(robot):
            yield from self._call(name, "walk", False, optional=True)
        return ""

    def _torque(self, wish: Torque) -> Steps:
        told = yield from self._call(wish.robot, "torque", wish.on)
        if not wish.on:  # nothing shall move it when it is switched on again
            yield from self._call(wish.robot, "fall_test/abort", optional=True)
            yield from self._let_go(wish.robot)
        return told

    def _push(self, wish: Push) -> Steps:
        heading = self._states()[wish.robot].base.T_world_base[:2, 0]
        heading = heading / max(float(np.linalg.norm(heading)), 1e-9)
        x, y = wish.forward * heading + wish.sideways * np.array([-heading[1], heading[0]])
        message = WrenchStamped()
        message.wrench.force.x, message.wrench.force.y = float(x), float(y)
        yield from self._publish(WrenchStamped, wish.robot, "push", message)
        return f"pushed with {math.hypot(wish.forward, wish.sideways):.0f} N"

    def _carry(self, wish: Carry) -> Steps:
        message = InertiaStamped()
        message.header.frame_id, message.inertia.m = wish.link, wish.mass
        message.inertia.com.x, message.inertia.com.y, message.inertia.com.z = wish.position
        yield from self._publish(InertiaStamped, wish.robot, "payload", message)
        return f"{wish.mass:g} kg hang on {wish.link}" if wish.mass else f"{wish.link} carries nothing more"

    def _fall_test(self, wish: FallTest) -> Steps:
        state = self._states()[wish.robot]
        yield from self._put_back(wish.robot, optional=True)
        # The gait must have let go of the joints before the tests move them.
        yield lambda: state.gait in GAIT_AT_REST
        return (yield from self._call(wish.robot, "fall_test/run"))

    def _confirm(self, wish: Confirm) -> Steps:
        return (yield from self._call(wish.robot, "fall_test/confirm"))

    def _hold_test(self, wish: HoldTest) -> Steps:
        return (yield from self._call(wish.robot, "fall_test/pause", wish.on))

    def _adapt(self, wish: Adapt) -> Steps:
        self._end = math.inf  # it may think for long
        return (yield from self._call(wish.robot, "adapt/run"))

    def _reset(self, wish: Reset) -> Steps:
        return (yield from self._put_back(wish.robot))

    def _put_back(self, robot: str, optional: bool = False) -> Steps:
        """Reset it, at rest if it can be: a stride that goes on would throw over who has just been put on its feet."""
        yield from self._let_go(robot)
        state, begun = self._states().get(robot), time.monotonic()
        yield lambda: state is None or state.gait in GAIT_AT_REST or time.monotonic() - begun > REST
        return (yield from self._call(robot, "reset", optional=optional))

    def _pause(self, wish: Pause) -> Steps:
        return (yield from self._call("", "/pause", wish.on))

    def _speed(self, wish: Speed) -> Steps:
        return (yield from self._publish(Float64, "", "/speed", Float64(data=wish.factor)))

    def _record(self, wish: Record) -> Steps:
        yield lambda: True
        running = self._recordings.pop(wish.robot, None)
        if running is not None:
            running.terminate()
            running.wait()
            return "the recording is closed"
        if not wish.on:
            return ""
        bag = f"{wish.robot}_{datetime.now():%Y%m%d_%H%M%S}"
        words = [sys.executable, "-P", "-m", "humanoid_bringup", "bag", "record", bag, "--namespace", f"/{wish.robot}"]
        self._recordings[wish.robot] = subprocess.Popen(words, start_new_session=True)
        return f"recording into {bag}"


def _prefix(robot: str) -> str:
    return f"/{robot}" if robot else ""
