"""Lets a user's program control the robot of a namespace: sensors in, joint_trajectory and cmd_vel out.

Driven by joint states, so that it keeps the robot's time, simulated or real. When the program ends by itself, the robot
stops walking; when it fails or is stopped, the joints it has commanded also stay where they are.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from builtin_interfaces.msg import Duration
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import Twist, Vector3
from rclpy.context import Context
from rclpy.experimental import EventsExecutor
from rclpy.node import Node
from sensor_msgs.msg import Imu, JointState
from std_msgs.msg import String
from std_srvs.srv import SetBool
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from humanoid_bringup.bridge_mode import BridgeMode, bridge_mode
from humanoid_bringup.program import FINISHED, Felt, Program, Wanted
from humanoid_description import RobotError
from humanoid_description.process_node import ros_process
from humanoid_description.robot_interface import LATCHED, STREAM

WAIT = 0.01
"""s of real time that an answer is waited for; one that comes later counts with the next joint states."""
GAIT_PATIENCE = 3.0
"""s of real time in which a gait node must be found once the program wants to walk."""
SILENCE = 10.0
"""s of real time without joint states after which `run` gives up."""


class ProgramNode:
    """Runs one program after the other on a node in the robot's namespace."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self.program: Program | None = None
        """The present or last one; its `told` says how it is."""
        self.late = 0
        """Calls of it that took longer than was waited."""
        self.seconds = 0.0
        """Of the robot's time between its first call and its last."""
        self.heard = 0
        """Joint states so far."""
        self.joints: frozenset[str] = frozenset()
        """Of the robot, as its description says; none before it has come."""
        self._angle: dict[str, float] = {}
        self._speed: dict[str, float] = {}
        self._torque: dict[str, float] = {}
        self._imu = Imu()
        self._gait = ""
        self._bridge: BridgeMode | None = None
        self._reported = False
        self._period = math.inf
        self._now = self._began = self._due = -math.inf
        self._velocity: tuple[float, float, float] | None = None
        self._walk_asked = math.inf
        self._commanded: set[str] = set()
        self._trajectory = node.create_publisher(JointTrajectory, "joint_trajectory", STREAM)
        self._cmd_vel = node.create_publisher(Twist, "cmd_vel", STREAM)
        self._walk = node.create_client(SetBool, "walk")
        node.create_subscription(String, "robot_description", self._on_description, LATCHED)
        node.create_subscription(JointState, "joint_states", self._on_joint_states, STREAM)
        node.create_subscription(Imu, "imu/data", self._on_imu, STREAM)
        node.create_subscription(DiagnosticArray, "/diagnostics", self._on_diagnostics, STREAM)

    def start(self, text: str, rate: float, name: str = "program", folder: Path | None = None) -> None:
        """Run a program with this many calls a second (Hz); one that is running is stopped before."""
        if not 0.0 < rate < math.inf:
            raise RobotError(f"program: the rate is {rate}. Give the calls per second, above zero.")
        self.stop()
        self.program = Program(text, name, folder)
        self._period = 1.0 / rate
        self.late, self.seconds = 0, 0.0
        self._reported = False  # whether its servos are on may have changed since it last said so
        self._velocity, self._walk_asked = None, math.inf
        self._commanded.clear()

    def stop(self, error: str = "") -> None:
        """End the program, if one runs; the robot stops and holds."""
        if self.program is not None and not self.program.ended:
            self.program.stop(error)
            self._come_to_rest()

    def look(self) -> None:
        """Take its answer, if there is one: one that cannot be loaded is over before the robot says a word."""
        if self.program is not None and not self.program.ended:
            self._take(self.program, self.program.answer())

    def _on_description(self, message: String) -> None:
        try:
            joints = ElementTree.fromstring(message.data).iterfind("joint")
        except ElementTree.ParseError as error:
            self.node.get_logger().warning(f"robot_description: is no URDF ({error}).")
            return
        self.joints = frozenset(joint.get("name", "") for joint in joints if joint.get("type") != "fixed")

    @property
    def missing(self) -> str:
        """What the robot has not told yet: a servo that does not answer is left out of the joint states."""
        if not self.heard:
            return "joint_states"
        if not self.joints:
            return "robot_description"
        return ", ".join(sorted(self.joints - self._angle.keys())) or ("" if self._reported else "/diagnostics")

    def _on_imu(self, message: Imu) -> None:
        self._imu = message

    def _on_diagnostics(self, message: DiagnosticArray) -> None:
        space = self.node.get_namespace().rstrip("/")
        for status in message.status:
            values = {pair.key: pair.value for pair in status.values}
            if status.name == f"{space}/gait: gait":
                self._gait = values.get("state", "")
            self._reported = self._reported or status.name.startswith(f"{space}/robot: ")
            self._bridge = bridge_mode(space, status.name, status.message, values) or self._bridge

    def _on_joint_states(self, message: JointState) -> None:
        self.heard += 1
        for known, values in (
            (self._angle, message.position),
            (self._speed, message.velocity),
            (self._torque, message.effort),
        ):
            known.update(zip(message.name, values, strict=False))
        before, self._now = self._now, message.header.stamp.sec + 1e-9 * message.header.stamp.nanosec
        program = self.program
        if program is None or program.ended:
            return
        self.look()
        since = self._now - before
        if not program.calls or since < 0.0:  # it begins, or the robot was started anew
            self._began = self._due = self._now
        # These joint states are nearer to the due time than the next ones will be.
        if program.running and not self.missing and not program.busy and self._now + since / 2 >= self._due:
            self._due = max(self._due + self._period, self._now + self._period / 2)
            self.seconds = self._now - self._began
            program.call(self._felt())
            self._take(program, program.answer(WAIT))
            self.late += program.busy
        if self._velocity is not None and not program.busy and not program.ended:
            self._send_velocity(self._velocity)  # again: it holds for a short time only

    def _felt(self) -> Felt:
        turning, pull = self._imu.angular_velocity, self._imu.linear_acceleration
        return Felt(
            self.seconds,
            self._angle,
            self._speed,
            self._torque,
            (turning.x, turning.y, turning.z),
            (pull.x, pull.y, pull.z),
            self._gait,
        )

    def _take(self, program: Program, wanted: Wanted | None) -> None:
        if wanted is not None and wanted.moves and self._bridge is not None and not self._bridge.moves:
            program.fail(
                f"the robot is {self._bridge.told}. Nothing was sent to it. Switch its servos on: "
                f"./humanoid call torque true --robot {self.node.get_namespace()}"
            )
            wanted = None
        if wanted is not None:
            self._commanded |= set(wanted.joints)
            for seconds in sorted({seconds for _, seconds in wanted.joints.values()}):
                self._send_joints(
                    {joint: angle for joint, (angle, within) in wanted.joints.items() if within == seconds}, seconds
                )
            if wanted.velocity is not None:
                self._velocity = wanted.velocity
                self._switch_walking_on(program)
        if program.ended:
            self._come_to_rest()

    def _switch_walking_on(self, program: Program) -> None:
        if self._walk_asked == -math.inf:
            return
        if self._walk.service_is_ready():
            self._walk_asked = -math.inf
            self._walk.call_async(SetBool.Request(data=True))
            return
        self._walk_asked = min(self._walk_asked, time.monotonic())
        if time.monotonic() - self._walk_asked > GAIT_PATIENCE:
            program.stop("robot.walk: nobody walks this robot. Start gait_node beside it, such as 'sim --walk' does.")

    def _come_to_rest(self) -> None:
        if self._velocity is not None:
            self._send_velocity((0.0, 0.0, 0.0))
        if self._commanded and self.program is not None and self.program.state != FINISHED:
            self._send_joints({joint: self._angle[joint] for joint in self._commanded}, 0.0)

    def _send_joints(self, angles: dict[str, float], seconds: float) -> None:
        point = JointTrajectoryPoint(positions=list(angles.values()))
        point.time_from_start = Duration(sec=int(seconds), nanosec=int(seconds % 1 * 1e9))
        self._trajectory.publish(JointTrajectory(joint_names=list(angles), points=[point]))

    def _send_velocity(self, velocity: tuple[float, float, float]) -> None:
        forward, sideways, turn = velocity
        self._cmd_vel.publish(Twist(linear=Vector3(x=forward, y=sideways), angular=Vector3(z=turn)))


def run(
    text: str,
    name: str,
    folder: Path,
    namespace: str,
    rate: float,
    seconds: float,
    show: Callable[[str], None],
    context: Context | None = None,
) -> dict[str, Any]:
    """Run a program until it ends, its time (s, of the robot) is over or the process is asked to stop.

    Args:
        text: The program.
        name: For messages.
        folder: From which it may import.
        namespace: Of the robot.
        rate: Calls per second.
        seconds: How long.
        show: Takes what the program prints.
        context: Of rclpy; a new one if not given.

    Returns:
        What became of it: {state, error, line, calls, seconds, late}.
    """
    with ros_process(context) as (context, stopping):
        runner = ProgramNode(Node("program", namespace=namespace, context=context))
        executor = EventsExecutor(context=context)
        executor.add_node(runner.node)
        runner.start(text, rate, name, folder)
        program = runner.program
        assert program is not None
        heard, missing, since = 0, runner.missing, time.monotonic()
        while not program.ended:
            executor.spin_once(timeout_sec=0.05)
            runner.look()
            if runner.missing != missing or (runner.heard > heard and not missing):
                heard, missing, since = runner.heard, runner.missing, time.monotonic()
            if stopping.is_set() or runner.seconds >= seconds:
                runner.stop()
            elif time.monotonic() - since > SILENCE:
                silent = f"{namespace}: {runner.missing or 'joint_states'}"
                runner.stop(f"{silent} is silent. Start the robot, look at --robot, or go on if it is paused.")
            if program.printed:
                show(program.printed)
                program.printed = ""
        show(program.printed)
        executor.shutdown()
        runner.node.destroy_node()
    return {
        "state": program.state,
        "error": program.error,
        "line": program.line,
        "calls": program.calls,
        "seconds": round(runner.seconds, 6),
        "late": runner.late,
    }
