"""Fall tests end to end through bytes, in one process and on simulated time.

A robot whose load nobody knows sits behind a virtual servo bus. Bridge, fall test, recorder, adaptation and a simulator
that follows are the nodes that a real robot has, and speak ROS with each other. Time goes on when all of them have
dealt with what was measured: a busy machine takes longer, and does nothing else.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

import numpy as np
import rclpy
from builtin_interfaces.msg import Time
from rclpy.context import Context
from rclpy.experimental import EventsExecutor
from rclpy.node import Node
from std_srvs.srv import Trigger

from dynamixel_bridge.bridge import Bridge
from dynamixel_bridge.bridge_node import BridgeNode
from dynamixel_bridge.links import SimulatedLinks
from dynamixel_bridge.virtual_faults import Faults
from dynamixel_bridge.virtual_line import VirtualLine
from dynamixel_bridge.virtual_robot import virtual_devices
from humanoid_adapt.adapt_node import AdaptNode
from humanoid_adapt.assembler import HEARD
from humanoid_adapt.bag import BagWriter, read_bag
from humanoid_adapt.estimator import Adaptation
from humanoid_adapt.fall_test_node import FallTestNode
from humanoid_adapt.routine import Routine, Settings
from humanoid_adapt.simulated_body import SENSORS
from humanoid_bringup.bus_body import BusBody
from humanoid_bringup.player_node import Player
from humanoid_bringup.recorder_node import Recorder
from humanoid_description import Robot, RobotError
from humanoid_sim.sim_node import SimNode
from humanoid_sim.simulation import Simulation

REAL, FOLLOWER = "real", "sim"
"""Namespaces of the robot that is tested and of the simulation that follows it."""
PERIOD = 0.01
"""s of a bus cycle."""
CYCLES_PER_TICK = 20
"""The simulation that follows runs, but slowly: nobody looks at it while the robot is tested."""
FIRST_CYCLES = 20
"""In which the bridge gets to know its servos."""
HEALTH_CYCLES = 500
"""Until a servo that has not told its health yet counts as silent: on a bad line each is asked several times in it."""
AT_ONCE = 100
"""Messages that are replayed before it is waited until they are heard."""
OWN_DOMAIN = 215 + os.getpid() % 18
"""Of ROS: above the ports that systems hand out, and where nobody puts a robot."""
PATIENCE = 60.0
"""s in which nodes of this process must answer."""


class Nodes:
    """Nodes of one process in a ROS of their own, which hears no other robot."""

    def __init__(self) -> None:
        self.context = Context()
        follow = f"/{FOLLOWER}/adapted_description:=/{REAL}/adapted_description"
        arguments = ["--ros-args", "--log-level", "warn", "-r", follow]
        rclpy.init(args=arguments, context=self.context, domain_id=OWN_DOMAIN)
        self.executor = EventsExecutor(context=self.context)
        self._nodes: list[Node] = []

    def make(self, name: str) -> Node:
        """A node in the namespace of the robot that is tested."""
        node = Node(name, namespace=REAL, context=self.context)
        self.adopt(node)
        return node

    def adopt(self, *nodes: Node) -> None:
        """Serve nodes that were made elsewhere, and destroy them in the end."""
        for node in nodes:
            self.executor.add_node(node)
        self._nodes += nodes

    def until(self, condition: Callable[[], bool]) -> None:
        """Let all nodes work until something holds."""
        end = time.monotonic() + PATIENCE
        while not condition():
            if time.monotonic() > end:
                raise RobotError(f"falltest: its nodes have not answered for {PATIENCE:.0f} s. Try again.")
            self.executor.spin_once(timeout_sec=0.05)

    def trigger(self, user: Node, name: str) -> None:
        """Call a service and wait; RobotError with its message if it refuses."""
        client = user.create_client(Trigger, name)
        self.until(client.service_is_ready)
        future = client.call_async(Trigger.Request())
        self.until(future.done)
        user.destroy_client(client)
        answer = future.result()
        if not answer.success:
            raise RobotError(answer.message)

    def close(self) -> None:
        """Take everything out of ROS."""
        self.executor.shutdown()
        for node in self._nodes:
            node.destroy_node()
        rclpy.shutdown(context=self.context)


class VirtualFallTest:
    """The robot on its bus, and everything that tests and adapts it."""

    def __init__(
        self,
        model: Robot,
        truth: Robot,
        protocol: str,
        settings: Settings,
        seed: int,
        writer: BagWriter,
        models: Path,
        faults: Faults | None = None,
    ) -> None:
        """Set everything up.

        Args:
            model: What is known of the robot.
            truth: What it is.
            protocol: Which tests.
            settings: How they are done.
            seed: Of the sensors' noise, and of the faults.
            writer: Of the bag.
            models: Folder for the history of models.
            faults: Of the servo bus; none if not given.
        """
        simulation = Simulation({REAL: truth}, seed=seed, noise=SENSORS)
        self.body = BusBody(simulation, REAL)
        devices = virtual_devices(truth, self.body)
        lines = {
            port: VirtualLine(found, faults, seed + number) for number, (port, found) in enumerate(devices.items())
        }
        self._links = SimulatedLinks(lines, truth.parameters.servo_bus.baud, self.body.advance)
        self.bridge = Bridge(model, self._links, clock=self._links.clock, period=PERIOD)
        self._nodes = nodes = Nodes()
        self._bridge_node = BridgeNode(self.bridge, REAL, PERIOD, nodes.context, self._stamp)
        self.follower = SimNode(Simulation({FOLLOWER: model}, seed=seed), context=nodes.context)
        nodes.adopt(self._bridge_node.node, self.follower.node, *(robot.node for robot in self.follower.robots))
        self._fall_test = FallTestNode(nodes.make("fall_test"), model, protocol, settings, "person")
        self._adapt = AdaptNode(nodes.make("adapt"), model, models)
        self._recorder = Recorder(nodes.make("recorder"), REAL, writer, lambda: round(1e9 * self._links.now))
        self._writer = writer
        self._user = nodes.make("user")
        self._cycles = self._measured = 0
        nodes.until(self._all_listen)

    def _stamp(self) -> Time:
        whole, rest = divmod(round(1e9 * self._links.now), 10**9)
        return Time(sec=whole, nanosec=rest)

    def _all_listen(self) -> bool:
        """Whether recorder and adaptation hear everything, and the bridge the commands."""
        self._recorder.look()
        told = ("joint_states", "imu/data", "fall_test/state", "joint_trajectory")
        listeners = [self._user.count_subscribers(f"/{REAL}/{topic}") for topic in told]
        return all(count >= needed for count, needed in zip(listeners, (3, 3, 2, 3), strict=True))

    def _caught_up(self) -> bool:
        """Whether all have dealt with everything that was measured and said so far."""
        fall_test, interface = self._fall_test, self._bridge_node.interface
        said = self._measured + fall_test.states + fall_test.commands
        recorded = sum(self._writer.counts.get(f"/{REAL}/{topic}", 0) for topic in HEARD)
        return (
            not fall_test.busy
            and fall_test.heard == self._measured
            and interface.accepted + interface.refused == fall_test.commands
            and self._adapt.assembler.taken == recorded == said
        )

    def _health_known(self) -> bool:
        """Whether every servo has told its temperature and voltage, without which the bridge enables none."""
        seen = self.bridge.seen()
        return bool(np.isfinite([seen.temperature, seen.voltage]).all())

    def _cycle(self) -> None:
        self._cycles += 1
        self._links.wait_until(self._cycles * PERIOD)
        self._bridge_node.tick()
        imu = self.bridge.imu
        self._measured += bool(self.bridge.fresh.any()) + bool(imu is not None and imu.fresh)
        if self._cycles % CYCLES_PER_TICK == 0:
            self.follower.tick()
        self._nodes.until(self._caught_up)

    def run(self, progress: Callable[[str], None]) -> Routine:
        """Do all tests; when the robot has fallen it is put on its feet, as a person would."""
        for _ in range(FIRST_CYCLES):
            self._cycle()
        for _ in range(HEALTH_CYCLES):
            if self._health_known():
                break
            self._cycle()
        self._nodes.until(lambda: not self._fall_test.missing())
        self._nodes.trigger(self._user, "fall_test/run")
        routine = self._fall_test.routine
        assert routine is not None
        told = 0
        while not routine.done:
            if routine.number > told:
                told = routine.number
                progress(f"test {told} of {len(routine.tests)}: {routine.test.name}")
            self._cycle()
            if routine.phase == "help" and not routine.done:
                self.body.put_on_its_feet()
                for _ in range(FIRST_CYCLES):  # which the bridge needs to see it upright
                    self._cycle()
                self._nodes.trigger(self._user, "fall_test/confirm")
                self._nodes.until(lambda: not self._fall_test.busy)
        self._cycle()  # in which the end is told
        if routine.aborted:
            raise RobotError(f"falltest: {routine.aborted}")
        return routine

    def adapt(self) -> Adaptation:
        """Adapt the model to the tests; returns when the simulation that follows has taken it over."""
        self._nodes.trigger(self._user, "adapt/run")
        interface = self.follower.robots[0].interface
        self._nodes.until(lambda: interface.accepted + interface.refused > 0)
        if interface.refused:
            raise RobotError(f"falltest: the simulation did not take the model over: {interface.last_refusal}")
        self.follower.tick()
        assert self._adapt.found is not None
        return self._adapt.found

    def __enter__(self) -> VirtualFallTest:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._nodes.close()


def replay(model: Robot, bag: Path) -> Adaptation:
    """What the adaptation node makes of a bag that is played to it."""
    messages = [message for message in read_bag(bag) if message.topic.removeprefix(f"/{REAL}/") in HEARD]
    nodes = Nodes()
    try:
        with tempfile.TemporaryDirectory() as models:
            adapt = AdaptNode(nodes.make("adapt"), model, Path(models))
            player, user = Player(nodes.make("player"), messages), nodes.make("user")
            nodes.until(lambda: all(user.count_subscribers(topic) for topic in {one.topic for one in messages}))
            for count, message in enumerate(messages):
                if count % AT_ONCE == 0:
                    nodes.until(lambda count=count: adapt.assembler.taken == count)
                player.publish(message)
            nodes.until(lambda: adapt.assembler.taken == len(messages))
            nodes.trigger(user, "adapt/run")
            assert adapt.found is not None
            return adapt.found
    finally:
        nodes.close()
